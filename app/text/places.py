"""Where the words of a rendered text stand in its Markdown source, so that each letter has the token that wrote it.

The words that a text shows stand in its source in the same order, between signs that the rendering swallows: fences,
bars, asterisks, addresses. So a reader goes through the source once, from one word that is shown to the next. It needs
no positions from the parser. The source may go on after the text, as a whole answer goes on after one of its blocks.
No Qt in here.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from html import unescape
from operator import attrgetter
from typing import NamedTuple

from app.text.formulas import Formula
from app.text.shown import Paragraph, Spans, TextSpan
from app.text.utf16 import utf16_length

# Words that do not follow at once, because a part of the source is not shown, are looked for in so many characters.
_MOST_SKIPPED = 4000
# The rendering swallows these as a whole: the address of a link, tags, comments, the line of a fence, boxes of tasks,
# the kind of an alert, the definition of a link, the number of an item, and colours of a terminal.
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
_OPENING_FENCE = re.compile(r"^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t>]+)*(?:`{3,}|~{3,})[^\n]*(?:\n|\Z)", re.MULTILINE)
# A fence that is glued to words.
_FENCE_BEHIND = re.compile(r"[ \t]*`{3,}[^`\n]*\n")
_CLOSING_FENCE = re.compile(r"[ \t>]*(?:`{3,}|~{3,})[ \t]*\r?(?:\n|\Z)")
_END_OF_FORMULA = re.compile(r"[ \t]*\n[ \t>]*(?:`{3,}|~{3,})[ \t]*(?:\n|\Z)")
_BEFORE_ROW = re.compile(r"[ \t>\r\n]*\|?")
_WIDE = re.compile("[\U00010000-\U0010ffff]")
_start_of = attrgetter("start")


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


def token_places(
    places: Sequence[SourcePlace], token_starts: Sequence[int], start: int = 0, end: int | None = None
) -> list[TokenPlace]:
    """Return the stretches of tokens, in order. `token_starts` are the positions of the tokens in the source.

    With the tokens "It ", "is**" and " so" and the text "It is so", these are (0, 3), (3, 5) and (5, 8). Of a document
    from `start` on or up to `end`, only the stretches there are returned, cut off at these positions.
    """
    stretches: list[TokenPlace] = []
    first = max(0, bisect_right(places, start, key=_start_of) - 1) if start else 0
    last = bisect_left(places, end, key=_start_of) if end is not None else len(places)
    for begin, place_end, source_start, source_end in places[first:last]:
        is_literal = place_end - begin == source_end - source_start
        stop = place_end if end is None or place_end < end else end
        if begin < start:
            source_start += start - begin if is_literal else 0
            begin = start
        token = bisect_right(token_starts, source_start) - 1
        after = token + 1
        shift = source_start - begin
        if is_literal:
            after = bisect_left(token_starts, stop + shift, after)
        for number in range(token, after):
            # The last token goes on beyond the place.
            until = token_starts[number + 1] - shift if number + 1 < after else stop
            if until > begin and number >= 0:
                if stretches and stretches[-1].token == number and stretches[-1].end == begin:
                    begin = stretches.pop().start
                stretches.append(TokenPlace(begin, until, number))
            begin = until
    return stretches


def first_change(before: Sequence[SourcePlace], places: Sequence[SourcePlace]) -> int:
    """Return the first position of a document, in UTF-16 units, whose place has changed; its end if none has.

    The source has changed at its end only.
    """
    for old, new in zip(before, places, strict=False):
        if old == new:
            continue
        begins_alike = old.start == new.start and old.source_start == new.source_start
        if begins_alike and old.is_literal and new.is_literal:
            return min(old.end, new.end)
        return min(old.start, new.start)
    longer = max(before, places, key=len)
    shorter_length = min(len(before), len(places))
    if len(longer) > shorter_length:
        return longer[shorter_length].start
    return places[-1].end if places else 0


class CodePlaces:
    """The places of the lines of a code block, which only grows. Its complete lines are looked for once."""

    def __init__(self) -> None:
        self._text = ""
        # Where the code was looked for in the source.
        self._at = -1
        # The places of its complete lines.
        self._complete: list[SourcePlace] = []
        # Where the next line begins: in the text, in the document (UTF-16 units) and in the source.
        self._line_begin = 0
        self._line_unit = 0
        self._line_in_source = 0
        # Where the block ends in the source.
        self.end = 0

    def place(self, text: str, source: str, at: int) -> list[SourcePlace]:
        """Return the places of the lines of code, in order, and set `end`. The block is looked for from `at` on."""
        if self._at != at or not self._text or not text.startswith(self._text):
            self._at = at
            self._complete = []
            self._line_begin = 0
            self._line_unit = 0
            self._line_in_source = _start_of_code(text, source, at)
        self._text = text
        places: list[SourcePlace] = []
        while self._line_begin < len(text):
            end = text.find("\n", self._line_begin)
            line = text[self._line_begin : end if end >= 0 else len(text)]
            source_end = source.find("\n", self._line_in_source)
            source_end = source_end if source_end >= 0 else len(source)
            places = list(_line_places(line, source, self._line_in_source, source_end, self._line_unit))
            if end < 0:
                self.end = places[-1].source_end if places else self._line_in_source
                return [*self._complete, *places]
            self._complete += places
            self._line_begin = end + 1
            self._line_unit += utf16_length(line) + 1
            self._line_in_source = min(source_end + 1, len(source))
        fence = _CLOSING_FENCE.match(source, self._line_in_source)
        self.end = fence.end() if fence is not None else self._line_in_source
        return list(self._complete)


def _start_of_code(code: str, source: str, at: int) -> int:
    """Return where the first line of the next code block begins: below its fence, if it has one."""
    behind = _FENCE_BEHIND.match(source, at)
    if behind is not None:
        return behind.end()
    line = source.rfind("\n", 0, at) + 1
    fence = _OPENING_FENCE.search(source, line, at + _MOST_SKIPPED)
    if fence is not None and not any(map(str.isalnum, _SWALLOWED.sub("", source[at : fence.start()]))):
        return fence.end()
    first = source.find(code.partition("\n")[0].strip(), at, at + _MOST_SKIPPED)
    return source.rfind("\n", 0, first) + 1 if first >= 0 else at


def _line_places(line: str, source: str, start: int, end: int, unit: int) -> Iterator[SourcePlace]:
    """Yield the places of a line of code, which may be indented in the source, between two positions there.

    Its own indentation has none: tinted, each of its tokens would be a patch in front of the line.
    """
    words = line.lstrip()
    written = source[start:end].removesuffix("\r")
    column = len(written) - len(words) if written.endswith(words) else written.find(words)
    if column >= 0 and words:
        yield from _literal(words, unit + len(line) - len(words), start + column)


def _literal(words: str, unit: int, source: int) -> list[SourcePlace]:
    """Return the places of words that the source has unchanged. Each letter of two units has a place of its own."""
    if words.isascii() or not _WIDE.search(words):
        return [SourcePlace(unit, unit + len(words), source, source + len(words))] if words else []
    places: list[SourcePlace] = []
    begin = 0
    for wide in _WIDE.finditer(words):
        if wide.start() > begin:
            length = wide.start() - begin
            places.append(SourcePlace(unit, unit + length, source + begin, source + wide.start()))
            unit += length
        places.append(SourcePlace(unit, unit + 2, source + wide.start(), source + wide.end()))
        unit += 2
        begin = wide.end()
    if begin < len(words):
        places.append(SourcePlace(unit, unit + len(words) - begin, source + begin, source + len(words)))
    return places


class SourceReader:
    """Goes through the source of a text. The words that are looked for next stand at `at` or later."""

    def __init__(self, source: str, at: int = 0) -> None:
        self._source = source
        self.at = at

    def words(self, words: str) -> list[SourcePlace]:
        """Return the places of words of one style that are shown next."""
        return self.span(TextSpan(words), 0, utf16_length(words))

    def code(self, code: str) -> list[SourcePlace]:
        """Return the places of the lines of the code block that is shown next."""
        block = CodePlaces()
        places = block.place(code, self._source, self.at)
        self.at = block.end
        return places

    def begin(self, paragraph: Paragraph) -> None:
        """Move `at` to where the text of a paragraph begins, after the number of an item."""
        if paragraph.mark[:-1].isdigit():
            number = _NUMBER.search(self._source, self.at, self.at + _MOST_SKIPPED)
            self.at = number.end() if number is not None else self.at

    def row(
        self, row: tuple[Spans, ...], number: int, starts: Sequence[int], formula_length: Callable[[Formula], int]
    ) -> list[list[SourcePlace]]:
        """Return the places of the cells of a row that is shown next, each of which stands between bars in one line.

        `starts` has where the cells begin in the document.
        """
        cells: list[list[SourcePlace]] = []
        begin = _BEFORE_ROW.match(self._source, self.at)
        assert begin is not None
        self.at = begin.end()
        for spans, unit in zip(row, starts, strict=True):
            places: list[SourcePlace] = []
            for span in spans:
                length = length_of(span, formula_length)
                places += self.span(span, unit, length)
                unit += length
            cells.append(places)
            if len(cells) < len(row):
                bar = self._source.find("|", self.at)
                self.at = bar + 1 if bar >= 0 else self.at
        self._skip_line()
        if number == 0:
            self._skip_line()
        return cells

    def _skip_line(self) -> None:
        end = self._source.find("\n", self.at)
        self.at = end + 1 if end >= 0 else len(self._source)

    def span(self, span: TextSpan, unit: int, length: int) -> list[SourcePlace]:
        """Return the places of a span that is shown next, from a unit of the document on. It takes `length` units."""
        if span.formula is not None:
            return self._formula(span.formula, unit, length)
        sign = self._sign_of(span) if span.style else None
        if sign is not None:
            self.at = sign.end()
            return [SourcePlace(unit, unit + length, sign.start(), sign.end())]
        if "\n" not in span.text:
            return self._words(span.text, unit)
        places: list[SourcePlace] = []
        for line in span.text.split("\n"):
            places += self._words(line, unit)
            unit += utf16_length(line) + 1
        return places

    def _formula(self, formula: Formula, unit: int, length: int) -> list[SourcePlace]:
        words = formula.source
        start = self._source.find(words, self.at, self.at + len(words) + _MOST_SKIPPED)
        if start < 0:
            # In a list or a fence, the lines of a formula are written differently.
            words = formula.latex.strip().partition("\n")[0]
            start = self._source.find(words, self.at, self.at + _MOST_SKIPPED)
        if start < 0:
            return []
        last = formula.latex.strip().rpartition("\n")[2]
        end = max(start + len(words), self._source.find(last, start) + len(last))
        fence = _END_OF_FORMULA.match(self._source, end)
        self.at = fence.end() if fence is not None else end
        return [SourcePlace(unit, unit + length, start, end)]

    def _sign_of(self, span: TextSpan) -> re.Match[str] | None:
        """Return the sign that a span is shown for: the mark of a note, or the kind of an alert for its title."""
        if "sup" in span.style:
            note = _NOTE.search(self._source, self.at, self.at + _MOST_SKIPPED)
            is_next = note is not None and not any(map(str.isalnum, self._source[self.at : note.start()]))
            return note if is_next else None
        if "strong" in span.style and len(span.style) > 1:
            alert = _ALERT.search(self._source, self.at, self.at + _MOST_SKIPPED)
            return alert if alert is not None and alert[0][2:-1].lower() in span.style else None
        return None

    def _words(self, words: str, unit: int) -> list[SourcePlace]:
        """Return the places of words of one line and one style."""
        start = self._next_place(words)
        if start is not None:
            self.at = start + len(words)
            return _literal(words, unit, start)
        return list(self._letters(words, unit)) if words.strip() else []

    def _next_place(self, words: str) -> int | None:
        """Return where words stand next, after signs that the rendering swallows; None if other words come first."""
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
                place = self._source.find(remaining, at, at + _MOST_SKIPPED)
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


def length_of(span: TextSpan, formula_length: Callable[[Formula], int]) -> int:
    """Return how many units of a document a span takes."""
    return utf16_length(span.text) if span.formula is None else formula_length(span.formula)
