"""An index of where the end of a token sequence has occurred earlier in it.

Occurrences of every run of `KEY_LENGTH` tokens are chained from the latest to the earliest, as in LZ77 compressors:
appending a token costs one dictionary write, and a lookup walks only the latest few links of one chain, however long
the sequence is.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

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
        self._comparable: list[int] = []
        self._latest: dict[int, int] = {}
        self._previous: list[int] = []

    def __len__(self) -> int:
        return len(self._ids)

    def extend(self, tokens: Sequence[int]) -> None:
        """Append `tokens`."""
        start, stop, excluded = len(self._ids), len(self._ids) + len(tokens), self._excluded
        # An excluded id becomes a negative number of its own, so that it equals no other.
        self._comparable += [
            -1 - position if token in excluded else token for position, token in enumerate(tokens, start)
        ]
        self._ids.extend(tokens)
        self._link(start, stop, self._comparable[max(0, start - KEY_LENGTH + 1) : stop])

    def truncate(self, length: int) -> None:
        """Keep the first `length` tokens."""
        if length < len(self._ids) // 2:
            kept = self._ids[:length]
            self._ids, self._comparable, self._latest, self._previous = [], [], {}, []
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
        del self._comparable[length:]

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
        return [Match(end, self._match_length(end, longest)) for end in ends]

    def next_like_last(self, start: int, reach: int) -> int | None:
        """The position behind the first token of start..start + reach that equals the newest one; None if none does."""
        tokens = self._comparable
        searched = tokens[start : min(start + reach, len(tokens) - 1)]
        return start + searched.index(tokens[-1]) + 1 if tokens[-1] in searched else None

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
        first, second, third = self._comparable[end - KEY_LENGTH : end]
        if first < 0 or second < 0 or third < 0:
            return -1
        return (first << 2 * _ID_BITS) | (second << _ID_BITS) | third

    def _match_length(self, end: int, longest: int) -> int:
        """How many tokens before `end` equal the sequence's last ones, at most `longest`."""
        tokens, most = self._comparable, min(longest, end)
        if tokens[end - most : end] == tokens[len(tokens) - most :]:
            return most
        # Those of the key are equal, and one before them is not.
        length = KEY_LENGTH
        while tokens[end - 1 - length] == tokens[-1 - length]:
            length += 1
        return length


def _common_prefix(left: list[int], right: list[int]) -> int:
    length = min(len(left), len(right))
    low = 0
    # Slices are compared in C; only the one with the first difference is walked token by token.
    while low < length and left[low : low + 1024] == right[low : low + 1024]:
        low += 1024
    while low < length and left[low] == right[low]:
        low += 1
    return min(low, length)
