"""The paragraphs that a Markdown text shows: their places in lists and quotes, and their text in spans of one style.

Documents and plain texts are written from these paragraphs. No Qt in here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby, islice
from typing import TYPE_CHECKING, NamedTuple
from unicodedata import bidirectional

from app.text.blocks import Block, Code, Fold
from app.text.formulas import Formula

if TYPE_CHECKING:
    from markdown_it.token import Token

# Stands for a formula, as in Qt's documents.
OBJECT = "\ufffc"
# The signs of a paragraph that decide on its direction. With 40, a quotation in another script decides alone.
_DECIDING_SIGNS = 400
# Separators and the signs that documents keep for themselves.
_SIGNS = str.maketrans("\u2028\u2029\r\ufffc\ufdd0\ufdd1", "\n\n \ufffd\ufffd\ufffd")


@dataclass(frozen=True, slots=True)
class TextSpan:
    """Text of one style: names of HTML's elements, and the kind of an alert in its title."""

    text: str
    style: frozenset[str] = frozenset()
    link: str = ""
    formula: Formula | None = None


Spans = tuple[TextSpan, ...]


@dataclass(frozen=True, slots=True)
class OpenList:
    """A list, or another indented part of a text. `number` counts them in the text; `suffix` follows items' numbers."""

    number: int
    suffix: str = ""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph of the kind "p", "title", "h1" to "h6", "code", "hr", "formula", or "table", which has rows of cells.

    `lists` are the lists around it. `mark` is the mark of the item that begins with it, "" if no item does. `quotes`
    has, for each quotation around it, the number of lists around the quotation, and the quotation's number in the text.
    """

    kind: str
    spans: Spans = ()
    quotes: tuple[tuple[int, int], ...] = ()
    lists: tuple[OpenList, ...] = ()
    mark: str = ""
    rows: tuple[tuple[Spans, ...], ...] = ()
    aligns: tuple[str, ...] = ()


def shown(
    markdown: str, plain: bool = False, after: int | None = None, definitions: str = "", number: int = 0
) -> list[Paragraph]:
    """Return the paragraphs of a text, or its lines if it is `plain`.

    Insets are code, and results in a list or a quotation that the model repeats. With `after`, only the paragraphs
    between inset number `after` and the next inset are returned. `definitions` is the Markdown that defines links and
    notes elsewhere. `number`, if it is not 0, is the number of the first item of the list with which the text begins.
    """
    if plain:
        return [Paragraph("p", (TextSpan(line.translate(_SIGNS)),)) for line in markdown.strip("\n").split("\n")]
    # Imports the parser, which the first shown text needs.
    from app.text.markdown import parse

    tokens = parse(markdown, definitions)
    if number:
        tokens[0].attrs["start"] = number
    reader = _ParagraphReader()
    reader.read(tokens)
    paragraphs = reader.paragraphs
    if after is not None:
        begin = reader.insets[after - 1].stop if after else 0
        insets_below = reader.insets[after:]
        paragraphs = paragraphs[begin : insets_below[0].start if insets_below else None]
    return paragraphs or [Paragraph("p")]


def paragraphs_of(block: Block) -> list[Paragraph]:
    """Return the paragraphs of a block."""
    if isinstance(block, Code):
        return [Paragraph("code", (TextSpan(block.text.removesuffix("\n").translate(_SIGNS)),))]
    if isinstance(block, Fold):
        return shown(block.text)
    return shown(block.text, block.plain, block.after, block.definitions, block.number)


def is_right_to_left(texts: Iterable[Spans]) -> bool:
    """Return whether most letters of texts are of scripts that are written from right to left.

    Code has no vote, and neither have letters after the first signs: a long paragraph that grows would be read again in
    each round. By its first letter, as Unicode's algorithm has it, a paragraph that begins with a brand stands left.
    """
    counted = (span.text for text in texts for span in text if span.style.isdisjoint(("code", "kbd")))
    directions = Counter(map(bidirectional, islice(chain.from_iterable(counted), _DECIDING_SIGNS)))
    return directions["R"] + directions["AL"] > directions["L"]


class FoldParts(NamedTuple):
    """The words of a fold's `summary`, the Markdown that is folded, and whether the fold is open at first."""

    summary: str
    markdown: str
    is_open: bool


def fold_parts(source: str) -> FoldParts:
    """Return the parts of a fold, given the source of the whole fold."""
    from app.text.markdown import parse, source_in_fold

    reader = _ParagraphReader()
    # The first tokens are the fold and its summary.
    reader.read(parse(source)[:4])
    summary = words_of(reader.paragraphs[0].spans) if reader.paragraphs else ""
    markdown, is_open = source_in_fold(source)
    return FoldParts(summary, markdown, is_open)


def document_text(paragraphs: Sequence[Paragraph]) -> str:
    """Return the text of a document with these paragraphs, with OBJECT for each formula."""
    # A document has an empty line below each table, and above a table that it begins with.
    lines = [""] if paragraphs[0].rows else []
    for paragraph in paragraphs:
        texts = texts_of(replace(paragraph, rows=rows_from_left(paragraph)))
        lines += [words_of(spans, lambda _: OBJECT) for spans in texts]
        if paragraph.rows:
            lines.append("")
    return "\n".join(lines).replace("\xa0", " ")


def rows_from_left(paragraph: Paragraph) -> tuple[tuple[Spans, ...], ...]:
    """Return the rows of a table with its leftmost cells first."""
    step = -1 if is_right_to_left(cell for row in paragraph.rows for cell in row) else 1
    return tuple(row[::step] for row in paragraph.rows)


def texts_of(paragraph: Paragraph) -> list[Spans]:
    """Return the text of a paragraph, or the texts of the cells of a table."""
    return [cell for row in paragraph.rows for cell in row] if paragraph.rows else [paragraph.spans]


def words_of(spans: Spans, of_formula: Callable[[Formula], str] = lambda formula: formula.latex) -> str:
    """Return the text of spans, with formulas as LaTeX or as `of_formula` says."""
    return "".join(span.text if span.formula is None else of_formula(span.formula) for span in spans)


class _ParagraphReader:
    """Reads tokens into paragraphs."""

    def __init__(self) -> None:
        self.paragraphs: list[Paragraph] = []
        # The paragraphs of each code block and of each result, as indexes in `paragraphs`.
        self.insets: list[range] = []
        # The index of the first paragraph of the open result.
        self._result_at = 0
        # The kind of the next paragraph.
        self._kind = "p"
        # The styles of all text in it.
        self._style: tuple[str, ...] = ()
        # The kind of the last alert in lower case ("note"), which its title has as a style; "" in a plain quotation.
        self._alert = ""
        # Of each open quotation or alert the number of lists around it, and its own number.
        self._quotes: list[tuple[int, int]] = []
        self._lists: list[OpenList] = []
        # Of each open list the number of its next item, None for bullets.
        self._next_numbers: list[int | None] = []
        # How many lists and quotations there were.
        self._count = 0
        # The mark that the next paragraph gets, as the first of its item.
        self._next_mark = ""
        # The label that the next paragraph gets, as the first of its note.
        self._note_label = ""
        # The rows of the open table, none outside of tables.
        self._rows: list[list[Spans]] = []
        # The alignments of the cells in the last row.
        self._aligns: list[str] = []

    def read(self, tokens: Iterable[Token]) -> None:
        """Add the paragraphs of these tokens. Tokens without a handler show nothing of their own."""
        for token in tokens:
            handler = _HANDLERS.get(token.type)
            if handler is not None:
                handler(self, token)

    def begin_list(self, token: Token) -> None:
        self._begin_item()
        self._count += 1
        self._lists.append(OpenList(self._count, token.markup))
        self._next_numbers.append(int(token.attrs.get("start", 1)) if token.tag == "ol" else None)

    def end_list(self, _token: Token) -> None:
        self._lists.pop()
        self._next_numbers.pop()

    def begin_list_item(self, token: Token) -> None:
        number = self._next_numbers[-1]
        if number is None:
            self._next_mark = "•"
        else:
            self._next_mark = f"{number}{self._lists[-1].suffix}"
            self._next_numbers[-1] = number + 1
        checked = token.meta.get("checked")
        if checked is not None:
            self._next_mark = "☑" if checked else "☐"

    def end_list_item(self, _token: Token) -> None:
        self._begin_item()

    def begin_quote(self, token: Token) -> None:
        self._begin_item()
        self._count += 1
        self._quotes.append((len(self._lists), self._count))
        self._alert = token.info.lower()

    def end_quote(self, _token: Token) -> None:
        self._quotes.pop()

    def begin_words(self, token: Token) -> None:
        self._kind = token.tag
        self._style = ()

    def begin_title(self, _token: Token) -> None:
        self._kind = "title"
        self._style = ("strong",)

    def begin_alert_title(self, _token: Token) -> None:
        self._kind = "title"
        self._style = ("strong", self._alert)

    def begin_note(self, token: Token) -> None:
        self._note_label = token.meta["label"]

    def add_code(self, token: Token) -> None:
        self._begin_item()
        text = token.content.removesuffix("\n").translate(_SIGNS)
        self._add("code", (TextSpan(text),))
        self.insets.append(range(len(self.paragraphs) - 1, len(self.paragraphs)))

    def begin_result(self, _token: Token) -> None:
        self._begin_item()
        self._result_at = len(self.paragraphs)

    def end_result(self, _token: Token) -> None:
        self.insets.append(range(self._result_at, len(self.paragraphs)))

    def add_line(self, _token: Token) -> None:
        self._add("hr")

    def begin_table(self, _token: Token) -> None:
        self._begin_item()
        self._style = ()

    def begin_row(self, _token: Token) -> None:
        self._rows.append([])
        self._aligns = []

    def begin_cell(self, token: Token) -> None:
        self._aligns.append(str(token.attrs.get("style", "")).removeprefix("text-align:"))

    def end_table(self, _token: Token) -> None:
        self._add("table")
        self._rows = []
        self._aligns = []

    def add_words(self, token: Token) -> None:
        """Add a cell, or paragraphs: each display formula becomes a paragraph of its own."""
        spans = _joined(_spans(token.children or [], style=self._style))
        if self._rows:
            self._rows[-1].append(spans)
            return
        if self._note_label:
            spans = (TextSpan(self._note_label, frozenset(("sup",))), TextSpan(" "), *spans)
            self._note_label = ""
        if any(map(_is_display, spans)):
            self._add_around_formulas(spans)
        elif spans or self._next_mark:
            self._add(self._kind, spans)

    def _begin_item(self) -> None:
        """Add the empty paragraph of an item that has no text of its own."""
        if self._next_mark:
            self._add("p")

    def _add(self, kind: str, spans: Spans = ()) -> None:
        rows = tuple(map(tuple, self._rows))
        aligns = tuple(self._aligns)
        quotes = tuple(self._quotes)
        lists = tuple(self._lists)
        self.paragraphs.append(Paragraph(kind, spans, quotes, lists, self._next_mark, rows, aligns))
        self._next_mark = ""

    def _add_around_formulas(self, spans: Spans) -> None:
        """Add each display formula as a paragraph, and the words between them without white space at their ends."""
        for is_display, group in groupby(spans, _is_display):
            if is_display:
                for span in group:
                    self._add("formula", (span,))
                continue
            words = list(group)
            if words_of(tuple(words)).strip():
                words[0] = replace(words[0], text=words[0].text.lstrip(" \n"))
                words[-1] = replace(words[-1], text=words[-1].text.rstrip(" \n"))
                self._add(self._kind, tuple(words))


# The handler of each type of token. It adds a paragraph, or changes how the next ones are made.
_HANDLERS: dict[str, Callable[[_ParagraphReader, Token], None]] = {
    "bullet_list_open": _ParagraphReader.begin_list,
    "ordered_list_open": _ParagraphReader.begin_list,
    "dd_open": _ParagraphReader.begin_list,
    "bullet_list_close": _ParagraphReader.end_list,
    "ordered_list_close": _ParagraphReader.end_list,
    "dd_close": _ParagraphReader.end_list,
    "list_item_open": _ParagraphReader.begin_list_item,
    "list_item_close": _ParagraphReader.end_list_item,
    "blockquote_open": _ParagraphReader.begin_quote,
    "alert_open": _ParagraphReader.begin_quote,
    "blockquote_close": _ParagraphReader.end_quote,
    "alert_close": _ParagraphReader.end_quote,
    "heading_open": _ParagraphReader.begin_words,
    "paragraph_open": _ParagraphReader.begin_words,
    "formula_open": _ParagraphReader.begin_words,
    "summary_open": _ParagraphReader.begin_title,
    "dt_open": _ParagraphReader.begin_title,
    "alert_title_open": _ParagraphReader.begin_alert_title,
    "footnote_reference_open": _ParagraphReader.begin_note,
    "fence": _ParagraphReader.add_code,
    "code_block": _ParagraphReader.add_code,
    "result_open": _ParagraphReader.begin_result,
    "result_close": _ParagraphReader.end_result,
    "hr": _ParagraphReader.add_line,
    "table_open": _ParagraphReader.begin_table,
    "tr_open": _ParagraphReader.begin_row,
    "th_open": _ParagraphReader.begin_cell,
    "td_open": _ParagraphReader.begin_cell,
    "table_close": _ParagraphReader.end_table,
    "inline": _ParagraphReader.add_words,
}


def _is_display(span: TextSpan) -> bool:
    return span.formula is not None and span.formula.display


def _spans(tokens: Iterable[Token], link: str = "", style: Sequence[str] = ()) -> Iterator[TextSpan]:
    """Yield the spans of inline tokens, some of them without text. All have `style`, and `link` outside of links."""
    tags = [*style]
    for token in tokens:
        if token.tag == "a":
            link = str(token.attrs.get("href", ""))
        elif token.nesting > 0:
            tags.append(token.tag)
        elif token.nesting < 0:
            tags.remove(token.tag)
        elif token.type == "image":
            # Pictures are never fetched; their names lead to them.
            yield from _spans(token.children or [], str(token.attrs["src"]), tags)
        elif token.type == "formula":
            yield TextSpan("", frozenset(tags), link, token.meta["formula"])
        elif token.type == "footnote_ref":
            yield TextSpan(token.content, frozenset([*tags, "sup"]), link)
        else:
            text = "\n" if token.tag == "br" else token.content.translate(_SIGNS)
            yield TextSpan(text, frozenset([*tags, "code"] if token.tag == "code" else tags), link)


def _joined(spans: Iterable[TextSpan]) -> Spans:
    """Join neighbours of the same style and link, and leave out spans that show nothing. Formulas are never joined."""
    joined: list[TextSpan] = []
    for span in spans:
        if not span.text and span.formula is None:
            continue
        last = joined[-1] if joined else None
        if last is not None and _may_join(last, span):
            joined[-1] = replace(last, text=last.text + span.text)
        else:
            joined.append(span)
    return tuple(joined)


def _may_join(last: TextSpan, span: TextSpan) -> bool:
    has_formula = last.formula is not None or span.formula is not None
    return not has_formula and last.style == span.style and last.link == span.link
