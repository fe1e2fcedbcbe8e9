"""What a Markdown text shows: paragraphs with their places in lists and quotes, and their text in spans of one style.

Documents and plain texts are written from it. No Qt in here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from app.text.formulas import Formula

if TYPE_CHECKING:
    from markdown_it.token import Token

# Stands for a formula, as in Qt's documents.
OBJECT = "\ufffc"
# Separators and the signs that documents keep for themselves.
_SIGNS = str.maketrans("\u2028\u2029\r\ufffc\ufdd0\ufdd1", "\n\n \ufffd\ufffd\ufffd")


@dataclass(frozen=True, slots=True)
class Span:
    """Text of one style, which consists of "strong", "em", "s" and "code". The text may contain line breaks."""

    text: str
    style: frozenset[str] = frozenset()
    link: str = ""
    formula: Formula | None = None


Spans = tuple[Span, ...]


@dataclass(eq=False, slots=True)
class Items:
    """A list; `number` is that of its next item, None in a list without numbers."""

    number: int | None
    suffix: str

    def next_mark(self) -> str:
        if self.number is None:
            return "•"
        self.number += 1
        return f"{self.number - 1}{self.suffix}"


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph of the kind "p", "h1" to "h6", "code", "hr", "formula", or "table", which has rows of cells.

    `lists` are those around it, and `mark` is that of the item that begins with it, "" if none does.
    """

    kind: str
    spans: Spans = ()
    quotes: int = 0
    lists: tuple[Items, ...] = ()
    mark: str = ""
    rows: tuple[tuple[Spans, ...], ...] = ()
    aligns: tuple[str, ...] = ()


def shown(markdown: str, plain: bool = False) -> list[Paragraph]:
    """Return the paragraphs of a text, or its lines if it is `plain`."""
    if plain:
        return [Paragraph("p", (Span(line.translate(_SIGNS)),)) for line in markdown.strip("\n").split("\n")]
    # Imports the parser, which the first shown text needs.
    from app.text.markdown import PARSER

    reader = _Reader()
    reader.read(PARSER.parse(markdown))
    return reader.paragraphs or [Paragraph("p")]


def shown_text(paragraphs: Sequence[Paragraph]) -> str:
    """Return the text of a document with these paragraphs, with OBJECT for each formula."""
    lines: list[str] = []
    after_table = True
    for paragraph in paragraphs:
        # A document has an empty line before a table without text above it, and below the last one.
        lines += [""] * (after_table and paragraph.kind == "table")
        lines += [words_of(spans, lambda _: OBJECT) for spans in texts_of(paragraph)]
        after_table = paragraph.kind == "table"
    return "\n".join(lines + [""] * after_table).replace("\xa0", " ")


def texts_of(paragraph: Paragraph) -> list[Spans]:
    """Return the text of a paragraph, or those of the cells of a table."""
    return [cell for row in paragraph.rows for cell in row] if paragraph.rows else [paragraph.spans]


def words_of(spans: Spans, of_formula: Callable[[Formula], str] = lambda formula: formula.latex) -> str:
    """Return the text of spans, with formulas as LaTeX or as `of_formula` says."""
    return "".join(span.text if span.formula is None else of_formula(span.formula) for span in spans)


@dataclass
class _Reader:
    """Reads tokens into paragraphs."""

    paragraphs: list[Paragraph] = field(default_factory=list)
    kind: str = "p"
    quotes: int = 0
    lists: list[Items] = field(default_factory=list)
    # The mark of an item that has no paragraph yet.
    mark: str = ""
    rows: list[list[Spans]] = field(default_factory=list)
    aligns: list[str] = field(default_factory=list)

    def read(self, tokens: Iterable[Token]) -> None:
        for token in tokens:
            match token.type:
                case "bullet_list_open" | "ordered_list_open":
                    self._begin_item()
                    number = int(token.attrs.get("start", 1)) if token.tag == "ol" else None
                    self.lists.append(Items(number, token.markup))
                case "bullet_list_close" | "ordered_list_close":
                    self.lists.pop()
                case "list_item_open":
                    self.mark = self.lists[-1].next_mark()
                case "list_item_close":
                    self._begin_item()
                case "blockquote_open" | "blockquote_close":
                    self.quotes += token.nesting
                case "heading_open" | "paragraph_open" | "formula_open":
                    self.kind = token.tag
                case "fence" | "code_block":
                    text = token.content.removesuffix("\n").translate(_SIGNS)
                    self._add(Paragraph("code", (Span(text, frozenset(("code",))),)))
                case "hr":
                    self._add(Paragraph("hr"))
                case "table_open":
                    self._begin_item()
                case "tr_open":
                    self.rows.append([])
                    self.aligns = []
                case "th_open" | "td_open":
                    self.aligns.append(str(token.attrs.get("style", "")).removeprefix("text-align:"))
                case "table_close":
                    rows = tuple(map(tuple, self.rows))
                    self._add(Paragraph("table", rows=rows, aligns=tuple(self.aligns)))
                    self.rows = []
                case "inline" if self.rows:
                    self.rows[-1].append(_joined(_spans(token.children or [])))
                case "inline":
                    self._add_text(_joined(_spans(token.children or [])), token)

    def _begin_item(self) -> None:
        """Add the empty paragraph of an item that has no text of its own."""
        if self.mark:
            self._add(Paragraph("p"))

    def _add(self, paragraph: Paragraph) -> None:
        placed = replace(paragraph, quotes=self.quotes, lists=tuple(self.lists), mark=self.mark)
        self.paragraphs.append(placed)
        self.mark = ""

    def _add_text(self, spans: Spans, inline: Token) -> None:
        """Add a paragraph. Each display formula in it is one of its own."""
        if inline.children and inline.children[0].type == "task":
            self.mark = inline.children[0].content
        text: list[Span] = []
        for span in (*spans, None):
            if span is not None and not (span.formula and span.formula.display):
                text.append(replace(span, text=span.text.lstrip()) if not text and spans[0] is not span else span)
                continue
            if text and span is not None:
                text[-1] = replace(text[-1], text=text[-1].text.rstrip())
            if any(part.text or part.formula for part in text):
                self._add(Paragraph(self.kind, tuple(text)))
            if span is not None:
                self._add(Paragraph("formula", (span,)))
            text = []


def _spans(tokens: Sequence[Token], link: str = "") -> Iterator[Span]:
    tags: list[str] = []
    style = frozenset(tags)
    for token in tokens:
        match token.type:
            case "link_open":
                link = str(token.attrs["href"])
            case "link_close":
                link = ""
            case "strong_open" | "em_open" | "s_open":
                tags.append(token.tag)
                style = frozenset(tags)
            case "strong_close" | "em_close" | "s_close":
                tags.remove(token.tag)
                style = frozenset(tags)
            case "image":
                # Pictures are never fetched; their names lead to them.
                yield from _spans(token.children or [], str(token.attrs["src"]))
            case "formula":
                yield Span("", style, link, token.meta["formula"])
            case "code_inline":
                yield Span(token.content.translate(_SIGNS), style | {"code"}, link)
            case "softbreak":
                yield Span(" ", style, link)
            case "hardbreak":
                yield Span("\n", style, link)
            case "text":
                yield Span(token.content.translate(_SIGNS), style, link)


def _joined(spans: Iterable[Span]) -> Spans:
    """Join neighbours of the same style."""
    joined: list[Span] = []
    for span in spans:
        last = joined[-1] if joined else None
        if last and not (last.formula or span.formula) and (last.style, last.link) == (span.style, span.link):
            joined[-1] = replace(last, text=last.text + span.text)
        elif span.text or span.formula:
            joined.append(span)
    return tuple(joined)
