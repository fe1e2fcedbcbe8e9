"""An index of where the end of a token sequence has occurred earlier in it.

Occurrences of every run of `KEY_LENGTH` tokens are chained from the latest to the earliest, as in LZ77 compressors:
appending a token costs one dictionary write, and a lookup walks only the latest few links of one chain, however long
the sequence is.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.late_numpy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray


KEY_LENGTH = 3
_ID_BITS = 21


@dataclass(frozen=True, slots=True)
class Match:
    """The `length` tokens before position `end` equal the last `length` tokens of the sequence."""

    end: int
    length: int


class SuffixIndex:
    """A token sequence with an index of its own end.

    Ids in `excluded` (of a chat template, say) equal nothing, themselves included: no match crosses one.
    Ids are below 2**21.
    """

    def __init__(self, excluded: AbstractSet[int] = frozenset()) -> None:
        self._excluded = excluded
        self._ids: list[int] = []
        self._comparable: NDArray[np.int32] = np.empty(1024, dtype=np.int32)
        self._latest: dict[int, int] = {}
        self._previous: list[int] = []

    def __len__(self) -> int:
        return len(self._ids)

    def extend(self, tokens: Sequence[int]) -> None:
        """Append `tokens`."""
        start, stop = len(self._ids), len(self._ids) + len(tokens)
        self._reserve(stop)
        for position, token in enumerate(tokens, start):
            # An excluded id becomes a negative number of its own, so that it equals no other.
            self._comparable[position] = -1 - position if token in self._excluded else token
        self._ids.extend(tokens)
        window = self._comparable[max(0, start - KEY_LENGTH + 1) : stop].tolist()
        self._link(start, stop, window)

    def truncate(self, length: int) -> None:
        """Keep the first `length` tokens."""
        if length < len(self._ids) // 2:
            kept = self._ids[:length]
            self._ids, self._latest, self._previous = [], {}, []
            self.extend(kept)
            return
        for end in range(len(self._ids), length, -1):
            before = self._previous.pop()
            key = self._key_before(end)
            if before:
                self._latest[key] = before
            elif self._latest.get(key) == end:
                del self._latest[key]
        del self._ids[length:]

    def replace(self, tokens: Sequence[int]) -> None:
        """Replace the sequence by `tokens`, reusing the common prefix."""
        fresh = list(tokens)
        shared = _common_prefix(self._ids, fresh)
        self.truncate(shared)
        self.extend(fresh[shared:])

    def matches(self, limit: int, longest: int) -> list[Match]:
        """The latest `limit` earlier occurrences of the sequence's end, latest first.

        Each has the length of its match, from KEY_LENGTH to `longest`.
        """
        size = len(self._ids)
        ends: list[int] = []
        end = self._previous[size - 1] if size else 0
        while end and len(ends) < limit:
            ends.append(end)
            end = self._previous[end - 1]
        if not ends:
            return []
        lengths = self._match_lengths(np.array(ends), min(longest, size))
        return [Match(end, int(length)) for end, length in zip(ends, lengths, strict=True)]

    def next_like_last(self, start: int, reach: int) -> int | None:
        """The position behind the first token of start..start + reach that equals the newest one; None if none does."""
        last = self._comparable[len(self._ids) - 1]
        offsets = np.flatnonzero(self._comparable[start : min(start + reach, len(self._ids) - 1)] == last)
        return start + int(offsets[0]) + 1 if len(offsets) else None

    def following(self, end: int, count: int) -> list[int]:
        """The `count` tokens from position `end` on, or those before an excluded id.

        Past the sequence's end, the tokens from `end` on are repeated.
        """
        stretch = self._ids[end : end + count]
        for offset, token in enumerate(stretch):
            if token in self._excluded:
                return stretch[:offset]
        repeats = -(-count // len(stretch))
        return (stretch * repeats)[:count]

    def _reserve(self, size: int) -> None:
        if size > len(self._comparable):
            grown = np.empty(max(size, 2 * len(self._comparable)), dtype=np.int32)
            grown[: len(self._ids)] = self._comparable[: len(self._ids)]
            self._comparable = grown

    def _link(self, start: int, stop: int, window: list[int]) -> None:
        """Chain the runs ending after positions start..stop-1; `window` begins KEY_LENGTH - 1 earlier."""
        latest, previous = self._latest, self._previous
        skipped = start - (stop - len(window))
        for offset in range(skipped, len(window)):
            end = start + offset - skipped + 1
            if offset < KEY_LENGTH - 1:
                previous.append(0)
                continue
            first, second, third = window[offset - 2 : offset + 1]
            if first < 0 or second < 0 or third < 0:
                previous.append(0)
                continue
            key = (first << 2 * _ID_BITS) | (second << _ID_BITS) | third
            previous.append(latest.get(key, 0))
            latest[key] = end

    def _key_before(self, end: int) -> int:
        """The key of the run that ends at `end`, or -1 where none is indexed."""
        if end < KEY_LENGTH:
            return -1
        first, second, third = self._comparable[end - KEY_LENGTH : end].tolist()
        if first < 0 or second < 0 or third < 0:
            return -1
        return int((first << 2 * _ID_BITS) | (second << _ID_BITS) | third)

    def _match_lengths(self, ends: NDArray[np.int_], longest: int) -> NDArray[np.int_]:
        """For each end, how many tokens before it equal the sequence's last ones, at most `longest`."""
        size = len(self._ids)
        back = np.arange(1, longest + 1)
        suffix = self._comparable[size - back]
        positions = ends[:, None] - back[None, :]
        equal = (self._comparable[np.maximum(positions, 0)] == suffix) & (positions >= 0)
        return np.where(equal.all(axis=1), longest, equal.argmin(axis=1))


def _common_prefix(left: list[int], right: list[int]) -> int:
    length = min(len(left), len(right))
    low = 0
    # Slices are compared in C; only the one with the first difference is walked token by token.
    while low < length and left[low : low + 1024] == right[low : low + 1024]:
        low += 1024
    while low < length and left[low] == right[low]:
        low += 1
    return min(low, length)
