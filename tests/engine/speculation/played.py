"""Plays answers in simulated seconds through the engine's own `Drafting`, as the controller decides.

An `Answer` holds the text and, for every position, a drafter's proposal there; a `Machine` holds the durations of
passes and drafting. `Player.auto` decides every round as the engine does, `Player.fixed` plays one arm throughout.
Nothing depends on the load of the machine that runs this.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, cast

import mlx.core as mx

from engine.answer_index.index import AnswerIndex
from engine.requests import SpeculationSettings
from engine.speculation.choosing.choice import FIRST_TOKEN, Choice
from engine.speculation.drafting import Drafting
from engine.speculation.proposers.draft_model import MIN_JOINT_PROBABILITY
from engine.speculation.proposers.earlier_answers import EarlierAnswersProposer
from engine.speculation.proposers.ngram import NgramProposer
from engine.speculation.request_proposers import RequestProposers
from engine.speculation.rounds.drawing import Drawn
from engine.speculation.rounds.proposal import Proposal, Proposer
from engine.speculation.rounds.round import PendingRound
from engine.speculation.rounds.row_rule import UNKNOWN, RowRules
from engine.stats import RoundRecord

TIMED_EVERY = 64
LOOKUPS = ("ngram", "chats")
# A draft token that no text contains.
WRONG = -1


@dataclass(frozen=True)
class Position:
    """The drafter's proposal after a token: how many of its tokens are right, and its confidence in each."""

    right: int
    chances: tuple[float, ...]


@dataclass(frozen=True)
class Answer:
    """`text` follows `prompt`; `positions[i]` is after `text[i]`. At most `limit` tokens were asked for."""

    kind: str
    prompt: tuple[int, ...]
    text: tuple[int, ...]
    positions: tuple[Position, ...]
    limit: int = 100


@dataclass(frozen=True)
class Machine:
    """Durations in milliseconds: of passes by rows from 1, and of drafting by draft tokens from 0.

    `pipelined` is that of a plain step that follows another, `entering` that of a change between plain and speculative
    rounds, `reading` that of a token that the drafter missed. A head's rounds are shorter by the share `waiting` unless
    its drafting is timed. `noise` is the standard deviation of a round's natural log; one round in `stall_every` takes
    up to three times as long.
    """

    passes: Sequence[float]
    drafting: Sequence[float]
    pipelined: float
    entering: float
    reading: float = 0.0
    waiting: float = 0.0
    noise: float = 0.03
    stall_every: int = 0

    def round_ms(self, source: str, depth: int, *, waits: bool, drafted: int | None = None) -> float:
        """Return the duration of a round of `depth` draft tokens; `waits` if a head's drafting is timed.

        `drafted` is how many were drafted, None for as many as are verified.
        """
        if source in LOOKUPS:
            return self.passes[depth]
        overlapped = source == "head" and not waits
        drafting = self.drafting[depth if drafted is None else drafted]
        return (self.passes[depth] + drafting) * (1.0 - self.waiting * overlapped)


@dataclass(frozen=True)
class Pair:
    """A machine with a drafter, and answers of the two. Without a `drafter` only lookup proposes."""

    name: str
    machine: Machine
    answers: Sequence[Answer]
    drafter: str = "draft"
    lookup: bool = True

    @property
    def max_depth(self) -> int:
        return len(self.machine.drafting if self.drafter else self.machine.passes) - 1

    @property
    def widest(self) -> int:
        """The most draft tokens that a pass verifies."""
        return len(self.machine.passes) - 1


class _Place:
    """The position in the answer being played."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        # Tokens of the text that are committed.
        self.count = 1

    def matching(self, tokens: Sequence[int]) -> int:
        """Return how many of the proposed `tokens` the text continues with."""
        text = self.answer.text[self.count : self.count + len(tokens)]
        return next((i for i, pair in enumerate(zip(tokens, text, strict=False)) if pair[0] != pair[1]), len(text))


class RecordedDrafter(Proposer):
    """Makes the proposals recorded after the newest token."""

    prefilled_tokens = 0

    def __init__(self, place: _Place, source: str, max_depth: int, *, adaptive: bool) -> None:
        self.source = source
        self._place = place
        self._max_depth = max_depth
        self._adaptive = adaptive
        self._read = 0

    @property
    def lag(self) -> int:
        place = self._place
        return len(place.answer.prompt) + place.count - 1 - self._read

    @property
    def backlog(self) -> int:
        return 0 if self.source == "head" else max(0, self.lag - 1)

    def max_proposals(self) -> int:
        return self._max_depth

    def propose(self, depth: int) -> Proposal:
        place = self._place
        at = place.answer.positions[place.count - 1]
        count = _proposed(at.chances, depth) if self.source != "head" and self._adaptive else depth
        if self.backlog:
            self.prefilled_tokens += self.lag
        right = place.answer.text[place.count : place.count + min(at.right, count)]
        tokens = [*right, *[WRONG] * (count - len(right))]
        return Proposal(tokens, self.source, count, None, count < depth)

    def committed(self, tokens: Sequence[int], accepted: int, drafted: int) -> None:
        del tokens
        if drafted:
            place = self._place
            self._read = len(place.answer.prompt) + place.count + min(accepted, drafted - 1)


def _proposed(chances: Sequence[float], depth: int) -> int:
    """Return how many tokens are proposed with early stopping; another one was drafted if there are fewer."""
    return next((count for count in range(1, depth) if math.prod(chances[:count]) < MIN_JOINT_PROBABILITY), depth)


class Player:
    """Plays answers of one pair on its machine, one after another; the same seed gives the same noise.

    With `earlier`, it looks up in these answers, too.
    """

    def __init__(self, pair: Pair, seed: int = 0, earlier: AnswerIndex | None = None) -> None:
        self.pair = pair
        self._earlier = earlier
        self._random = random.Random(seed)
        self._last: str | None = None
        self._rounds = 0
        info = SimpleNamespace(name=pair.name, bytes=1, kv_bits=None, taught="")
        self.drafting = Drafting(cast("Any", SimpleNamespace(info=info)))

    def auto(self, answer: Answer) -> float:
        """Play the answer as the controller decides; returns its milliseconds."""
        place, ms = _Place(answer), 0.0
        request = self._begin(answer, place)
        text = len(answer.text)
        # The first token: a plain round that is not pipelined.
        self._last, number = "plain", 0
        following: Choice | None = None
        self._observe(request, FIRST_TOKEN, _pending(None), 1, 0, self._ms(None, 0))
        while place.count < text:
            read_before = request.draft_prefill_tokens
            pipelined = following is not None
            choice = following or self._choose(request, answer.limit - place.count)
            source, depth = choice.source, choice.depth
            share = None if source is None else request.answer.costs.drafting_share(source, depth, depth + 1)
            proposal = request.by_source[source].propose(depth) if source is not None and depth else None
            catching = request.draft_prefill_tokens - read_before
            pending = _pending(proposal)
            accepted = 0 if proposal is None else place.matching(cast("list[int]", proposal.tokens))
            timed = depth > 0 and (share is None or number % TIMED_EVERY == TIMED_EVERY - 1)
            waits = proposal is not None and timed
            stopped = proposal is not None and proposal.stopped_early
            jitter, drafting = self._ms(source if depth else None, pending.depth, stopped=stopped, waits=waits)
            if waits:
                pending.draft_s = drafting / 1e3
            seconds = (jitter + catching * self.pair.machine.reading) / 1e3
            following = self._follows(request, proposal, answer.limit - place.count)
            pending.pipelined, pending.followed = pipelined, following is not None
            if depth == 0 and not pipelined:
                seconds += 0.07 * self.pair.machine.pipelined / 1e3
            committed = min(accepted + 1, text - place.count)
            tokens = answer.text[place.count : place.count + committed]
            for name, proposer in request.by_source.items():
                used = proposal is not None and name == source
                proposer.committed(tokens, accepted if used else 0, pending.depth if used else 0)
            place.count += committed
            self._observe(request, choice, pending, committed, min(accepted, committed), (seconds * 1e3, drafting))
            ms += seconds * 1e3
            number += 1
        self.drafting.end(request)
        return ms

    def _follows(self, request: RequestProposers, proposal: Proposal | None, remaining: int) -> Choice | None:
        """Return the plain round that the engine would start before a plain one is read; None if there is none."""
        if proposal is not None or remaining <= 1:
            return None
        choice = self._choose(request, remaining - 1)
        return choice if choice.depth == 0 else None

    def _choose(self, request: RequestProposers, remaining: int) -> Choice:
        [choice] = self.drafting.choose([(request, remaining)])
        return choice

    def fixed(self, answer: Answer, source: str, depth: int) -> float:
        """Return the milliseconds of the answer with `depth` draft tokens of `source` in every round; 0 is plain."""
        place, ms = _Place(answer), 0.0
        self._last = "plain"
        proposer = self._proposer(source, place, depth, adaptive=False) if depth else None
        if proposer is not None:
            proposer.reset((*answer.prompt, answer.text[0]))
        unread = 0.0 if source == "ngram" else len(answer.prompt) * self.pair.machine.reading
        followed = False
        while place.count < len(answer.text):
            most = 0 if proposer is None else min(depth, proposer.max_proposals(), answer.limit - place.count - 1)
            # A plain round that follows another was started before that one's token could be looked up.
            most, followed = (0, most <= 0) if followed else (most, most <= 0)
            proposal = proposer.propose(most) if proposer is not None and most > 0 else None
            if proposal is not None:
                ms, unread = ms + unread, 0.0
            accepted = 0 if proposal is None else place.matching(cast("list[int]", proposal.tokens))
            drafted = 0 if proposal is None else proposal.count
            ms += self._ms(source if drafted else None, drafted)[0]
            committed = min(accepted + 1, len(answer.text) - place.count)
            if proposer is not None:
                proposer.committed(answer.text[place.count : place.count + committed], accepted, drafted)
            place.count += committed
        return ms

    def _begin(self, answer: Answer, place: _Place) -> RequestProposers:
        """Start a request of `Drafting` whose proposers are those of this pair."""
        conversation = SimpleNamespace(
            main=SimpleNamespace(plain_only="test", next_rule=UNKNOWN, row_rules=RowRules(), pending=[]),
            drop_drafter=lambda: None,
        )
        sampler = SimpleNamespace(constrained=False)
        request = RequestProposers(
            cast("Any", None), SpeculationSettings(), cast("Any", conversation), cast("Any", sampler), alone=True
        )
        pair = self.pair
        if pair.drafter:
            request.by_source[pair.drafter] = self._proposer(pair.drafter, place, pair.max_depth, adaptive=True)
        if pair.lookup:
            request.by_source["ngram"] = self._proposer("ngram", place, pair.widest, adaptive=True)
        if self._earlier is not None:
            request.by_source["chats"] = EarlierAnswersProposer(pair.widest, frozenset(), self._earlier, 2**31)
        for proposer in request.by_source.values():
            proposer.reset((*answer.prompt, answer.text[0]))
        request.plain_reason = None
        self.drafting._requests = [request]
        request.answer = self.drafting.controller.begin()
        return request

    def _proposer(self, source: str, place: _Place, depth: int, *, adaptive: bool) -> Proposer:
        if source == "ngram":
            return NgramProposer(depth, adaptive=adaptive)
        return RecordedDrafter(place, source, min(depth, self.pair.max_depth), adaptive=adaptive)

    def _ms(self, source: str | None, depth: int, *, stopped: bool = False, waits: bool = False) -> tuple[float, float]:
        """Return the milliseconds of a round, and of its drafting."""
        machine = self.pair.machine
        self._rounds += 1
        noise = self._random.lognormvariate(0.0, machine.noise)
        if machine.stall_every and self._random.random() < 1.0 / machine.stall_every:
            noise *= self._random.uniform(1.3, 3.0)
        kind = "plain" if source is None else "draft"
        entering = machine.entering if kind != self._last else 0.0
        self._last = kind
        if source is None:
            return (machine.pipelined + entering) * noise, 0.0
        # A drafter that stopped early has drafted one more than it proposed.
        drafting = 0.0 if source in LOOKUPS else machine.drafting[depth + stopped]
        ms = machine.round_ms(source, depth, waits=waits, drafted=depth + stopped)
        return (ms + entering) * noise, drafting * noise

    def _observe(
        self,
        request: RequestProposers,
        choice: Choice,
        pending: PendingRound,
        committed: int,
        accepted: int,
        ms: tuple[float, float],
    ) -> None:
        drafted = pending.depth if committed > accepted or accepted == 0 else accepted
        seconds, draft_s = ms[0] / 1e3, pending.draft_s or 0.0
        record = RoundRecord(
            0, choice.source or "main", drafted, accepted, committed, pending.rows, 0.0, draft_s, seconds - draft_s, 0.0
        )
        self.drafting.timing.observe(request, choice, pending, record, seconds)
        self.drafting.learn(request, choice, pending.proposal, record)


def _pending(proposal: Proposal | None) -> PendingRound:
    nothing = mx.array(0)
    rows = 1 if proposal is None else 1 + proposal.count
    return PendingRound(proposal, None, Drawn(nothing, nothing), rows, True, None)


def arms_of(pair: Pair) -> list[tuple[str, int]]:
    """Return the fixed arms that auto is compared with: plain, every depth of the drafter, and lookup."""
    arms = [("plain", 0)]
    if pair.drafter:
        arms += [(pair.drafter, depth) for depth in range(1, pair.max_depth + 1)]
    if pair.lookup:
        arms += [("ngram", depth) for depth in (4, 8, 16, 24, 32) if depth <= pair.widest]
    return arms
