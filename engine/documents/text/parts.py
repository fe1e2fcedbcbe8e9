"""The pages, slides, sheets and chapters of a document: which are wanted, and which of them its text has."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from engine.sandbox.tasks import report_progress

# The kinds of parts.
PAGE = "page"
SLIDE = "slide"
SHEET = "sheet"
CHAPTER = "chapter"
# What a text may be cut by, besides.
ROW = "row"
LINE = "line"
# The first and the last page, with a hyphen or a dash of any language between them.
_PAGES = re.compile(r"\s*(?:(\d{0,6})\s*[-\u2010-\u2015~\u301c\uff5e]\s*(\d{0,6})|(\d{1,6}))\s*")


@dataclass(frozen=True, slots=True)
class Selection:
    """Which parts of a document are wanted.

    They are pages or slides from `first` to `last`, sheets by their `names`, or `chapters` by theirs: all, as it is
    made without arguments. A `last` of 0 is that of the document. Parts that are not of this kind are all wanted.
    """

    first: int = 1
    last: int = 0
    names: tuple[str, ...] = ()
    chapters: tuple[str, ...] = ()

    def has(self, kind: str, number: int, name: str) -> bool:
        """Return whether a part of a kind is wanted, by its number from 1 and its name ("" for pages and slides)."""
        if name:
            wanted = self.chapters if kind == CHAPTER else self.names
            return not wanted or name in wanted
        return self.first <= number and (not self.last or number <= self.last)


def pages_of(words: str) -> Selection | None:
    """Return the pages that a person has written as "7", "1-40", "41-" or "-40"; None for anything else."""
    match = _PAGES.fullmatch(words)
    if match is None:
        return None
    begin, end, only = match.groups()
    if not (begin or end or only):
        return None
    first = int(begin or only or 1)
    selection = Selection(first, first if only else int(end or 0))
    return selection if selection.first > 0 and (not selection.last or selection.first <= selection.last) else None


@dataclass(frozen=True, slots=True)
class Cut:
    """Where a text ends before the document: after `done` of `count` rows or lines, by `kind`; "" where none count."""

    kind: str = ""
    done: int = 0
    count: int = 0


@dataclass(frozen=True, slots=True)
class Extent:
    """How much of a document its text has.

    `numbers` are those of the parts that it has, from 1, of `count`; `ends` says for each how many characters of the
    text there are up to its end. A document without parts has the `kind` "". With a `cut`, the last part, or the whole,
    ends before its own end. `names` are those of all sheets or chapters; pages and slides have none.
    """

    kind: str = ""
    count: int = 0
    numbers: tuple[int, ...] = ()
    ends: tuple[int, ...] = ()
    names: tuple[str, ...] = ()
    cut: Cut | None = None

    @property
    def is_whole(self) -> bool:
        """Whether the text has all parts to their ends."""
        return len(self.numbers) == self.count and self.cut is None

    def missing_words(self) -> str:
        """Return what a model is told of the parts that the text does not have; "" if it has all.

        Numbers 1, 2 and 3 of 9 pages give "pages 4 to 9".
        """
        words: list[str] = []
        if self.cut is not None and not self.cut.kind:
            words.append(f"the end of chapter {self.numbers[-1]}" if self.kind == CHAPTER else "the end")
        elif self.cut is not None:
            place = f" of {self.kind} {self._name(self.numbers[-1])}" if self.numbers else ""
            words.append(f"{self.cut.kind}s {self.cut.done + 1} to {self.cut.count}{place}")
        numbers = frozenset(self.numbers)
        missing = [number for number in range(1, self.count + 1) if number not in numbers]
        if self.names and self.kind != CHAPTER:
            words += [f"{self.kind} {self._name(number)}" for number in missing]
        else:
            words += [_range_words(self.kind, span) for span in spans(missing)]
        return ", ".join(words)

    def _name(self, number: int) -> str:
        return self.names[number - 1] if self.names else str(number)


def first_parts(extent: Extent, characters: int) -> Extent | None:
    """Return the extent of a text that is cut after the last part that ends within so many characters.

    None if not even the first part does, or all of them do.
    """
    fitting = sum(end <= characters for end in extent.ends)
    if not 0 < fitting < len(extent.ends):
        return None
    return Extent(extent.kind, extent.count, extent.numbers[:fitting], extent.ends[:fitting], extent.names)


class FirstLines(NamedTuple):
    """The first lines of a text file, and how many of all they are."""

    text: str
    extent: Extent


def first_lines(text: str, most: int) -> FirstLines:
    """Return the lines of a text that fit in `most` characters, with a last line that says which are left out.

    Of a first line that is longer, that is its beginning.
    """
    if len(text) <= most:
        return FirstLines(text, Extent())
    end = text.rfind("\n", 0, most) + 1
    fitting = text[: end or most]
    # The last line has no end, or is empty.
    count = text.removesuffix("\n").count("\n") + 1
    extent = Extent(cut=Cut(LINE, fitting.count("\n"), count) if end else Cut())
    return FirstLines(f"{fitting.rstrip()}\n\n{left_out_line([extent.missing_words()])}", extent)


def left_out_line(words: Sequence[str]) -> str:
    """Return the last line of a text that says what is not in it; "" without words."""
    return f"[Left out: {', '.join(words)}]" if words else ""


def pictures_line(kind: str, numbers: Sequence[int], name: str = "") -> str:
    """Return what a model is told of the pictures that it sees of a document, whose parts of a kind have numbers.

    Pages 1 to 8 of "a.pdf" give "[Pictures of pages 1 to 8 of a.pdf]". Without numbers, this stands for the text of a
    document of pictures alone.
    """
    words = ", ".join(_range_words(kind, span) for span in spans(numbers))
    of_name = f" of {name}" if name else ""
    return f"[Pictures of {words}{of_name}]" if words else "[Pictures without text]"


def counted_words(kind: str, count: int) -> str:
    """Return a kind of content that is left out with its number: "1 hidden passage", "3 hidden sheets"."""
    name = kind.replace("text", "passage").replace("-", " ")
    return f"{count} {name}" if count == 1 else f"{count} {name}s"


def spans(numbers: Sequence[int]) -> list[tuple[int, int]]:
    """Return the first and last of each run of numbers that follow each other."""
    spans: list[tuple[int, int]] = []
    for number in numbers:
        if spans and spans[-1][1] == number - 1:
            spans[-1] = spans[-1][0], number
        else:
            spans.append((number, number))
    return spans


@dataclass(slots=True)
class PartsRead:
    """The parts of the document that is being read. A file within another has some of its own, which nobody counts."""

    selection: Selection = field(default_factory=Selection)
    # Seconds of this process's computing after which no other part is begun.
    stops_at: float = math.inf
    # Whether progress is reported.
    reports: bool = False
    kind: str = ""
    names: tuple[str, ...] = ()
    count: int = 0
    numbers: list[int] = field(default_factory=list)

    def wanted(self, kind: str, names: Sequence[str]) -> Iterator[int]:
        """Yield the numbers of the parts to read, of which each is there in its order. `names` are those of all.

        Ends early when the time is over, but not before the first part.
        """
        self.kind = kind
        self.count = len(names)
        self.names = tuple(names) if any(names) else ()
        numbers = [number for number, name in enumerate(names, 1) if self.selection.has(kind, number, name)]
        for done, number in enumerate(numbers):
            if self.numbers and time.process_time() > self.stops_at:
                return
            if self.reports:
                report_progress(kind, done, len(numbers))
            self.numbers.append(number)
            yield number


def _range_words(kind: str, span: tuple[int, int]) -> str:
    first, last = span
    return f"{kind} {first}" if first == last else f"{kind}s {first} to {last}"
