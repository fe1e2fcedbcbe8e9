"""Lookup: what followed the last time this conversation went the way it is going now.

Needs no second model. It pays where an answer repeats: code under edit, quoted text, lists, names.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from engine.speculation.proposers.proposal import Proposal, Trial
from engine.speculation.suffix_index import Match, SuffixIndex

RECENT_OCCURRENCES = 32
LONGEST_MATCH = 32
AGREEMENT = 0.6
MISSES_TO_PAUSE = 3
BUCKET_EDGES = (3, 4, 6, 10, 18, LONGEST_MATCH)


@dataclass(frozen=True, slots=True)
class _Lookup:
    guesses: list[int]
    bucket: str


class NgramProposer:
    """Guesses by looking the last tokens up in the conversation so far.

    `max_depth` bounds the guesses of a round. `excluded` ids (of the chat template) are never guessed, and
    no match reaches over one. While it does not get to guess, it checks on the quiet whether it would have
    been right.
    """

    source = "ngram"
    reason = "no-match"
    unread = 0
    can_look = False

    def __init__(self, max_depth: int, excluded: AbstractSet[int] = frozenset()) -> None:
        self._max_depth = max_depth
        self._index = SuffixIndex(excluded)
        self._misses = 0
        self._lookup: _Lookup | None = None
        self._on_the_quiet: _Lookup | None = None
        self._came_true = 0
        self._trials: list[Trial] = []

    @property
    def bucket(self) -> str:
        return self._look_up().bucket

    def limit(self) -> int:
        if self._misses >= MISSES_TO_PAUSE:
            return 0
        return len(self._look_up().guesses)

    def prepare(self) -> bool:
        return False

    def propose(self, depth: int) -> Proposal:
        guesses = self._look_up().guesses[:depth]
        return Proposal(guesses, self.source, len(guesses))

    def committed(self, tokens: Sequence[int], accepted: int, drafted: int) -> None:
        if drafted:
            self._misses = 0 if accepted else self._misses + 1
            self._on_the_quiet = None
        else:
            self._check_on_the_quiet(tokens)
        self._index.extend(tokens)
        self._lookup = None

    def look(self) -> None:
        """It has nothing to read."""

    def trials(self) -> Sequence[Trial]:
        trials, self._trials = self._trials, []
        return trials

    def reset(self, tokens: Sequence[int]) -> None:
        self._index.replace(tokens)
        self._misses = 0
        self._lookup = self._on_the_quiet = None
        self._trials = []

    def abandon(self) -> None:
        """Nothing waits for a verdict: a lookup leaves no state behind."""

    def _look_up(self) -> _Lookup:
        if self._lookup is None:
            self._lookup = self._search()
        return self._lookup

    def _search(self) -> _Lookup:
        matches = self._index.matches(RECENT_OCCURRENCES, LONGEST_MATCH)
        if not matches:
            return _Lookup([], "")
        longest = max(match.length for match in matches)
        edge = max(edge for edge in BUCKET_EDGES if edge <= longest)
        return _Lookup(self._vote(matches, longest), str(edge))

    def _vote(self, matches: list[Match], longest: int) -> list[int]:
        """What followed the latest longest match, up to where too many other occurrences differ."""
        leader = next(match for match in matches if match.length == longest)
        guesses = self._index.following(leader.end, self._max_depth)
        voters = [
            (match.length, self._index.following(match.end, self._max_depth))
            for match in matches
            if 2 * match.length > longest and match is not leader
        ]
        for position, guess in enumerate(guesses):
            cast = [(weight, said) for weight, said in voters if len(said) > position]
            voters = [(weight, said) for weight, said in cast if said[position] == guess]
            agreeing = longest + sum(weight for weight, _ in voters)
            if agreeing < AGREEMENT * (longest + sum(weight for weight, _ in cast)):
                return guesses[:position]
        return guesses

    def _check_on_the_quiet(self, tokens: Sequence[int]) -> None:
        """Compare what it would have guessed with what was committed, for as many rounds as it lasts."""
        if self._on_the_quiet is None:
            self._on_the_quiet, self._came_true = self._look_up(), 0
        quiet = self._on_the_quiet
        for token in tokens:
            if self._came_true == len(quiet.guesses):
                break
            if quiet.guesses[self._came_true] != token:
                self._close(quiet, self._came_true + 1)
                return
            self._came_true += 1
            self._misses = min(self._misses, MISSES_TO_PAUSE - 1)
        if self._came_true == len(quiet.guesses):
            self._close(quiet, self._came_true)

    def _close(self, quiet: _Lookup, drafted: int) -> None:
        if drafted:
            self._trials.append(Trial(quiet.bucket, drafted, self._came_true))
        self._on_the_quiet = None
