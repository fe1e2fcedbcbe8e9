"""Prompt lookup: proposes what followed earlier occurrences of the last tokens in the conversation.

It needs no second model. It pays if an answer repeats text: edited code, quotations, lists, names. After Saxena's
prompt-lookup decoding (github.com/apoorvumang/prompt-lookup-decoding), with a vote over several occurrences.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from engine.speculation.proposers.context import ProposerContext
from engine.speculation.proposers.suffix_index import LookupIndex, Match, SuffixIndex
from engine.speculation.rounds.proposal import Observation, Proposal, Proposer

# The most occurrences of the newest tokens to compare, the latest first: each costs host time.
RECENT_OCCURRENCES = 32
# Longer matches count as this long: they are equally reliable.
MAX_MATCH = 32
# The weighted share of occurrences that has to agree on a token.
AGREEMENT = 0.6
# Wrong lookups in a row after which lookup pauses, because the text seems to repeat nothing.
MISSES_TO_PAUSE = 3
# The draft tokens of a round that any match allows.
LEAST_DEPTH = 4
# The draft tokens of a round for each token that matched: a short match may end soon.
TOKENS_PER_MATCH = 2
# The tokens of an unused proposal that are compared: a longer one would be judged too late.
SHADOW_TOKENS = 16
# The tokens that must match before a difference counts as an edit of a copy.
MIN_COPIED = 6
# The tokens after an edit within which the copy may resume.
EDIT_REACH = 8


@dataclass(frozen=True, slots=True)
class _Lookup:
    """`tokens` at position `end` of the index, before which `matched` tokens equal the newest ones.

    If it is `tentative`, the newest token differs from the copied text, and what follows may differ, too. It is
    `rejoined` if it continues a copy that was found again behind an edit.
    """

    tokens: list[int]
    end: int = 0
    matched: int = 0
    tentative: bool = False
    rejoined: bool = False


def build(context: ProposerContext) -> NgramProposer:
    """Build the proposer. It excludes special tokens, because what follows them does not depend on the text."""
    excluded = frozenset(context.main.tokenizer.all_special_ids)
    return NgramProposer(context.settings.depth_limit, excluded, adaptive=context.settings.depth is None)


class NgramProposer(Proposer):
    """Proposes by looking the last tokens up in the conversation so far.

    `max_depth` bounds the tokens of a round. `excluded` ids (of the chat template) are never proposed, and no match
    crosses one. While another plan is in use, it evaluates its unused proposals (shadow evaluation). If it is
    `adaptive`, it proposes only after such a proposal was right, and at most LEAST_DEPTH tokens, or more by
    TOKENS_PER_MATCH. Behind an edit there is no such bound if the copy also went on behind the last one.

    Subclasses search other texts by overriding `_new_index`.
    """

    source = "ngram"
    reason = "no-match"

    def __init__(self, max_depth: int, excluded: AbstractSet[int] = frozenset(), *, adaptive: bool = True) -> None:
        self._max_depth = max_depth
        self._adaptive = adaptive
        self._excluded = excluded
        self._index = self._new_index()
        # Used lookups in a row whose first token was wrong; at MISSES_TO_PAUSE it proposes nothing.
        self._misses: int
        # Whether the last edited copy went on at once.
        self._resumes: bool
        # Whether the last copy that was found again behind an edit went on: a single equal token is often chance.
        self._returns: bool
        # For how many tokens the copy that is found again has gone on; None if none is.
        self._returned: int | None
        self._begin()
        # The lookup for the round to come, made on first use; and the unused proposal that is being compared.
        self._lookup: _Lookup | None = None
        self._shadow: _Lookup | None = None
        self._shadow_accepted = 0
        self._observations: list[Observation] = []
        # Where in its source a copy was edited, and how many tokens ago.
        self._edited_at: int | None = None
        self._since_edit = 0
        # Where in its source a copy goes on after the newest token, and the number of its tokens, edits left out.
        self._goes_on_at: int | None = None
        self._copied = 0

    def _new_index(self) -> LookupIndex:
        """Return an index for a conversation without tokens."""
        return SuffixIndex(self._excluded)

    def max_proposals(self) -> int:
        """Return how many tokens the lookup has to propose now; 0 in a pause, or without a match."""
        if self._misses >= MISSES_TO_PAUSE:
            return 0
        lookup = self._look_up()
        if lookup.tentative and not self._resumes:
            return 0
        if not self._adaptive or (self._returns and lookup.rejoined):
            return len(lookup.tokens)
        return min(max(LEAST_DEPTH, TOKENS_PER_MATCH * lookup.matched), len(lookup.tokens))

    def propose(self, depth: int) -> Proposal:
        tokens = self._look_up().tokens[:depth]
        return Proposal(tokens, self.source, len(tokens))

    def committed(self, tokens: Sequence[int], accepted: int, drafted: int) -> None:
        """Follow a round: count misses, compare an unused proposal with the text, and extend the index."""
        if drafted:
            self._misses = 0 if accepted else self._misses + 1
            self._shadow = None
        else:
            self._evaluate_shadow(tokens)
        self._track_copy(tokens)
        self._index.extend(tokens)
        self._lookup = None

    def observations(self) -> Sequence[Observation]:
        observations = self._observations
        self._observations = []
        return observations

    def reset(self, tokens: Sequence[int]) -> None:
        self._index = self._new_index()
        self._index.extend(tokens)
        self._begin()
        self._lookup = self._shadow = self._edited_at = self._goes_on_at = None
        self._observations = []

    def _begin(self) -> None:
        """Expect nothing yet: an adaptive proposer pauses until a shadow evaluation is right."""
        self._misses = MISSES_TO_PAUSE if self._adaptive else 0
        self._resumes = True
        self._returns = False
        self._returned = None

    def _look_up(self) -> _Lookup:
        if self._lookup is None:
            matching = self._matching()
            self._lookup = self._copy_under_way(matching) or matching or self._after_edit()
        return self._lookup

    def _copy_under_way(self, matching: _Lookup | None) -> _Lookup | None:
        """Return the continuation of the copy that the newest tokens belong to; None if `matching` tells more.

        Behind an edit fewer tokens match than an index needs, or few. But they follow what was copied before the edit,
        so the copy goes on by its place, as if MIN_COPIED - 1 more tokens matched.
        """
        end = self._goes_on_at
        if end is None:
            return None
        if matching is not None:
            better = self._copied if matching.end == end else MIN_COPIED
            if matching.matched >= better:
                return None
        tokens = self._index.following(end, self._max_depth)
        return _Lookup(tokens, end, self._copied, rejoined=self._returned is not None) if tokens else None

    def _matching(self) -> _Lookup | None:
        """Return the lookup of the longest match, with the votes of others, or None without a match."""
        matches = self._index.matches(RECENT_OCCURRENCES, MAX_MATCH)
        if not matches:
            return None
        longest = max(match.length for match in matches)
        leader = next(match for match in matches if match.length == longest)
        return _Lookup(self._vote(leader, matches), leader.end, longest)

    def _after_edit(self) -> _Lookup:
        """Return the continuation of a copy that was just edited, before enough tokens match again."""
        if self._edited_at is None:
            return _Lookup([])
        rejoined = self._index.next_like_last(self._edited_at, EDIT_REACH)
        if rejoined is None and self._since_edit > 1:
            return _Lookup([])
        end = self._edited_at + 1 if rejoined is None else rejoined
        tokens = self._index.following(end, self._max_depth)
        tentative = rejoined is None
        return _Lookup(tokens, end, MIN_COPIED - 1, tentative=tentative, rejoined=not tentative)

    def _track_copy(self, tokens: Sequence[int]) -> None:
        """Record where `tokens` depart from the text that was looked up, or where the copy goes on after them."""
        self._since_edit += len(tokens)
        self._goes_on_at = None
        if self._since_edit > EDIT_REACH:
            self._edited_at = None
        lookup = self._lookup
        if lookup is None or not lookup.tokens:
            return
        if lookup.tentative:
            self._resumes = lookup.tokens[0] == tokens[0]
        copied = self._index.following(lookup.end, len(tokens))
        same = 0
        while same < len(copied) and copied[same] == tokens[same]:
            same += 1
        self._judge_return(lookup, same, len(tokens))
        is_copy = lookup.matched + same >= MIN_COPIED
        if is_copy:
            self._copied = min(MAX_MATCH, lookup.matched + same)
        if same == len(tokens):
            self._edited_at = None
            if is_copy:
                self._goes_on_at = lookup.end + same
        elif is_copy:
            self._edited_at = lookup.end + same
            self._since_edit = len(tokens) - same

    def _judge_return(self, lookup: _Lookup, same: int, committed: int) -> None:
        """Learn whether a copy that was found again behind an edit goes on.

        The first `same` of `committed` tokens continued `lookup`.
        """
        if not lookup.rejoined:
            self._returned = None
            return
        returned = (self._returned or 0) + same
        ended = same < committed
        if ended or returned >= MIN_COPIED:
            self._returns = returned >= MIN_COPIED
        self._returned = None if ended else returned

    def _vote(self, leader: Match, matches: list[Match]) -> list[int]:
        """Return the tokens after `leader`, the latest longest match, until too many other matches differ.

        Matches more than half as long vote with their lengths; one that differs at a position votes no more after it.
        """
        longest = leader.length
        tokens = self._index.following(leader.end, self._max_depth)
        voters = [
            (match.length, self._index.following(match.end, self._max_depth))
            for match in matches
            if 2 * match.length > longest and match is not leader
        ]
        for position, token in enumerate(tokens):
            votes = [(weight, voted) for weight, voted in voters if len(voted) > position]
            voters = [(weight, voted) for weight, voted in votes if voted[position] == token]
            agreeing = longest + sum(weight for weight, _ in voters)
            if agreeing < AGREEMENT * (longest + sum(weight for weight, _ in votes)):
                return tokens[:position]
        return tokens

    def _evaluate_shadow(self, tokens: Sequence[int]) -> None:
        """Compare the unused proposal with the committed tokens, over as many rounds as it covers.

        The first right token ends a pause (`_misses`).
        """
        if self._shadow is None:
            lookup = self._look_up()
            self._shadow = replace(lookup, tokens=lookup.tokens[:SHADOW_TOKENS])
            self._shadow_accepted = 0
        shadow = self._shadow
        for token in tokens:
            if self._shadow_accepted == len(shadow.tokens):
                break
            if shadow.tokens[self._shadow_accepted] != token:
                self._close_shadow(self._shadow_accepted + 1)
                return
            self._shadow_accepted += 1
            self._misses = min(self._misses, MISSES_TO_PAUSE - 1)
        if self._shadow_accepted == len(shadow.tokens):
            self._close_shadow(self._shadow_accepted)

    def _close_shadow(self, drafted: int) -> None:
        """Report an evaluation of `drafted` tokens, if it compared any, and end it."""
        if drafted:
            self._observations.append(Observation(drafted, self._shadow_accepted))
        self._shadow = None
