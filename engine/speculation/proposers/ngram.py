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
# Tokens that have to agree before a difference is a change to a copy, and how far behind it the copy may go on.
LEAST_COPIED = 6
CHANGE_REACH = 8
# Kinds of guesses behind a change, beside the lengths of matches: as if one token was replaced, or from where the
# newest token occurs.
REPLACED, REJOINED = "replaced", "rejoined"


@dataclass(frozen=True, slots=True)
class _Lookup:
    """Guesses that were found at `end`, before which `agreed` tokens are the newest ones."""

    guesses: list[int]
    bucket: str
    end: int = 0
    agreed: int = 0


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
        self._shadow: _Lookup | None = None
        self._came_true = 0
        self._trials: list[Trial] = []
        # Where a copy stood when it went another way, and how many tokens ago that was.
        self._left_at: int | None = None
        self._left_ago = 0

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
            self._shadow = None
        else:
            self._check_on_the_quiet(tokens)
        self._follow_copy(tokens)
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
        self._lookup = self._shadow = self._left_at = None
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
            return self._behind_change()
        longest = max(match.length for match in matches)
        edge = max(edge for edge in BUCKET_EDGES if edge <= longest)
        leader = next(match for match in matches if match.length == longest)
        return _Lookup(self._vote(leader, matches), str(edge), leader.end, longest)

    def _behind_change(self) -> _Lookup:
        """Where a copy goes on that was changed a moment ago, long before a whole match could tell."""
        if self._left_at is None:
            return _Lookup([], "")
        rejoined = self._index.next_like_last(self._left_at, CHANGE_REACH)
        if rejoined is not None:
            return _Lookup(self._index.following(rejoined, self._max_depth), REJOINED, rejoined, LEAST_COPIED - 1)
        if self._left_ago > 1:
            return _Lookup([], "")
        end = self._left_at + 1
        return _Lookup(self._index.following(end, self._max_depth), REPLACED, end, LEAST_COPIED - 1)

    def _follow_copy(self, tokens: Sequence[int]) -> None:
        """Notice where the text stops to be the copy that was looked up."""
        self._left_ago += len(tokens)
        if self._left_ago > CHANGE_REACH:
            self._left_at = None
        lookup = self._lookup
        if lookup is None or not lookup.guesses:
            return
        came = self._index.following(lookup.end, len(tokens))
        same = next((i for i, (one, other) in enumerate(zip(came, tokens, strict=False)) if one != other), len(came))
        if same == len(tokens):
            self._left_at = None
        elif lookup.agreed + same >= LEAST_COPIED:
            self._left_at, self._left_ago = lookup.end + same, len(tokens) - same

    def _vote(self, leader: Match, matches: list[Match]) -> list[int]:
        """What followed `leader`, the latest longest match, up to where too many other occurrences differ."""
        longest = leader.length
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
        if self._shadow is None:
            self._shadow, self._came_true = self._look_up(), 0
        quiet = self._shadow
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
        self._shadow = None
