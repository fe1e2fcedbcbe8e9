"""Splits streaming Markdown into finished blocks, which never change again, and the open tail. No Qt in here.

New text makes only the tail be parsed again, so that a token costs the same in a long answer. The tail is bounded: a
longer block that cannot be cut becomes plain text until the next blank line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from app.text.fences import OpenBlock
from app.text.pieces import (
    LONG_PARAGRAPH,
    fitting,
    length_with_pictures,
    pieces_of,
    plain_end,
    weight,
)

if TYPE_CHECKING:
    from markdown_it.token import Token

# A list longer than this many characters is cut between its items.
LONG_TAIL = 1000
# In a table of more lines than this, a row is shown when it is complete, because the whole table is laid out again.
_LONG_TABLE = 12
# More text cannot change the kind of a line with more characters than this.
_SETTLED = 8
_WORDS = re.compile(r" *(?:(?:[-+*]|\d{1,9}[.)]) +)?[^\W\d_]")
_CUT_KINDS = ("paragraph_open", "table_open")
_KINDS_OF_LINES = ("paragraph_open", "bullet_list_open", "ordered_list_open", "table_open")

# PART characters are parsed at once. An open block that weighs more than LONGEST_BLOCK becomes plain text, and so does
# a paragraph of more than LONGEST_PARAGRAPH characters that cannot be cut.
PART = 2000
LONGEST_BLOCK = 20_000
LONGEST_PARAGRAPH = 6000
# Above this number of delimiters of formulas, a paragraph becomes plain text: setting all formulas takes too long.
MOST_DELIMITERS = 400
# A code block continues in another one after this many characters.
LONGEST_CODE = 30_000
_BLANK_LINE = re.compile(r"(?:\A|\n)[ \t]*\n")


def prepare_parser() -> None:
    """Import the parser, so that the first text does not wait for it."""
    _block_tokens("")


def _block_tokens(text: str) -> list[Token]:
    # Imported with the first answer that is shown, because it would delay the window.
    from app.text.markdown import parse_blocks

    return parse_blocks(text)


@dataclass(frozen=True)
class ProseText:
    """Markdown outside of code blocks; if `plain`, it is too long to parse and is shown as plain text."""

    text: str
    plain: bool = False


@dataclass(frozen=True)
class Code:
    """A code block. `closed` says whether it has ended; `language` is the first word after the fence."""

    text: str
    language: str = ""
    closed: bool = False


Block = ProseText | Code


class Splitter:
    """Splits text as it arrives. `frozen` only grows; the blocks in `tail` may still change."""

    def __init__(self) -> None:
        self.frozen: list[Block] = []
        self.tail: list[Block] = []
        self._open = ""
        # A carriage return at the end of the text, whose line feed may still come.
        self._return = ""
        self._spans: list[_Span] = []
        self._fence: OpenBlock | None = None
        # Length of the open code block, as `length_with_pictures` counts.
        self._code_length = 0
        self._plain = False

    def feed(self, delta: str) -> None:
        """Add text with line ends of any kind; in the blocks they are line feeds."""
        delta = self._return + delta
        self._return = "\r" if delta.endswith("\r") else ""
        delta = delta.removesuffix("\r").replace("\r\n", "\n").replace("\r", "\n")
        for start in range(0, len(delta), PART):
            part = delta[start : start + PART]
            longer = self._only_longer(part) or self._only_a_row(part)
            self._open += part
            if not longer:
                self._settle()
            self._show_tail()

    def finish(self) -> None:
        """Freeze everything, because no more text comes."""
        self.feed("\n" if self._return else "")
        self._settle()
        self._show_tail(ended=True)
        if self._plain or self._fence is not None:
            self.frozen.extend(self.tail)
        else:
            self._freeze(self._spans if self._open else [], _lines(self._open))
        self.tail, self._open, self._fence, self._plain = [], "", None, False

    def _only_longer(self, delta: str) -> bool:
        """Return whether `delta` leaves the blocks of the open text as they are, so that no parsing is needed."""
        return (
            self._fence is None
            and not self._plain
            and bool(self._spans)
            and self._spans[-1].kind in _KINDS_OF_LINES
            and len(self._open) + len(delta) <= (LONG_PARAGRAPH if self._spans[-1].kind in _CUT_KINDS else LONG_TAIL)
            and continues_line(self._open, delta)
        )

    def _only_a_row(self, delta: str) -> bool:
        """Return whether `delta` continues a row of a long table, which is not shown until it is complete."""
        if self._fence is not None or self._plain or not self._spans or "\n" in delta:
            return False
        span, line = self._spans[-1], self._open[self._open.rfind("\n") + 1 :] + delta
        return span.is_long_table and line.startswith("|") and span.end >= self._open.count("\n")

    def _settle(self) -> None:
        while self._open and self._settle_once():
            pass

    def _settle_once(self) -> bool:
        """Freeze finished blocks; return True if the rest has to be read in another mode."""
        if self._fence is not None:
            return self._settle_code()
        return self._settle_plain() if self._plain else self._settle_prose()

    def _settle_prose(self) -> bool:
        """Freeze finished blocks; return True if the tail is now a code block or plain text."""
        spans, lines = _top_level(self._open), _lines(self._open)
        keep = _first_open(spans, lines)
        self._freeze(spans[:keep], lines)
        self._spans = spans[keep:]
        # The text of a code block has to begin with its fence, without blank lines before it.
        if self._spans and (keep or self._spans[0].kind == "fence"):
            first_line = self._spans[0].start
            self._open = "".join(lines[first_line:])
            self._spans = [span.moved_up(first_line) for span in self._spans]
        if self._spans and self._spans[0].kind == "fence" and "\n" in self._open:
            opening, self._open = self._open.split("\n", 1)
            self._fence, self._code_length = OpenBlock.of(opening), 0
            return True
        if self._spans:
            self._cut(self._spans[-1])
        else:
            # Only blank lines, the last of which may be the indent of a block.
            self._open = self._open[self._open.rfind("\n") + 1 :][:PART]
        self._plain = self._is_too_long()
        return self._plain

    def _is_too_long(self) -> bool:
        """Return whether parsing and laying out the open text again with each token would take too long."""
        if not self._spans:
            return False
        is_paragraph = self._spans[-1].kind == "paragraph_open"
        if is_paragraph and sum(map(self._open.count, ("$", "\\("))) > MOST_DELIMITERS:
            return True
        longest = LONGEST_PARAGRAPH if is_paragraph else LONGEST_BLOCK
        return len(self._open) > longest or weight(self._open) > LONGEST_BLOCK

    def _settle_plain(self) -> bool:
        """Freeze plain text in pieces; return True if it ended at a blank line."""
        while True:
            end = _BLANK_LINE.search(self._open, 0, LONG_PARAGRAPH + 1)
            if end is not None:
                self._freeze_plain(end.end())
                self._plain, self._spans = False, []
                return True
            if weight(self._open) <= LONG_PARAGRAPH:
                return False
            self._freeze_plain(plain_end(self._open))

    def _freeze_plain(self, end: int) -> None:
        piece, self._open = self._open[:end], self._open[end:]
        if piece.strip():
            self.frozen.append(ProseText(piece, plain=True))

    def _settle_code(self) -> bool:
        """Read complete lines into the open code block; return True if it closed."""
        fence = self._fence
        assert fence is not None
        *lines, self._open = self._open.split("\n")
        for index, line in enumerate(lines):
            if fence.closes(line):
                self.frozen.append(Code(fence.content, fence.language, closed=True))
                self._fence = None
                self._open = "\n".join([*lines[index + 1 :], self._open])
                return True
            fence.content += fence.dedented(line) + "\n"
            self._code_length += length_with_pictures(line) + 1
            if self._code_length > LONGEST_CODE:
                self._freeze_code(fence)
        while length_with_pictures(self._open) > LONGEST_CODE:
            end = fitting(self._open, LONGEST_CODE)
            fence.content, self._open = fence.content + fence.dedented(self._open[:end]), self._open[end:]
            self._freeze_code(fence)
        return False

    def _freeze_code(self, fence: OpenBlock) -> None:
        """Continue in another code block, because all of one is laid out again when it comes near the view."""
        self.frozen.append(Code(fence.content, fence.language, closed=True))
        fence.content, self._code_length = "", 0

    def _freeze(self, spans: list[_Span], lines: list[str]) -> None:
        for span in spans:
            if span.kind in _CUT_KINDS:
                self.frozen.extend(map(ProseText, pieces_of(span.kind, lines[span.start : span.end])))
            else:
                self.frozen.append(_block_of(span, lines))

    def _cut(self, span: _Span) -> None:
        """Freeze all but the last item of a long open list, or all but the last piece of another block."""
        lines = _lines(self._open)
        if span.items and len(self._open) > LONG_TAIL:
            pieces = ["".join(lines[: span.items[-1]]), "".join(lines[span.items[-1] :])]
        elif len(self._spans) == 1 and span.kind in _CUT_KINDS:
            pieces = pieces_of(span.kind, lines[span.start : span.end])
            pieces[-1] += "".join(lines[span.end :])
        else:
            return
        if len(pieces) > 1:
            *head, self._open = pieces
            self.frozen.extend(map(ProseText, head))
            self._spans = _top_level(self._open)

    def _show_tail(self, ended: bool = False) -> None:
        if self._plain:
            self.tail = [ProseText(self._open, plain=True)] if self._open.strip() else []
            return
        if self._fence is None:
            lines = _lines(self._open)
            # A fence in these spans is one whose first line is not complete yet.
            self.tail = [_block_of(span, lines, ended) for span in self._spans] if self._open else []
            last = self._spans[-1] if self._spans and not ended else None
            # The last line of a long table may be incomplete.
            if last and last.is_long_table and last.end == len(lines) and not lines[-1].endswith("\n"):
                self.tail[-1] = ProseText("".join(lines[self._spans[-1].start : -1]))
            return
        rest = "" if self._fence.may_close(self._open) else self._fence.dedented(self._open)
        closed = ended and self._fence.closes(self._open)
        self.tail = [Code(self._fence.content + rest, self._fence.language, closed)]


def continues_line(text: str, delta: str) -> bool:
    """Return whether the last line of `text` consists of words, and `delta` does not change its kind."""
    line = text[text.rfind("\n") + 1 :]
    return len(line.strip()) > _SETTLED and delta.isprintable() and _WORDS.match(line) is not None


@dataclass(frozen=True)
class _Span:
    kind: str
    start: int
    end: int
    items: tuple[int, ...] = ()
    info: str = ""
    content: str = ""

    @property
    def is_long_table(self) -> bool:
        return self.kind == "table_open" and self.end - self.start > _LONG_TABLE

    def moved_up(self, lines: int) -> _Span:
        items = tuple(item - lines for item in self.items)
        return replace(self, start=self.start - lines, end=self.end - lines, items=items)


def _top_level(text: str) -> list[_Span]:
    """Return the top-level blocks of a text with their lines and, for lists, the first lines of items but the first."""
    spans: list[_Span] = []
    items: list[int] = []
    opened: tuple[str, int, int] | None = None
    for token in _block_tokens(text):
        if token.level == 1 and token.type == "list_item_open" and token.map:
            items.append(token.map[0])
        if token.level != 0:
            continue
        if token.map and token.nesting == 1:
            opened, items = (token.type, token.map[0], token.map[1]), []
        elif token.map and token.nesting == 0:
            spans.append(_Span(token.type, token.map[0], token.map[1], (), token.info, token.content))
        elif token.nesting == -1 and opened:
            spans.append(_Span(*opened, items=tuple(items[1:])))
            opened = None
    return spans


def _lines(text: str) -> list[str]:
    """Split a text into lines with their ends; as in the parser, only "\n" ends one."""
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _first_open(spans: list[_Span], lines: list[str]) -> int:
    """Return the index of the first block that later text may still change.

    The last block is open. The one before it is closed once the last one's first line is complete: until then, a few
    more characters could make that line part of it ("2" becoming "2. two").
    """
    if len(spans) < 2:
        return 0
    first_line = lines[spans[-1].start]
    settled = first_line.endswith("\n") or len(first_line.strip()) > _SETTLED
    return len(spans) - 1 if settled else len(spans) - 2


def _block_of(span: _Span, lines: list[str], closed: bool = True) -> Block:
    if span.kind in ("fence", "code_block"):
        return Code(span.content, span.info.split()[0] if span.info.split() else "", closed)
    return ProseText("".join(lines[span.start : span.end]))
