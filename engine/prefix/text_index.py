"""An index of texts, which finds those that share the most with another text without reading all of them.

In lexicographic order, texts with a common beginning lie side by side. So what shares the most with a text lies beside
the place where that text would be, and the further away another one is, the less it shares.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import Generic, NamedTuple, TypeVar

from engine.tokenizers.prompts import shared_prefix

Value = TypeVar("Value")


class Shared(NamedTuple, Generic[Value]):
    """A value of the index, and how many of its first tokens its text shares with the one that was looked up."""

    value: Value
    length: int


class TextIndex(Generic[Value]):
    """Values by their texts, which are lists of numbers; several values may have equal texts.

    Adding, removing and each step of a look-up compare as many texts as the logarithm of their number.
    """

    def __init__(self) -> None:
        # Both in the order of the texts; of equal texts, the one that was added last is the last.
        self._texts: list[list[int]] = []
        self._values: list[Value] = []

    def __len__(self) -> int:
        return len(self._texts)

    def add(self, text: Sequence[int], value: Value) -> None:
        """Add a value. The index keeps a `text` that is a list itself, which must not change then."""
        as_list = text if isinstance(text, list) else list(text)
        place = bisect_right(self._texts, as_list)
        self._texts.insert(place, as_list)
        self._values.insert(place, value)

    def remove(self, text: Sequence[int], value: Value) -> None:
        """Remove a value that was added with this text. Raises `ValueError` if there is none."""
        equal = self._equal_to(list(text))
        place = self._values.index(value, equal.start, equal.stop)
        del self._texts[place], self._values[place]

    def nearest(self, text: Sequence[int]) -> Iterator[Shared[Value]]:
        """Generate all values, those first whose texts share the most with `text`."""
        looked_up = list(text)
        after = bisect_left(self._texts, looked_up)
        before = after - 1
        lower = self._shared(before, looked_up)
        upper = self._shared(after, looked_up)
        while lower is not None or upper is not None:
            if upper is None or (lower is not None and lower.length >= upper.length):
                assert lower is not None
                yield lower
                before -= 1
                lower = self._shared(before, looked_up)
            else:
                yield upper
                after += 1
                upper = self._shared(after, looked_up)

    def most_shared(self, text: Sequence[int]) -> int:
        """Return how many of the first tokens of `text` some kept text shares."""
        return next((shared.length for shared in self.nearest(text)), 0)

    def beginnings(self, text: Sequence[int]) -> Iterator[Shared[Value]]:
        """Generate the values whose whole texts `text` begins with, the longest first, and equal ones newest first.

        Empty texts are left out. The index must not change meanwhile.
        """
        looked_up = list(text)
        while looked_up:
            place = bisect_right(self._texts, looked_up) - 1
            if place < 0:
                return
            length = shared_prefix(self._texts[place], looked_up)
            if 0 < length == len(self._texts[place]):
                equal = self._equal_to(self._texts[place])
                for value in self._values[equal.start : equal.stop][::-1]:
                    yield Shared(value, length)
                length -= 1
            # Whatever `text` begins with is not greater than what was found, so it shares no more than that did.
            del looked_up[length:]

    def continuations(self, text: Sequence[int]) -> Iterator[Value]:
        """Generate the values whose texts begin with `text`. The index must not change meanwhile."""
        looked_up = list(text)
        for place in range(bisect_left(self._texts, looked_up), len(self._texts)):
            if self._texts[place][: len(looked_up)] != looked_up:
                return
            yield self._values[place]

    def _equal_to(self, text: list[int]) -> range:
        return range(bisect_left(self._texts, text), bisect_right(self._texts, text))

    def _shared(self, place: int, text: list[int]) -> Shared[Value] | None:
        if not 0 <= place < len(self._texts):
            return None
        return Shared(self._values[place], shared_prefix(self._texts[place], text))
