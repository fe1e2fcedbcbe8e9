"""Indexes that a lookup proposer searches, and the one of a single text.

`SuffixIndex` says where the end of a token sequence has occurred earlier in it. Occurrences of every run of
`KEY_LENGTH` tokens are chained from the latest to the earliest, as in LZ77 compressors: appending a token costs one
dictionary write, and a lookup follows only the latest few links of one chain, whatever the length of the sequence.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Protocol

KEY_LENGTH = 3


@dataclass(frozen=True, slots=True)
class Match:
    """The `length` tokens before position `end` of the searched text equal the newest `length` committed tokens."""

    end: int
    length: int


class LookupIndex(Protocol):
    """What prompt lookup needs of an index: a searched text, and the newest committed tokens to look for in it.

    Positions are those of the searched text. It may be the conversation itself, or other texts.
    """

    def extend(self, tokens: Sequence[int]) -> None:
        """Follow the conversation, which `tokens` were committed to."""

    def matches(self, limit: int, longest: int) -> list[Match]:
        """Return at most `limit` occurrences of the newest tokens, the latest first, none longer than `longest`."""

    def next_like_last(self, start: int, reach: int) -> int | None:
        """Return the position after the first token that equals the newest committed one, or None.

        Only the `reach` tokens from position `start` on are searched.
        """

    def following(self, end: int, count: int) -> list[int]:
        """Return at most `count` tokens from position `end` on; an excluded id ends them."""


class SuffixIndex:
    """A token sequence with an index of its own end; `excluded` ids equal nothing, so no match crosses one.

    In the text [7, 8, 9, 4, 7, 8, 9] the last three tokens have occurred before: `matches(1, 32)` returns
    [Match(end=3, length=3)], and `following(3, 2)` returns [4, 7].
    """

    def __init__(self, excluded: AbstractSet[int] = frozenset()) -> None:
        self._excluded = excluded
        # Each excluded id is replaced by a unique negative number.
        self._tokens: list[int] = []
        # By run of KEY_LENGTH tokens: the position after its latest occurrence.
        self._latest: dict[tuple[int, ...], int] = {}
        # At index e - 1, for the run that ends at position e: where the occurrence before it ends, or 0 for none.
        self._previous: list[int] = []

    def extend(self, tokens: Sequence[int]) -> None:
        """Append `tokens` to the sequence."""
        for end, token in enumerate(tokens, len(self._tokens) + 1):
            self._tokens.append(-end if token in self._excluded else token)
            # The first keys are shorter, and occur once.
            key = tuple(self._tokens[-KEY_LENGTH:])
            self._previous.append(self._latest.get(key, 0))
            self._latest[key] = end

    def matches(self, limit: int, longest: int) -> list[Match]:
        """Return the latest `limit` earlier occurrences of the sequence's end, the latest first.

        Each has the length of its match, from KEY_LENGTH to `longest`. In the first KEY_LENGTH - 1 tokens nothing
        matches.
        """
        matches: list[Match] = []
        end = self._previous[-1] if self._previous else 0
        while end and len(matches) < limit:
            matches.append(Match(end, self._match_length(end, longest)))
            end = self._previous[end - 1]
        return matches

    def next_like_last(self, start: int, reach: int) -> int | None:
        """Return the position after the first token in start..start + reach - 1 that equals the newest, or None."""
        tokens = self._tokens
        searched = tokens[start : min(start + reach, len(tokens) - 1)]
        return start + searched.index(tokens[-1]) + 1 if tokens[-1] in searched else None

    def following(self, end: int, count: int) -> list[int]:
        """Return `count` tokens from position `end` on, which is before the sequence's end.

        Past the end the stretch is repeated: a text that repeats itself goes on so. If an excluded id is in the
        stretch, returns the tokens before it.
        """
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
