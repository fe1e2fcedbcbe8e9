"""Words of a PDF page that a line strikes: one that begins and ends with them, at the middle of their small letters."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import groupby

from engine.documents.pdf.objects import Box
from engine.documents.pdf.words import PageText, PageWord

# How far above the line of its letters a line through them lies, in sizes of the font.
_LOWEST = 0.15
_HIGHEST = 0.48
# How far from the ends of its letters it may begin and end, in sizes of the font.
_NEAR = 0.6
# Lines that touch are one, but for this many points.
_TOUCHING = 0.5
# Pages with more lines are drawings.
_MOST_LINES = 2000


def with_struck_words(words: Sequence[PageWord], lines: Iterable[Box], text: PageText) -> list[PageWord]:
    """Return the words of a page, in which those are several of whose letters lines strike a part."""
    level = _joined_lines([line for line in lines if line.width > line.height])
    places = sorted((word.look.baseline, index) for index, word in enumerate(words) if word.look.is_level)
    if not level or not places or len(level) > _MOST_LINES:
        return list(words)
    largest = max(words[index].look.size for _, index in places)
    # The letters that are struck, by the index of their word.
    struck: defaultdict[int, set[int]] = defaultdict(set)
    for line in level:
        height = (line.bottom + line.top) / 2
        first = bisect_left(places, (height - _HIGHEST * largest, 0))
        last = bisect_right(places, (height, len(words)))
        on_line = {
            index: _letters_on(line, words[index], text)
            for _, index in places[first:last]
            if _lies_on(line, height, words[index])
        }
        if _begins_and_ends_with(
            line, [words[index].part(letters, text) for index, letters in on_line.items() if letters]
        ):
            for index, letters in on_line.items():
                struck[index].update(letters)
    return [part for index, word in enumerate(words) for part in _parts(word, struck[index], text)]


def _joined_lines(lines: list[Box]) -> list[Box]:
    """Return level lines in which those are one that go on at the same height."""
    joined: list[Box] = []
    for line in sorted(lines, key=lambda line: (round(line.bottom + line.top), line.left)):
        latest = joined[-1] if joined else None
        is_at_its_height = latest is not None and abs(latest.bottom + latest.top - line.bottom - line.top) <= _TOUCHING
        if latest is not None and is_at_its_height and line.left <= latest.right + _TOUCHING:
            joined[-1] = latest.around(line)
        else:
            joined.append(line)
    return joined


def _lies_on(line: Box, height: float, word: PageWord) -> bool:
    rise = height - word.look.baseline
    is_at_height = _LOWEST * word.look.size <= rise <= _HIGHEST * word.look.size
    return is_at_height and line.left < word.box.right and word.box.left < line.right


def _letters_on(line: Box, word: PageWord, text: PageText) -> range:
    """Return the first letter of a word whose middle lies on a line, up to the last one."""
    if line.left <= word.box.left and word.box.right <= line.right:
        return range(word.first, word.end)
    boxes = {index: text.box(index) for index in range(word.first, word.end)}
    on_line = [index for index, box in boxes.items() if line.left <= (box.left + box.right) / 2 <= line.right]
    return range(on_line[0], on_line[-1] + 1) if on_line else range(0)


def _begins_and_ends_with(line: Box, words: list[PageWord]) -> bool:
    if not words:
        return False
    near = _NEAR * max(word.look.size for word in words)
    left = min(word.box.left for word in words)
    right = max(word.box.right for word in words)
    is_long = line.width >= (right - left) / 2
    return is_long and abs(left - line.left) <= near and abs(right - line.right) <= near


def _parts(word: PageWord, struck: set[int], text: PageText) -> list[PageWord]:
    """Return the parts of a word, of whose letters all are struck or none."""
    if not struck:
        return [word]
    groups = [
        (is_struck, list(group)) for is_struck, group in groupby(range(word.first, word.end), struck.__contains__)
    ]
    return [
        word.part(range(letters[0], letters[-1] + 1), text)._replace(is_struck=is_struck)
        for is_struck, letters in groups
    ]
