"""What a Markdown text shows: paragraphs with their places in lists and quotes, and their text in spans of one style.

Documents and plain texts are written from it. No Qt in here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING

from app.text.formulas import Formula

if TYPE_CHECKING:
    from markdown_it.token import Token

# Stands for a formula, as in Qt's documents.
OBJECT = "\ufffc"
# Separators and the signs that documents keep for themselves.
_BREAKS = {"softbreak": " ", "hardbreak": "\n"}
_SIGNS = str.maketrans("\u2028\u2029\r\ufffc\ufdd0\ufdd1", "\n\n \ufffd\ufffd\ufffd")


@dataclass(frozen=True, slots=True)
class TextSpan:
    """Text of one style, which consists of "strong", "em", "s", "code" and "pre". The text may contain line breaks."""

    text: str
    style: frozenset[str] = frozenset()
    link: str = ""
    formula: Formula | None = None


Spans = tuple[TextSpan, ...]


@dataclass(eq=False, slots=True)
class OpenList:
    """A list of `count` items so far; `start` is the number of the first one, None in a list without numbers."""

    start: int | None
    suffix: str
    count: int = 0

    def next_mark(self) -> str:
        self.count += 1
        return "•" if self.start is None else f"{self.start + self.count - 1}{self.suffix}"


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph of the kind "p", "h1" to "h6", "code", "hr", "formula", or "table", which has rows of cells.

    `lists` are those around it, and `mark` is that of the item that begins with it, "" if none does.
    """

    kind: str
    spans: Spans = ()
    quotes: int = 0
    lists: tuple[OpenList, ...] = ()
    mark: str = ""
    rows: tuple[tuple[Spans, ...], ...] = ()
    aligns: tuple[str, ...] = ()


def shown(markdown: str, plain: bool = False) -> list[Paragraph]:
    """Return the paragraphs of a text, or its lines if it is `plain`."""
    if plain:
        return [Paragraph("p", (TextSpan(line.translate(_SIGNS)),)) for line in markdown.strip("\n").split("\n")]
    # Imports the parser, which the first shown text needs.
    from app.text.markdown import PARSER

    reader = _ParagraphReader()
    reader.read(PARSER.parse(markdown))
    return reader.paragraphs or [Paragraph("p")]


def document_text(paragraphs: Sequence[Paragraph]) -> str:
    """Return the text of a document with these paragraphs, with OBJECT for each formula."""
    # A document has empty lines below each table, and above one that it begins with.
    lines = [""] if paragraphs[0].rows else []
    for paragraph in paragraphs:
        lines += [words_of(spans, lambda _: OBJECT) for spans in texts_of(paragraph)] + [""] * bool(paragraph.rows)
    return "\n".join(lines).replace("\xa0", " ")


def texts_of(paragraph: Paragraph) -> list[Spans]:
    """Return the text of a paragraph, or those of the cells of a table."""
    return [cell for row in paragraph.rows for cell in row] if paragraph.rows else [paragraph.spans]


def words_of(spans: Spans, of_formula: Callable[[Formula], str] = lambda formula: formula.latex) -> str:
    """Return the text of spans, with formulas as LaTeX or as `of_formula` says."""
    return "".join(span.text if span.formula is None else of_formula(span.formula) for span in spans)


class _ParagraphReader:
    """Reads tokens into paragraphs."""

    def __init__(self) -> None:
        self.paragraphs: list[Paragraph] = []
        self._kind, self._quotes = "p", 0
        self._lists: list[OpenList] = []
        # The mark of an item that has no paragraph yet.
        self._mark = ""
        self._rows: list[list[Spans]] = []
        self._aligns: list[str] = []

    def read(self, tokens: Iterable[Token]) -> None:
        for token in tokens:
            match token.type:
                case "bullet_list_open" | "ordered_list_open":
                    self._begin_item()
                    start = int(token.attrs.get("start", 1)) if token.tag == "ol" else None
                    self._lists.append(OpenList(start, token.markup))
                case "bullet_list_close" | "ordered_list_close":
                    self._lists.pop()
                case "list_item_open":
                    self._mark = self._lists[-1].next_mark()
                case "list_item_close":
                    self._begin_item()
                case "blockquote_open" | "blockquote_close":
                    self._quotes += token.nesting
                case "heading_open" | "paragraph_open" | "formula_open":
                    self._kind = token.tag
                case "fence" | "code_block":
                    text = token.content.removesuffix("\n").translate(_SIGNS)
                    self._add("code", (TextSpan(text, frozenset(("pre",))),))
                case "hr":
                    self._add("hr")
                case "table_open":
                    self._begin_item()
                case "tr_open":
                    self._rows.append([])
                    self._aligns = []
                case "th_open" | "td_open":
                    self._aligns.append(str(token.attrs.get("style", "")).removeprefix("text-align:"))
                case "table_close":
                    self._add("table")
                    self._rows, self._aligns = [], []
                case "inline":
                    self._add_text(token.children or [])

    def _begin_item(self) -> None:
        """Add the empty paragraph of an item that has no text of its own."""
        if self._mark:
            self._add("p")

    def _add(self, kind: str, spans: Spans = ()) -> None:
        rows, aligns = tuple(map(tuple, self._rows)), tuple(self._aligns)
        self.paragraphs.append(Paragraph(kind, spans, self._quotes, tuple(self._lists), self._mark, rows, aligns))
        self._mark = ""

    def _add_text(self, tokens: list[Token]) -> None:
        """Add a cell, or a paragraph, where each display formula is one of its own."""
        spans = _joined(_spans(tokens))
        if self._rows:
            self._rows[-1].append(spans)
            return
        if tokens and tokens[0].type == "task":
            self._mark = tokens[0].content
        if not any(map(_is_display, spans)):
            self._add(self._kind, spans)
            return
        for is_display, some in groupby(spans, _is_display):
            if is_display:
                for span in some:
                    self._add("formula", (span,))
            elif words_of(text := tuple(some)).strip():
                text = (replace(text[0], text=text[0].text.lstrip(" ")), *text[1:])
                self._add(self._kind, (*text[:-1], replace(text[-1], text=text[-1].text.rstrip(" "))))


def _is_display(span: TextSpan) -> bool:
    return span.formula is not None and span.formula.display


def _spans(tokens: Iterable[Token], link: str = "", style: Sequence[str] = ()) -> Iterator[TextSpan]:
    tags = [*style]
    for token in tokens:
        if token.tag == "a":
            link = str(token.attrs.get("href", ""))
        elif token.nesting:
            (tags.append if token.nesting > 0 else tags.remove)(token.tag)
        elif token.type == "image":
            # Pictures are never fetched; their names lead to them.
            yield from _spans(token.children or [], str(token.attrs["src"]), tags)
        elif token.type == "formula":
            yield TextSpan("", frozenset(tags), link, token.meta["formula"])
        elif token.type != "task":
            text = _BREAKS.get(token.type) or token.content.translate(_SIGNS)
            yield TextSpan(text, frozenset(tags + ["code"] * (token.tag == "code")), link)


def _joined(spans: Iterable[TextSpan]) -> Spans:
    """Join neighbours of the same style."""
    joined: list[TextSpan] = []
    for span in spans:
        last = joined[-1] if joined else None
        if last and not (last.formula or span.formula) and (last.style, last.link) == (span.style, span.link):
            joined[-1] = replace(last, text=last.text + span.text)
        elif span.text or span.formula:
            joined.append(span)
    return tuple(joined)
