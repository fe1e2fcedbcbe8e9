"""Where the words of a rendered text stand in its Markdown source, so that each letter has the token that wrote it.

The words that a text shows stand in its source in the same order, between signs that the rendering swallows: fences,
bars, asterisks, addresses. So a reader goes through the source once, from one word that is shown to the next. It needs
no positions from the parser, and the source may be longer than the text, as that of the tokens of a whole answer is.
No Qt in here.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from html import unescape
from typing import NamedTuple

from app.text.formulas import Formula
from app.text.shown import Paragraph, Spans, TextSpan, rows_from_left, texts_of
from app.text.utf16 import utf16_length

# Words that do not stand next in the source, because a part of it is not shown, are looked for in so many characters.
_FARTHEST = 4000
# What the rendering swallows as a whole: what follows the words of a link, tags, comments, the line of a fence, boxes
# of tasks, the kind of an alert, the definition of a link, and the number of an item.
_SWALLOWED = re.compile(
    r"""
    \]\((?:<[^<>\n]*>|[^\s()]*(?:\([^\s()]*\)[^\s()]*)*)(?:\s+(?:"[^"\n]*"|'[^'\n]*'|\([^()\n]*\)))?\s*\)
    | \]\[[^\[\]\n]*\]
    | <!--.*?(?:-->|\Z)
    | </?[A-Za-z][^<>\n]*>
    | (?:`{3,}|~{3,})[^`\n]*$
    | \[[ xX]\](?=\s)
    | \[![A-Za-z]+\]
    | ^[ \t>]*\[[^\[\]\n]+\]:[^\n]*$
    | ^[ \t>]*(?:[-*+][ \t]+)*\d{1,9}[.)](?=\s)
    | \x1b\[[\d;?]*[A-Za-z]
    """,
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)
_NUMBER = re.compile(r"^[ \t>]*(?:[-*+][ \t]+)*\d{1,9}[.)]", re.MULTILINE)
_NOTE = re.compile(r"\[\^[^\]\n]+\]:?")
_ALERT = re.compile(r"\[![A-Za-z]+\]")
_REFERENCE = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_OPENING_FENCE = re.compile(r"^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(?:`{3,}|~{3,})[^\n]*(?:\n|\Z)", re.MULTILINE)
_CLOSING_FENCE = re.compile(r"[ \t>]*(?:`{3,}|~{3,})[ \t]*\r?(?:\n|\Z)")
_END_OF_FORMULA = re.compile(r"[ \t]*\n[ \t>]*(?:`{3,}|~{3,})[ \t]*(?:\n|\Z)")
_WIDE = re.compile("[\U00010000-\U0010ffff]")


class SourcePlace(NamedTuple):
    """A stretch of a document, in UTF-16 units, and where it stands in the source, in characters.

    If both are of the same length, each unit is a character. Otherwise all of the stretch shows all of the source, as
    a formula or the sign of a reference ("&amp;") does.
    """

    start: int
    end: int
    source_start: int
    source_end: int

    @property
    def is_literal(self) -> bool:
        return self.end - self.start == self.source_end - self.source_start

    def moved(self, units: int) -> SourcePlace:
        """Return the same stretch that many units further on in the document."""
        return self._replace(start=self.start + units, end=self.end + units)


class TokenPlace(NamedTuple):
    """A stretch of a document, in UTF-16 units, that one token wrote. `token` is its index in the answer."""

    start: int
    end: int
    token: int


def token_places(places: Sequence[SourcePlace], token_starts: Sequence[int]) -> list[TokenPlace]:
    """Return the stretches of tokens, in order. `token_starts` are the positions of the tokens in the source.

    With the tokens "It ", "is**" and " so" and the text "It is so", these are (0, 3), (3, 5) and (5, 8).
    """
    stretches: list[TokenPlace] = []
    for place in places:
        token = bisect_right(token_starts, place.source_start) - 1
        start = place.start
        while place.is_literal and token + 1 < len(token_starts) and token_starts[token + 1] < place.source_end:
            end = place.start + token_starts[token + 1] - place.source_start
            _append(stretches, start, end, token)
            start = end
            token += 1
        _append(stretches, start, place.end, token)
    return stretches


def _append(stretches: list[TokenPlace], start: int, end: int, token: int) -> None:
    """Add a stretch, or make the last one longer if it is of the same token. Tokens without text have none."""
    if start == end or token < 0:
        return
    if stretches and (stretches[-1].end, stretches[-1].token) == (start, token):
        stretches[-1] = stretches[-1]._replace(end=end)
    else:
        stretches.append(TokenPlace(start, end, token))


class ProsePlaces:
    """The places of the paragraphs of one document. Those that are the same as before are not looked for again."""

    def __init__(self) -> None:
        # Each paragraph with where it was looked for, the places of its texts from their starts, and where it ends.
        self._known: list[tuple[Paragraph, int, list[list[SourcePlace]], int]] = []
        self.end = 0

    def place(
        self, paragraphs: Sequence[Paragraph], source: str, at: int, formula_length: Callable[[Formula], int]
    ) -> list[SourcePlace]:
        """Return the places of the text of a document, in order. `end` is then where it ends in the source.

        The source is read from `at` on, and only grows from one call to the next. `formula_length` says how many units
        a formula takes in the document.
        """
        places: list[SourcePlace] = []
        # A document has empty lines above a table that it begins with, and below each table.
        line = 1 if paragraphs[0].rows else 0
        for number, paragraph in enumerate(paragraphs):
            texts, at = self._texts_of(number, paragraph, source, at, is_last=number + 1 == len(paragraphs))
            shown = (
                texts_of(replace(paragraph, rows=rows_from_left(paragraph))) if paragraph.rows else [paragraph.spans]
            )
            for spans, text in zip(shown, _from_left(texts, paragraph), strict=True):
                lengths = [_length(span, formula_length) for span in spans]
                places += _in_document(text, spans, lengths, line)
                line += sum(lengths) + 1
            line += 1 if paragraph.rows else 0
        del self._known[len(paragraphs) :]
        self.end = at
        return places

    def _texts_of(
        self, number: int, paragraph: Paragraph, source: str, at: int, is_last: bool
    ) -> tuple[list[list[SourcePlace]], int]:
        """Return the places of the texts of a paragraph, and where it ends in the source."""
        if number < len(self._known) and not is_last:
            known = self._known[number]
            if known[1] == at and known[0] == paragraph:
                return known[2], known[3]
        del self._known[number:]
        reader = SourceReader(source, at)
        texts = reader.texts_of(paragraph)
        self._known.append((paragraph, at, texts, reader.at))
        return texts, reader.at


def _from_left(texts: list[list[SourcePlace]], paragraph: Paragraph) -> list[list[SourcePlace]]:
    """Return the texts of a table with those of the leftmost cells first, as its document has them."""
    if not paragraph.rows or rows_from_left(paragraph) == paragraph.rows:
        return texts
    columns = len(paragraph.aligns)
    rows = [texts[start : start + columns] for start in range(0, len(texts), columns)]
    return [text for row in rows for text in row[::-1]]


def _length(span: TextSpan, formula_length: Callable[[Formula], int]) -> int:
    return utf16_length(span.text) if span.formula is None else formula_length(span.formula)


def _in_document(text: list[SourcePlace], spans: Spans, lengths: list[int], start: int) -> Iterator[SourcePlace]:
    """Move the places of a text, where a formula is one unit, to where the text begins in the document."""
    if all(span.formula is None for span in spans):
        yield from (place.moved(start) for place in text)
        return
    # Where each span begins in the text, and by how much the formulas before it move it.
    at, moved = 0, start
    remaining = iter(text)
    place = next(remaining, None)
    for span, length in zip(spans, lengths, strict=True):
        end = at + (length if span.formula is None else 1)
        while place is not None and place.start < end:
            shown = place.moved(moved)
            yield shown if span.formula is None else shown._replace(end=shown.start + length)
            place = next(remaining, None)
        moved += length - (end - at)
        at = end


class CodePlaces:
    """The places of the lines of a code block, which only grows. Its complete lines are looked for once."""

    def __init__(self) -> None:
        self._text = ""
        # Where the code was looked for, and the places of its complete lines.
        self._at = -1
        self._complete: list[SourcePlace] = []
        # Where the next line begins in the text, in the document and in the source.
        self._begin = self._unit = self._next = 0
        self.end = 0

    def place(self, text: str, source: str, at: int) -> list[SourcePlace]:
        """Return the places of the lines of code, in order. `end` is then where the block ends in the source."""
        if self._at != at or not self._text or not text.startswith(self._text):
            self._at = at
            self._complete = []
            self._begin = self._unit = 0
            self._next = _start_of_code(text, source, at)
        self._text = text
        places: list[SourcePlace] = []
        while self._begin < len(text):
            end = text.find("\n", self._begin)
            line = text[self._begin : end if end >= 0 else len(text)]
            source_end = source.find("\n", self._next)
            source_end = source_end if source_end >= 0 else len(source)
            places = list(_line_places(line, source, self._next, source_end, self._unit))
            if end < 0:
                self.end = places[-1].source_end if places else self._next
                return [*self._complete, *places]
            self._complete += places
            self._begin = end + 1
            self._unit += utf16_length(line) + 1
            self._next = min(source_end + 1, len(source))
        fence = _CLOSING_FENCE.match(source, self._next)
        self.end = fence.end() if fence is not None else self._next
        return list(self._complete)


def _start_of_code(code: str, source: str, at: int) -> int:
    """Return where the first line of the next code block begins: below its fence, if it has one."""
    line = source.rfind("\n", 0, at) + 1
    fence = _OPENING_FENCE.search(source, line, at + _FARTHEST)
    if fence is not None and not any(map(str.isalnum, _SWALLOWED.sub("", source[at : fence.start()]))):
        return fence.end()
    first = source.find(code.partition("\n")[0].strip(), at, at + _FARTHEST)
    return source.rfind("\n", 0, first) + 1 if first >= 0 else at


def _line_places(line: str, source: str, start: int, end: int, unit: int) -> Iterator[SourcePlace]:
    """Yield the places of a line of code, which may be indented in the source, between two positions there."""
    written = source[start:end].removesuffix("\r")
    column = len(written) - len(line) if written.endswith(line) else written.find(line)
    if column < 0:
        line = line.lstrip()
        column = written.find(line)
    if column >= 0 and line:
        yield from _literal(line, unit, start + column)


def _literal(words: str, unit: int, source: int) -> Iterator[SourcePlace]:
    """Yield the places of words that stand in the source as they are. Letters of two units have places of their own."""
    begin = 0
    for wide in () if words.isascii() else _WIDE.finditer(words):
        if wide.start() > begin:
            length = wide.start() - begin
            yield SourcePlace(unit, unit + length, source + begin, source + wide.start())
            unit += length
        yield SourcePlace(unit, unit + 2, source + wide.start(), source + wide.end())
        unit += 2
        begin = wide.end()
    if begin < len(words):
        yield SourcePlace(unit, unit + len(words) - begin, source + begin, source + len(words))


class SourceReader:
    """Goes through the source of a text. `at` is where the words that are read next can be at the earliest."""

    def __init__(self, source: str, at: int = 0) -> None:
        self._source = source
        self.at = at

    def words(self, words: str) -> list[SourcePlace]:
        """Return the places of words of one style that are shown next."""
        return list(self._span(TextSpan(words), 0))

    def code(self, code: str) -> list[SourcePlace]:
        """Return the places of the lines of the code block that is shown next."""
        block = CodePlaces()
        places = block.place(code, self._source, self.at)
        self.at = block.end
        return places

    def texts_of(self, paragraph: Paragraph) -> list[list[SourcePlace]]:
        """Return the places of the text of a paragraph, or of those of its cells, each from the start of its text.

        A formula is one unit there.
        """
        if paragraph.kind == "code":
            return [self.code("".join(span.text for span in paragraph.spans))]
        if paragraph.rows:
            return [text for number, row in enumerate(paragraph.rows) for text in self._row(row, number)]
        if paragraph.mark[:-1].isdigit():
            number = _NUMBER.search(self._source, self.at, self.at + _FARTHEST)
            self.at = number.end() if number is not None else self.at
        return [list(self._text(paragraph.spans))]

    def _row(self, row: tuple[Spans, ...], number: int) -> Iterator[list[SourcePlace]]:
        """Yield the places of the cells of a row, each of which stands between bars in one line."""
        begin = re.compile(r"[ \t>\r\n]*\|?").match(self._source, self.at)
        assert begin is not None
        self.at = begin.end()
        for cell, spans in enumerate(row):
            yield list(self._text(spans))
            if cell + 1 < len(row):
                bar = self._source.find("|", self.at)
                self.at = bar + 1 if bar >= 0 else self.at
        self._skip_line()
        if number == 0:
            self._skip_line()

    def _skip_line(self) -> None:
        end = self._source.find("\n", self.at)
        self.at = end + 1 if end >= 0 else len(self._source)

    def _text(self, spans: Spans) -> Iterator[SourcePlace]:
        unit = 0
        for span in spans:
            if span.formula is not None:
                yield from self._formula(span.formula, unit)
                unit += 1
            else:
                yield from self._span(span, unit)
                unit += utf16_length(span.text)

    def _formula(self, formula: Formula, unit: int) -> Iterator[SourcePlace]:
        words = formula.source
        start = self._source.find(words, self.at, self.at + len(words) + _FARTHEST)
        if start < 0:
            # The lines of one in a list or a fence are written differently.
            words = formula.latex.strip().partition("\n")[0]
            start = self._source.find(words, self.at, self.at + _FARTHEST)
        if start >= 0:
            last = formula.latex.strip().rpartition("\n")[2]
            end = max(start + len(words), self._source.find(last, start) + len(last))
            fence = _END_OF_FORMULA.match(self._source, end)
            self.at = fence.end() if fence is not None else end
            yield SourcePlace(unit, unit + 1, start, end)

    def _span(self, span: TextSpan, unit: int) -> Iterator[SourcePlace]:
        sign = self._sign_of(span)
        if sign is not None:
            self.at = sign.end()
            yield SourcePlace(unit, unit + utf16_length(span.text), sign.start(), sign.end())
            return
        for line in span.text.split("\n"):
            yield from self._words(line, unit)
            unit += utf16_length(line) + 1

    def _sign_of(self, span: TextSpan) -> re.Match[str] | None:
        """Return the sign that a span is shown for: the mark of a note, or the kind of an alert for its title."""
        if "sup" in span.style:
            note = _NOTE.search(self._source, self.at, self.at + _FARTHEST)
            is_next = note is not None and not any(map(str.isalnum, self._source[self.at : note.start()]))
            return note if is_next else None
        if "strong" in span.style and len(span.style) > 1:
            alert = _ALERT.search(self._source, self.at, self.at + _FARTHEST)
            return alert if alert is not None and alert[0][2:-1].lower() in span.style else None
        return None

    def _words(self, words: str, unit: int) -> Iterator[SourcePlace]:
        """Yield the places of words of one line and one style."""
        start = self._next_place(words)
        if start is not None:
            self.at = start + len(words)
            yield from _literal(words, unit, start)
        elif words.strip():
            yield from self._letters(words, unit)

    def _next_place(self, words: str) -> int | None:
        """Return where words stand next, below signs that the rendering swallows; None if they do not."""
        at = self.at
        while not self._source.startswith(words, at):
            swallowed = _SWALLOWED.match(self._source, at)
            if swallowed is not None and swallowed.end() > at:
                at = swallowed.end()
            elif at < len(self._source) and not self._source[at].isalnum():
                at += 1
            else:
                return None
        return at

    def _letters(self, words: str, unit: int) -> Iterator[SourcePlace]:
        """Yield the places of words that the source has with escaped signs, references or other blanks."""
        at = self.at
        index = 0
        while index < len(words):
            reference = _REFERENCE.match(self._source, at)
            sign = unescape(reference[0]) if reference is not None else ""
            length = self._same(words, index, at)
            if reference is not None and words.startswith(sign, index):
                yield SourcePlace(unit, unit + utf16_length(sign), at, reference.end())
                unit += utf16_length(sign)
                index += len(sign)
                at = reference.end()
            elif length:
                yield from _literal(words[index : index + length], unit, at)
                unit += utf16_length(words[index : index + length])
                index += length
                at += length
            elif words[index].isspace():
                unit += 1
                index += 1
            elif at < len(self._source) and not self._source[at].isalnum():
                swallowed = _SWALLOWED.match(self._source, at)
                at = swallowed.end() if swallowed is not None and swallowed.end() > at else at + 1
            else:
                remaining = words[index:]
                place = self._source.find(remaining, at, at + _FARTHEST)
                if place >= 0:
                    yield from _literal(remaining, unit, place)
                    at = place + len(remaining)
                break
        self.at = at

    def _same(self, words: str, index: int, at: int) -> int:
        """Return how many characters of words from an index on stand at a position of the source, up to a reference."""
        length = 0
        most = min(len(words) - index, len(self._source) - at)
        while length < most and words[index + length] == self._source[at + length]:
            length += 1
            if self._source.startswith("&", at + length):
                break
        return length
