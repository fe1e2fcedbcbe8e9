"""Splits streaming Markdown into finished blocks, which never change again, and the open tail. No Qt in here.

New text makes only the tail be parsed again, so that a token costs the same in a long answer. The tail is bounded: a
longer block that cannot be cut becomes plain text until the next blank line. Code is a block of its own, also inside
lists and quotations. Its lines are frozen as they come. In a list or quotation, its two fences stay in the tail, so
that the parser still finds the place of the text that follows. Results that a model repeats are treated like code, once
they have ended.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from app.text.fences import BegunCode, closing_line
from app.text.labels import first_label, labels_in, used_labels
from app.text.pieces import (
    BEGUN_COLOUR,
    LONG_PIECE,
    fitting,
    length_with_pictures,
    plain_end,
    tables,
    weight,
    without_colours,
)
from app.text.spans import LONGEST_UNCERTAIN_LINE, CodeSpan, Inset, ResultSpan, Span, first_open, top_level

# A list longer than this many characters is cut between its items.
LONG_TAIL = 1000
_LINE_OF_WORDS = re.compile(r" *(?:(?:[-+*]|\d{1,9}[.)]) +)?[^\W\d_]")
_KINDS_OF_LINES = ("paragraph_open", "bullet_list_open", "ordered_list_open", "table_open")

# The text is parsed at least once every PART characters.
PART = 2000
# An open block that weighs more than this (`app.text.pieces.weight`) becomes plain text.
LONGEST_BLOCK = 20_000
# A paragraph with more delimiters of formulas becomes plain text: parsing them would take too long.
MOST_DELIMITERS = 400
# A paragraph with more signs of styles becomes plain text, for the same reason.
MOST_SIGNS = 2500
# A code block continues in another one after this many characters.
LONGEST_CODE = 30_000
_BLANK_LINE = re.compile(r"(?:\A|\n)[ \t]*\n")
_FORMULA_FENCE = re.compile(r"((?:`{3,}|~{3,})[ \t]*math)[ \t]*$")
# The first line of code or of a result that begins no item.
_LONE_MARK = re.compile(r"[ >]*(?:```|~~~|<tool_response>)")


def prepare_parser(titles: Mapping[str, str]) -> None:
    """Import the parser, so that the first text does not wait for it, and give it translations of English titles."""
    from app.text import echoed_results, markdown

    markdown.alert_titles = titles
    echoed_results.titles = titles


@dataclass(frozen=True)
class ProseText:
    """Markdown outside of insets (code, and results in lists); if `plain`, it is too long to parse: plain text.

    Other blocks show the text before its inset number `after`. `definitions` is the Markdown that defines its links and
    notes elsewhere. `number` is the number of its first item if the list began in another block and the text has
    another number, because models number all items 1; else 0.
    """

    text: str
    plain: bool = False
    after: int = 0
    definitions: str = ""
    number: int = 0


@dataclass(frozen=True)
class Code:
    """A code block.

    `closed` says whether it has ended; `language` is the first word after the fence. `lists` and `quotes` say how many
    lists and quotations are around it.
    """

    text: str
    language: str = ""
    closed: bool = False
    lists: int = 0
    quotes: int = 0


@dataclass(frozen=True)
class Fold:
    """The source of a text that is folded behind its summary. `closed` says whether it has ended.

    `lists` and `quotes` say how many lists and quotations are around it.
    """

    text: str
    closed: bool = False
    lists: int = 0
    quotes: int = 0


Block = ProseText | Code | Fold


class Splitter:
    """Splits text as it arrives. `frozen` only grows; the blocks in `tail` may still change.

    After "One.\\n\\nTwo", "One." is frozen, and "Two" is the tail because more words may follow. After
    "\\n```\\nx = 1", "Two" is frozen, too, and the tail is an open `Code`.
    """

    def __init__(self) -> None:
        self.frozen: list[Block] = []
        self.tail: list[Block] = []
        # The definitions in frozen blocks by their labels.
        self.definitions: dict[str, str] = {}
        # The labels that frozen blocks use.
        self._used: set[str] = set()
        # The text that is not frozen, from the beginning of a block on.
        self._open_text = ""
        # The blocks of the open text.
        self._spans: list[Span] = []
        # The end of the text, if it is half of a line end or of a terminal's colour.
        self._half = ""
        # How many insets of the open text are frozen.
        self._after = 0
        # The lines of the next code block that were moved out of the open text; None if there are none.
        self._code: Code | None = None
        # What these lines say about the others.
        self._begun: BegunCode | None = None
        # The number of the first item of the open text, if its list was cut, else 0.
        self._number = 0
        # Whether the open text is too long to parse, and plain text until the next blank line.
        self._plain = False

    def feed(self, delta: str) -> None:
        """Add text with line ends of any kind; in the blocks they are line feeds."""
        delta = self._half + delta
        half = BEGUN_COLOUR.search(delta)
        self._half = half[0] if half else ""
        delta = without_colours(delta.removesuffix(self._half)).replace("\r\n", "\n").replace("\r", "\n")
        for start in range(0, len(delta), PART):
            part = delta[start : start + PART]
            longer = self._only_longer(part) or self._only_a_row(part)
            self._open_text += part
            if not longer:
                self._freeze_ended()
            self._show_tail()

    def finish(self) -> None:
        """Freeze everything, because no more text comes."""
        self.feed("\n" if self._half else "")
        self._freeze_ended()
        if self._open_text and not self._plain:
            # A formula, comment or fold that has no end now is text.
            self._spans = top_level(self._open_text, False, self._begun)
        self._show_tail(ended=True)
        self._freeze(self.tail, [] if self._plain or not self._open_text else self._spans)
        self.tail = []
        self._open_text = ""
        self._code = None
        self._begun = None
        self._number = 0
        self._plain = False

    def resolved(self, block: Block) -> Block:
        """Return a block with the known definitions of the links and notes that it uses."""
        if not self.definitions or not isinstance(block, ProseText) or block.plain:
            return block
        used = labels_in(block.text)
        # A note's number depends on all notes before it, so a block with a note gets the definitions of all.
        has_notes = any(label.startswith("^") for label in used)
        known = [text for label, text in self.definitions.items() if label in used or (has_notes and label[0] == "^")]
        return replace(block, definitions="\n\n".join(known))

    def _only_longer(self, delta: str) -> bool:
        """Return whether `delta` leaves the blocks of the open text as they are, so that no parsing is needed."""
        return (
            self._code is None
            and not self._plain
            and bool(self._spans)
            and self._spans[-1].kind in _KINDS_OF_LINES
            # The summary of a fold and the title of a definition may go on in lines of words.
            and not self._open_text.startswith(("<", "["), self._open_text.rfind("\n\n") + 2)
            and len(self._open_text) + len(delta) <= self._longest_open()
            and not self._ends_in_inset()
            and continues_line(self._open_text, delta)
        )

    def _ends_in_inset(self) -> bool:
        """Return whether the last line of the open text belongs to an inset, or has words behind a result."""
        last_line = self._open_text.count("\n")
        return any(inset.end > last_line for inset in self._spans[-1].insets)

    def _longest_open(self) -> int:
        """Return how many characters the open text may have before it has to be cut or shown as plain text."""
        return LONG_TAIL if self._spans[-1].items else LONGEST_BLOCK

    def _only_a_row(self, delta: str) -> bool:
        """Return whether `delta` continues a row of a long table, which is not shown until it is complete."""
        if self._plain or not self._spans or "\n" in delta:
            return False
        span = self._spans[-1]
        line = self._open_text[self._open_text.rfind("\n") + 1 :] + delta
        return span.is_long_table and line.startswith("|") and span.end >= self._open_text.count("\n")

    def _freeze_ended(self) -> None:
        """Freeze all blocks of the open text that later text cannot change."""
        goes_on = bool(self._open_text)
        while goes_on:
            goes_on = self._freeze_ended_plain() if self._plain else self._freeze_ended_prose()
            goes_on = goes_on and bool(self._open_text)

    def _freeze_ended_prose(self) -> bool:
        """Freeze the blocks that later text cannot change; return True if the open text has to be read again."""
        self._spans = top_level(self._open_text, begun=self._begun)
        lines = _lines(self._open_text)
        if self._spans and self._freeze_inset(self._spans[0], lines):
            return True
        count = first_open(self._spans, lines)
        if count:
            done = self._spans[:count]
            self._open_text = "".join(lines[self._spans[count].start :])
            self._freeze(self._blocks_of(done, lines, ended=True), done)
            self._after = 0
            self._code = None
            self._begun = None
            self._number = 0
            return True
        if not self._spans:
            # There are only blank lines, the last of which may be the indent of a block.
            self._open_text = self._open_text[self._open_text.rfind("\n") + 1 :][:PART]
        elif self._cut(self._spans[-1], lines):
            return True
        self._plain = self._is_too_long()
        if self._plain and self._after:
            self._open_text = "".join(lines[self._spans[0].insets[self._after - 1].end :])
            self._after = 0
            self._number = 0
        return self._plain

    def _freeze_inset(self, span: Span, lines: list[str]) -> bool:
        """Freeze the first open inset, if it has ended, and the prose before it. Return whether it has ended."""
        if len(span.insets) <= self._after:
            return False
        inset = span.insets[self._after]
        if isinstance(inset, CodeSpan):
            return self._freeze_code(inset, span, lines)
        return self._freeze_result(inset, span, lines)

    def _freeze_result(self, result: ResultSpan, span: Span, lines: list[str]) -> bool:
        # A later underline can turn the lines of a definition into a heading.
        if span.kind == "dl_open" or not result.has_ended(lines):
            return False
        self._freeze(_prose_before(result, span, lines, self._after, self._number_of(span)))
        self._freeze([_fold_of(result, closed=True)])
        self._after += 1
        # Only its first and last lines stay: the lines between them would be parsed with each token.
        self._open_text = "".join(lines[: result.start + 1] + lines[max(result.start + 1, result.end - 1) :])
        return True

    def _freeze_code(self, code: CodeSpan, span: Span, lines: list[str]) -> bool:
        """Freeze a code block, if it has ended, and the prose before it. Return whether it has ended.

        The complete lines of a block that has not ended are moved out of the open text.
        """
        if not lines[code.start].endswith("\n") or not (code.fenced or not code.is_last):
            return False
        ended = not code.is_last or (code.has_fence_below and lines[code.end - 1].endswith("\n"))
        if self._code is None:
            self._freeze(_prose_before(code, span, lines, self._after, self._number_of(span)))
            self._code = _code_of(code, "", closed=False)
        complete_lines = code.content[: code.content.rfind("\n") + 1]
        for line in complete_lines.splitlines(keepends=True):
            self._add_code(line)
        first = code.start + 1
        # An indented block has no fence above it: its first line is code.
        code_begin = first if code.fenced else code.start
        below = lines[code_begin + complete_lines.count("\n") :]
        # A very long line is moved in pieces before it is complete.
        last_line = code.content[len(complete_lines) :]
        while length_with_pictures(last_line) > LONGEST_CODE:
            end = fitting(last_line, LONGEST_CODE)
            self._add_code(last_line[:end])
            below[0] = below[0][: len(below[0]) - len(last_line)] + last_line[end:]
            last_line = last_line[end:]
        if code.fenced:
            # Without its lines, code that has turned out to be no formula would be the beginning of one again.
            lines[code.start] = _FORMULA_FENCE.sub(r"\1 code", lines[code.start])
        if ended and code.begun is not None and not code.has_line_below:
            # Without its lines, the code would go on in those that follow.
            below.insert(0, closing_line(lines[code.start], code.begun.fences[0], code.quotes))
        self._open_text = "".join(lines[:first] + below)
        if not ended:
            self._begun = code.begun
            self._spans = top_level(self._open_text, begun=self._begun)
            return False
        self._freeze([replace(self._code, closed=True)])
        self._code = None
        self._begun = None
        self._after += 1
        if span.kind in ("fence", "code_block", "glued_open"):
            self._open_text = "".join(lines[span.end :])
            self._after = 0
        return True

    def _add_code(self, text: str) -> None:
        """Add to the code that was moved out of the text. Beyond LONGEST_CODE it continues in another block."""
        assert self._code is not None
        self._code = replace(self._code, text=self._code.text + text)
        if length_with_pictures(self._code.text) > LONGEST_CODE:
            self._freeze([replace(self._code, closed=True)])
            self._code = replace(self._code, text="")

    def _is_too_long(self) -> bool:
        """Return whether the open text is too long to be parsed and laid out again with each token."""
        if not self._spans:
            return False
        # Only the last span can grow.
        if self._spans[-1].kind == "paragraph_open":
            formulas = self._open_text.count("$") + self._open_text.count("\\(")
            signs = sum(self._open_text.count(sign) for sign in ("*", "_", "~", "`", "[", "<"))
            if formulas > MOST_DELIMITERS or signs > MOST_SIGNS:
                return True
        return weight(self._open_text) > LONGEST_BLOCK

    def _freeze_ended_plain(self) -> bool:
        """Freeze plain text in pieces; return True if it ended at a blank line."""
        while True:
            end = _BLANK_LINE.search(self._open_text, 0, LONG_PIECE + 1)
            if end is not None:
                self._freeze_plain(end.end())
                self._plain = False
                self._spans = []
                return True
            if weight(self._open_text) <= LONG_PIECE:
                return False
            self._freeze_plain(plain_end(self._open_text))

    def _freeze_plain(self, end: int) -> None:
        piece = self._open_text[:end]
        self._open_text = self._open_text[end:]
        if piece.strip():
            self.frozen.append(ProseText(piece, plain=True))

    def _freeze(self, blocks: Iterable[Block], spans: Sequence[Span] = ()) -> None:
        """Add finished blocks, the labels that they use, and the definitions in their `spans`."""
        for block in blocks:
            self.frozen.append(block)
            if isinstance(block, ProseText) and "[" in block.text:
                lines = _lines(block.text)
                for span in top_level(block.text):
                    self._used |= used_labels(span, lines)
        for span in spans:
            for text in span.definitions:
                for label in first_label(text):
                    self.definitions.setdefault(label, text)

    def _cut(self, span: Span, lines: list[str]) -> bool:
        """Freeze all but the last item of a long list, or the complete parts of a long table.

        Return whether anything was frozen or has to be read again.
        """
        if self._code is not None:
            return False
        if span.items and len(self._open_text) > LONG_TAIL:
            start = span.items[-1]
            above = sum(inset.start < start for inset in span.insets)
            if above > self._after:
                # It is a result in a quotation, which may go on in the line of the last item.
                return False
            if _has_prose(span, lines, above, start):
                number = self._number_of(span)
                self._freeze([ProseText("".join(lines[:start]), after=above, number=number)])
            self._number = (self._number or span.number) + len(span.items) if span.number else 0
            self._open_text = "".join(lines[start:])
            self._after -= above
            return True
        if span.kind != "table_open" or len(self._spans) > 1:
            return False
        *head, last = tables(lines[span.start : span.end])
        if not head:
            return False
        self._freeze(map(ProseText, head))
        self._open_text = last + "".join(lines[span.end :])
        return True

    def _number_of(self, span: Span) -> int:
        """Return `ProseText.number` for the first block of the open text."""
        return 0 if self._number == span.number else self._number

    def _show_tail(self, ended: bool = False) -> None:
        if self._plain:
            self.tail = [ProseText(self._open_text, plain=True)] if self._open_text.strip() else []
            return
        lines = _lines(self._open_text)
        self.tail = self._blocks_of(self._spans, lines, ended) if self._open_text else []
        last = self._spans[-1] if self._spans and not ended else None
        # The last line of a long table may be incomplete.
        if last and last.is_long_table and last.end == len(lines) and not lines[-1].endswith("\n"):
            self.tail[-1] = ProseText("".join(lines[last.start : -1]))

    def _blocks_of(self, spans: list[Span], lines: list[str], ended: bool) -> list[Block]:
        """Return the blocks of spans, the first of which may be frozen in part."""
        blocks: list[Block] = []
        used = set(self._used)
        for index, span in enumerate(spans):
            if span.kind == "comment" or span.is_begun_formula(lines):
                continue
            if span.kind in ("details_open", "echoed_result"):
                blocks += _top_level_fold("".join(lines[span.start : span.end]), span.closed)
            elif span.kind == "definitions":
                unused = [text for text in span.definitions if used.isdisjoint(first_label(text))]
                if unused:
                    blocks.append(ProseText("\n".join(unused)))
                used |= labels_in("\n".join(unused))
            elif span.kind == "table_open":
                blocks += map(ProseText, tables(lines[span.start : span.end]))
                used |= used_labels(span, lines)
            else:
                blocks += self._prose_and_insets(span, lines, ended, is_first=index == 0)
                used |= used_labels(span, lines)
        return blocks

    def _prose_and_insets(self, span: Span, lines: list[str], ended: bool, is_first: bool) -> list[Block]:
        """Return the prose and the insets of a span; if it is the first one, without the insets that are frozen."""
        blocks: list[Block] = []
        after = self._after if is_first else 0
        begun = self._code if is_first else None
        number = self._number_of(span) if is_first else 0
        for inset in span.insets[after:]:
            if begun is None:
                blocks += _prose_before(inset, span, lines, after, number)
            if isinstance(inset, ResultSpan):
                blocks.append(_fold_of(inset, closed=inset.closed or not inset.is_last))
            else:
                blocks.append(_open_code(inset, begun.text if begun else "", lines, ended))
            begun = None
            after += 1
        if _has_prose(span, lines, after, span.end):
            blocks.append(ProseText("".join(lines[span.start : span.end]), after=after, number=number))
        return blocks


def _top_level_fold(source: str, closed: bool) -> list[Block]:
    """Return a fold, and the paragraph that may follow it in its last line."""
    # Not imported before the parser, see `prepare_parser`.
    from app.text.echoed_results import parts_of_result

    parts = parts_of_result(source)
    if parts is None:
        return [Fold(source, closed)]
    fold = Fold(parts.source, closed)
    return [fold, ProseText(parts.after)] if parts.after.strip() else [fold]


def _fold_of(result: ResultSpan, *, closed: bool) -> Fold:
    return Fold(result.source, closed, result.lists, result.quotes)


def _prose_before(inset: Inset, span: Span, lines: list[str], after: int, number: int) -> list[Block]:
    """Return the prose between an inset and the one before it, as one block or none.

    The block has the first line of the inset, too: the mark of an item may be in that line.
    """
    is_marked = isinstance(inset, ResultSpan) or inset.fenced
    begins_item = is_marked and not _LONE_MARK.match(lines[inset.start])
    if not begins_item and not _has_prose(span, lines, after, inset.start):
        return []
    return [ProseText("".join(lines[span.start : inset.start + 1]), after=after, number=number)]


def _open_code(code: CodeSpan, begun: str, lines: list[str], ended: bool) -> Code:
    """Return a code block whose first lines, `begun`, were moved out of the text."""
    words = code.content
    if not ended and code.may_end(lines):
        words = words[: words.rfind("\n") + 1]
    closed = not code.is_last or (ended and (code.has_fence_below or not code.fenced))
    return _code_of(code, begun + words, closed)


def _code_of(code: CodeSpan, text: str, closed: bool) -> Code:
    return Code(text, (code.info.split() or [""])[0], closed, code.lists, code.quotes)


def _has_prose(span: Span, lines: list[str], after: int, end: int) -> bool:
    """Return whether there is prose before line `end`, below the last of the first `after` insets if there are any."""
    above = span.insets[after - 1] if after else None
    first = span.start if above is None else above.end
    return (above is not None and above.has_words_below) or _has_words(lines[first:end])


def _has_words(lines: list[str]) -> bool:
    return bool("".join(lines).strip("> \t\n"))


def continues_line(text: str, delta: str) -> bool:
    """Return whether the last line of `text` consists of words, and `delta` does not change its kind."""
    line = text[text.rfind("\n") + 1 :]
    return len(line.strip()) > LONGEST_UNCERTAIN_LINE and delta.isprintable() and _LINE_OF_WORDS.match(line) is not None


def _lines(text: str) -> list[str]:
    r"""Split a text into lines with their ends; as in the parser, only "\n" ends one."""
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]
