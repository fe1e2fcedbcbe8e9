"""The top-level blocks of a text by their lines, and the code, results and definitions in them. No Qt in here."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from app.text.fences import BegunCode
from app.text.formulas import LONGEST

if TYPE_CHECKING:
    from markdown_it.token import Token

# More text cannot change the kind of a longer line of words, in characters: the number of an item has nine digits.
LONGEST_UNCERTAIN_LINE = 10
# A line that begins a formula, if its end follows.
_FORMULA_BEGIN = re.compile(r"[ >]*(?:\\begin\{|\\\[|\$\$)")
# In a table of more lines than this, a row is shown when it is complete, because the whole table is laid out again.
_LONG_TABLE = 12


@dataclass(frozen=True)
class CodeSpan:
    """A code block in a span. `is_last` says whether nothing follows it in the open text.

    For code between fences, `begun` is what its complete lines say about more of them. `has_fence_below` says whether a
    fence closes it, and `has_line_below` whether that has a line of its own.
    """

    start: int
    end: int
    content: str
    info: str
    begun: BegunCode | None
    has_fence_below: bool
    has_line_below: bool
    lists: int
    quotes: int
    is_last: bool = False

    @property
    def fenced(self) -> bool:
        return self.begun is not None

    @property
    def has_words_below(self) -> bool:
        """Whether words follow it in its last line; never, unlike after a `ResultSpan`."""
        return False

    def may_end(self, lines: list[str]) -> bool:
        """Return whether the last line of the text may become the fence below, and should not be shown yet."""
        signs = set(self.content[self.content.rfind("\n") + 1 :].strip())
        return self.is_last and self.fenced and signs in ({"`"}, {"~"}) and not lines[-1].endswith("\n")


@dataclass(frozen=True)
class ResultSpan:
    """A tool's result in a list or a quotation, which the model repeats (see the module echoed_results).

    `source` has the marks of the result, but not the marks of lists and quotations around it. `closed` says whether the
    end mark is there, and `has_words_below` whether words follow the end mark in its line. `is_last` says whether
    nothing follows the result in the open text.
    """

    start: int
    end: int
    source: str
    closed: bool
    has_words_below: bool
    lists: int
    quotes: int
    is_last: bool = False

    def has_ended(self, lines: list[str]) -> bool:
        """Return whether more text cannot change it: the line that ends it, or the first line below it, is complete.

        After a line in it that begins a formula this is never so: the formula's end may still come.
        """
        line = self.end - 1 if self.closed else self.end
        if line >= len(lines) or not lines[line].endswith("\n"):
            return False
        return not any(_FORMULA_BEGIN.match(below) for below in lines[self.start + 1 : line + 1])


# A part of a span that is shown as a block of its own.
Inset = CodeSpan | ResultSpan


@dataclass(frozen=True)
class Span:
    """A top-level block of the open text: its kind, its lines, and its insets and definitions.

    `start` is its first line and `end` the line after it. `items` are the first lines of a list's items but the first.
    `closed` says whether the end of a fold, its summary, a formula or a comment has been read. `number` is the number
    of the first item of a numbered list, else 0.
    """

    kind: str
    start: int
    end: int
    items: tuple[int, ...] = ()
    insets: tuple[Inset, ...] = ()
    definitions: tuple[str, ...] = ()
    closed: bool = True
    number: int = 0

    @property
    def is_long_table(self) -> bool:
        return self.kind == "table_open" and self.end - self.start > _LONG_TABLE

    def is_begun_formula(self, lines: list[str]) -> bool:
        """Return whether it is a displayed formula that is being written, whose LaTeX nobody wants to see."""
        begun = self.kind == "formula_open" and not self.closed
        return begun and len("".join(lines[self.start : self.end])) <= LONGEST


def top_level(text: str, goes_on: bool = True, begun: BegunCode | None = None) -> list[Span]:
    """Return the top-level blocks of a text; `goes_on` says whether more text may come.

    `begun` is the code in it whose first lines were moved out of the text.
    """
    # Imported with the first answer that is shown, because it would delay the window.
    from app.text.markdown import parse_blocks

    reader = _SpanReader()
    for token in parse_blocks(text, goes_on, begun):
        reader.read(token)
    return reader.spans_at_end()


class _SpanReader:
    """Reads the tokens of a text into its top-level blocks."""

    def __init__(self) -> None:
        self._spans: list[Span] = []
        # The token that opened the present block; None between blocks.
        self._opened: Token | None = None
        # The lines of items, the insets and the definitions in the present block.
        self._items: list[int] = []
        self._insets: list[Inset] = []
        self._definitions: list[str] = []
        # How many lists and quotations are open.
        self._lists = 0
        self._quotes = 0
        # Whether nothing but the ends of blocks has followed the last inset.
        self._ends_in_inset = False

    def read(self, token: Token) -> None:
        """Read the next token."""
        if token.level == 0 and token.map and token.nesting >= 0:
            self._opened = token
            self._items = []
            self._insets = []
            self._definitions = []
        if token.level == 1 and token.type == "list_item_open" and token.map:
            self._items.append(token.map[0])
        if token.tag in ("ul", "ol", "dd"):
            self._lists += token.nesting
        if token.type.startswith(("blockquote", "alert_o", "alert_c")):
            self._quotes += token.nesting
        self._add_content(token)
        if self._opened is not None and token.level == 0 and token.nesting <= 0:
            self._end_span(self._opened)

    def _add_content(self, token: Token) -> None:
        """Add the inset or the definitions of a token to the present block."""
        inset = self._inset_of(token) if token.map else None
        self._ends_in_inset = inset is not None or (self._ends_in_inset and token.nesting < 0)
        if inset is not None:
            self._insets.append(inset)
        elif token.type == "definitions":
            self._definitions += [text for _, text in token.meta["definitions"]]
        elif token.type == "footnote_reference_open":
            self._definitions.append(f"[^{token.meta['label']}]: .")

    def _inset_of(self, token: Token) -> Inset | None:
        """Return the code or the result of a token; None for other tokens, and for a result that is a block itself."""
        assert token.map
        first, end = token.map
        if token.type in ("fence", "code_block"):
            begun = token.meta.get("begun")
            has_fence = token.meta.get("closed", False)
            has_line = token.meta.get("has_own_line", False)
            content = token.content
            return CodeSpan(first, end, content, token.info, begun, has_fence, has_line, self._lists, self._quotes)
        if token.type == "echoed_result" and token.level:
            is_closed = token.meta["closed"]
            has_words = token.meta["has_words_after"]
            return ResultSpan(first, end, token.content, is_closed, has_words, self._lists, self._quotes)
        return None

    def _end_span(self, opened: Token) -> None:
        self._spans.append(_span_of(opened, self._items, self._insets, self._definitions))
        self._opened = None

    def spans_at_end(self) -> list[Span]:
        """Return all blocks, after the last token; a block that has no end is not closed."""
        if self._opened is not None:
            self._end_span(self._opened)
            self._spans[-1] = replace(self._spans[-1], closed=False)
        if self._ends_in_inset and self._spans[-1].insets:
            *before, last = self._spans[-1].insets
            self._spans[-1] = replace(self._spans[-1], insets=(*before, replace(last, is_last=True)))
        return self._spans


def _span_of(token: Token, items: list[int], insets: list[Inset], definitions: list[str]) -> Span:
    assert token.map
    inside = () if token.type == "details_open" else tuple(insets)
    closed = token.meta.get("closed", True)
    number = int(token.attrs.get("start", 1)) if token.type == "ordered_list_open" else 0
    return Span(token.type, token.map[0], token.map[1], tuple(items[1:]), inside, tuple(definitions), closed, number)


# How the title of a link begins.
_TITLE_SIGNS = ('"', "'", "(")


def first_open(spans: list[Span], lines: list[str]) -> int:
    """Return the index of the first block that later text may still change.

    The last block is open. The one before it is closed once it is certain that the last one is a block of its own. A
    line below terms may be another term.
    """
    if len(spans) < 2:
        return 0
    first = len(spans) - 1 if _is_certain(spans[-2], spans[-1], lines) else len(spans) - 2
    last = spans[first]
    below = "".join(lines[last.start + 1 : last.end]).strip()
    may_be_term = below in ("", ":", "~")
    return first - 1 if first and may_be_term and spans[first - 1].kind == "dl_open" else first


def _is_certain(above: Span, last: Span, lines: list[str]) -> bool:
    """Return whether the last block cannot become a part of the one above it.

    A few more characters may make its first line one of that block ("2" becoming "2. two"). A rule or a fence may go on
    as words ("___" becoming "___bold___", "```x" becoming "```x``` and"), and so may a formula or a comment until words
    can no longer follow its end. A table with a wrong number of columns in its second line is none. Below the address of
    a link may stand its title, of several lines.
    """
    first_line = lines[last.start]
    is_whole = first_line.endswith("\n")
    if last.kind in ("hr", "fence"):
        return is_whole
    if lines[last.start - 1].strip():
        if last.kind in ("formula_open", "comment", "begun_fold_open"):
            return last.closed and lines[last.end - 1].endswith("\n")
        if last.kind == "table_open":
            return lines[last.start + 1].endswith("\n")
        if above.kind == "definitions" and first_line.lstrip().startswith(("[", *_TITLE_SIGNS)):
            return False
    return is_whole or len(first_line.strip()) > LONGEST_UNCERTAIN_LINE
