"""An index of where the end of a token sequence has occurred earlier in it.

Occurrences of every run of `KEY_LENGTH` tokens are chained from the latest to the earliest, as in LZ77 compressors:
appending a token costs one dictionary write, and a lookup follows only the latest few links of one chain, whatever the
length of the sequence.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

KEY_LENGTH = 3


@dataclass(frozen=True, slots=True)
class Match:
    """The `length` tokens before position `end` equal the last `length` tokens of the sequence."""

    end: int
    length: int


class SuffixIndex:
    """A token sequence with an index of its own end; `excluded` ids equal nothing, so no match crosses one."""

    def __init__(self, excluded: AbstractSet[int] = frozenset()) -> None:
        self._excluded = excluded
        # Each excluded id is replaced by a unique negative number.
        self._tokens: list[int] = []
        # By run, the position after its latest occurrence; by position, that of the occurrence before (0: none).
        self._latest: dict[tuple[int, ...], int] = {}
        self._previous: list[int] = []

    def extend(self, tokens: Sequence[int]) -> None:
        for end, token in enumerate(tokens, len(self._tokens) + 1):
            self._tokens.append(-end if token in self._excluded else token)
            # The first keys are shorter, and occur once.
            key = tuple(self._tokens[-KEY_LENGTH:])
            self._previous.append(self._latest.get(key, 0))
            self._latest[key] = end

    def matches(self, limit: int, longest: int) -> list[Match]:
        """Return the latest `limit` earlier occurrences of the sequence's end, latest first. Each has the length of its
        match, from KEY_LENGTH to `longest`.
        """
        found: list[Match] = []
        end = self._previous[-1] if self._previous else 0
        while end and len(found) < limit:
            found.append(Match(end, self._match_length(end, longest)))
            end = self._previous[end - 1]
        return found

    def next_like_last(self, start: int, reach: int) -> int | None:
        """Return the position after the first token in start..start + reach that equals the newest one, or None."""
        tokens = self._tokens
        searched = tokens[start : min(start + reach, len(tokens) - 1)]
        return start + searched.index(tokens[-1]) + 1 if tokens[-1] in searched else None

    def following(self, end: int, count: int) -> list[int]:
        """Return `count` tokens from `end` on, repeated past the sequence's end, or those before an excluded id."""
        stretch = self._tokens[end : end + count]
        for offset, token in enumerate(stretch):
            if token < 0:
                return stretch[:offset]
        repeats = -(-count // len(stretch))
        return (stretch * repeats)[:count]

    def _match_length(self, end: int, longest: int) -> int:
        """Return how many tokens before `end` equal the sequence's last ones, at most `longest`."""
        tokens = self._tokens
        most = min(longest, end)
        if tokens[end - most : end] == tokens[len(tokens) - most :]:
            return most
        # The tokens of the key are equal, and one before them is not.
        length = KEY_LENGTH
        while tokens[end - 1 - length] == tokens[-1 - length]:
            length += 1
        return length
