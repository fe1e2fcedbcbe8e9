"""Words that a PDF page draws several times at nearly the same place, for bold letters or for a shadow behind them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from engine.documents.pdf.words import PageWord, only

# How far from a word its copies are at most, in sizes of its font.
_NEAR = 0.1
# Words are looked for in strips of the page that are so many points high.
_STRIP = 4.0


def without_doubles(words: Sequence[PageWord]) -> list[PageWord]:
    """Return words without those that were drawn before at nearly the same place in the same size and font."""
    drawn: defaultdict[tuple[object, ...], list[PageWord]] = defaultdict(list)
    are_new: list[bool] = []
    for word in words:
        look = word.look
        near = _NEAR * look.size
        alike = (word.letters, look.font, round(look.size, 1))
        lower = (look.baseline - near) // _STRIP
        upper = (look.baseline + near) // _STRIP
        others = drawn.get((alike, lower), [])
        if upper != lower:
            others = others + drawn.get((alike, upper), [])
        is_new = not any(_is_near(word, other, near) for other in others)
        are_new.append(is_new)
        if is_new:
            drawn[alike, look.baseline // _STRIP].append(word)
    return only(words, are_new)


def _is_near(word: PageWord, other: PageWord, near: float) -> bool:
    return abs(other.box.left - word.box.left) <= near and abs(other.look.baseline - word.look.baseline) <= near
