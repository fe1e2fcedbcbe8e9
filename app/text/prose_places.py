"""The places of the text of a rendered document in its source, found again only from where the document has changed.

While an answer streams, nearly all of its text is as it was a round before. No Qt in here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from app.text.formulas import Formula
from app.text.places import SourcePlace, SourceReader, length_of
from app.text.shown import Paragraph, rows_from_left, texts_of
from app.text.utf16 import utf16_length


class _PieceBegin(NamedTuple):
    """Where a span of a paragraph or a row of a table begins.

    `at` is an index in the source, `unit` a UTF-16 unit of the document. `above` is the number of places before it.
    """

    at: int
    unit: int
    above: int


@dataclass(slots=True)
class _PlacedParagraph:
    """A paragraph with the places of its text, and the beginnings of its spans or rows.

    It goes from `at` to `end` in the source, and from the unit `line` of the document to the unit `below`, where the
    next paragraph begins. `formulas` has the units that each of its formulas takes.
    """

    paragraph: Paragraph
    at: int
    line: int
    is_from_left: bool = True
    end: int = 0
    below: int = 0
    places: list[SourcePlace] = field(default_factory=list)
    begins: list[_PieceBegin] = field(default_factory=list)
    formulas: list[int] = field(default_factory=list)

    def begins_kept(self, now: _PlacedParagraph) -> int:
        """Return how many of its first spans or rows are also the first ones of `now`.

        The last span or row does not count, because it may not have been read to its end.
        """
        before = self.paragraph
        after = now.paragraph
        if self.formulas or (self.at, self.line, self.is_from_left) != (now.at, now.line, now.is_from_left):
            return 0
        if (before.kind, before.mark, bool(before.rows)) != (after.kind, after.mark, bool(after.rows)):
            return 0
        pairs = zip(before.rows or before.spans, after.rows or after.spans, strict=False)
        equal = 0
        for old, new in pairs:
            # Spans that have not changed are usually the same objects, whose comparison is fast.
            if old is not new and old != new:
                break
            equal += 1
        return max(0, min(equal, len(self.begins) - 1))

    def grows_to(self, now: Paragraph) -> bool:
        """Return whether `now` is the same paragraph with more words, of any style, after its last words."""
        before = self.paragraph
        count = len(before.spans)
        if before.rows or now.rows or self.formulas or not self.begins or len(now.spans) < count:
            return False
        if (now.kind, now.mark, now.quotes, now.lists) != (before.kind, before.mark, before.quotes, before.lists):
            return False
        old = before.spans[-1]
        new = now.spans[count - 1]
        is_longer = new.style == old.style and new.formula is None and new.text.startswith(old.text)
        others_are_equal = now.spans[: count - 1] == before.spans[:-1]
        return is_longer and others_are_equal

    def grow(self, now: Paragraph, source: str) -> bool:
        """Replace the paragraph by `now`, to which it grows, if only its last span has become longer.

        Return whether it was replaced. The words of the span have to stand in the source as they are shown.
        """
        if len(now.spans) != len(self.paragraph.spans) or self.begins[-1].above + 1 != len(self.places):
            return False
        start, end, source_start, source_end = self.places[-1]
        words = now.spans[-1].text
        length = len(words)
        known = len(self.paragraph.spans[-1].text)
        is_whole = end - start == known and source_end - source_start == known
        if not is_whole or utf16_length(words) != length:
            return False
        if "\n" in words or not source.startswith(words, source_start):
            return False
        self.paragraph = now
        self.places[-1] = SourcePlace(start, start + length, source_start, source_start + length)
        self.end = source_start + length
        self.below = start + length + 1
        return True


class ProsePlaces:
    """The places of the paragraphs of one document. A paragraph that has not changed is not looked for again."""

    def __init__(self) -> None:
        self._known: list[_PlacedParagraph] = []
        # The places of all paragraphs.
        self._places: list[SourcePlace] = []
        # How many of them stand above each paragraph.
        self._counts: list[int] = []
        # Where the document ends in the source.
        self.end = 0

    def place(
        self, paragraphs: Sequence[Paragraph], source: str, at: int, formula_length: Callable[[Formula], int]
    ) -> list[SourcePlace]:
        """Return the places of the text of a document, in order, and set `end`.

        The source is read from `at` on, and only grows from one call to the next. `formula_length` says how many units
        a formula takes in the document. Do not change the list: the next call may return the same one, changed.
        """
        # A document has an empty line above a table that it begins with, and below each table.
        line = 1 if paragraphs[0].rows else 0
        same = self._same(paragraphs, at, line, formula_length)
        before = self._known[same] if same < len(self._known) else None
        is_last = same + 1 == len(self._known) == len(paragraphs)
        if before is not None and is_last and before.grows_to(paragraphs[-1]) and before.grow(paragraphs[-1], source):
            self._places[-1] = before.places[-1]
            self.end = before.end
            return self._places
        places = self._places[: self._counts[same]] if before is not None else list(self._places)
        del self._known[same:]
        del self._counts[same:]
        for paragraph in paragraphs[same:]:
            if self._known:
                at = self._known[-1].end
                line = self._known[-1].below
            placed = _PlacedParagraph(paragraph, at, line)
            _read(placed, source, formula_length, before)
            before = None
            self._counts.append(len(places))
            self._known.append(placed)
            places += placed.places
        self._places = places
        self.end = self._known[-1].end
        return places

    def _same(
        self, paragraphs: Sequence[Paragraph], at: int, line: int, formula_length: Callable[[Formula], int]
    ) -> int:
        """Return how many of the first paragraphs have not changed.

        The last paragraph, before or now, does not count: it may not have been read to its end.
        """
        if not self._known or (self._known[0].at, self._known[0].line) != (at, line):
            return 0
        same = 0
        for known, paragraph in zip(self._known[:-1], paragraphs[:-1], strict=False):
            if known.paragraph is not paragraph and known.paragraph != paragraph:
                break
            if known.formulas and known.formulas != _formulas_of(paragraph, formula_length):
                break
            same += 1
        return same


def _formulas_of(paragraph: Paragraph, formula_length: Callable[[Formula], int]) -> list[int]:
    """Return the units that each formula of a paragraph takes."""
    return [formula_length(span.formula) for spans in texts_of(paragraph) for span in spans if span.formula is not None]


def _read(
    placed: _PlacedParagraph,
    source: str,
    formula_length: Callable[[Formula], int],
    before: _PlacedParagraph | None,
) -> None:
    """Find a paragraph in the source, from where it begins to differ from `before`, the paragraph that was there."""
    paragraph = placed.paragraph
    placed.is_from_left = not paragraph.rows or rows_from_left(paragraph) == paragraph.rows
    first = before.begins_kept(placed) if before is not None else 0
    reader = SourceReader(source, placed.at)
    unit = placed.line
    if before is not None and first:
        reader.at, unit, count = before.begins[first]
        placed.places = before.places[:count]
        placed.begins = before.begins[:first]
    else:
        reader.begin(paragraph)
    if paragraph.kind == "code":
        code = "".join(span.text for span in paragraph.spans)
        placed.places = [place.moved(unit) for place in reader.code(code)]
        unit += utf16_length(code)
    for number, row in enumerate(paragraph.rows[first:], start=first):
        placed.begins.append(_PieceBegin(reader.at, unit, len(placed.places)))
        lengths = [sum(length_of(span, formula_length) for span in cell) for cell in row]
        cells = reader.row(row, number, _starts(lengths, unit, placed.is_from_left), formula_length)
        for places in cells if placed.is_from_left else cells[::-1]:
            placed.places += places
        unit += sum(lengths) + len(lengths)
    is_prose = not paragraph.rows and paragraph.kind != "code"
    for span in paragraph.spans[first:] if is_prose else ():
        placed.begins.append(_PieceBegin(reader.at, unit, len(placed.places)))
        length = length_of(span, formula_length)
        placed.places += reader.span(span, unit, length)
        unit += length
    placed.formulas = _formulas_of(paragraph, formula_length)
    placed.end = reader.at
    placed.below = unit + 1


def _starts(lengths: list[int], unit: int, is_from_left: bool) -> list[int]:
    """Return where the cells of a row begin in its document, which has the leftmost cell first."""
    shown = lengths if is_from_left else lengths[::-1]
    starts = [unit + sum(shown[:cell]) + cell for cell in range(len(shown))]
    return starts if is_from_left else starts[::-1]
