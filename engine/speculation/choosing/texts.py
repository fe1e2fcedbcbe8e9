"""Acceptance of draft tokens: a hidden Markov model of texts that are easy, mixed or hard to draft.

A text has one state for the drafter and one for sources that need none, such as lookup. The two form a joint state, so
that lookup's results are evidence for the drafter, too. From round to round a text keeps its state, or gets a new one
from the distribution of its answer, which begins as the usual one. After Rabiner (1989), A tutorial on hidden Markov
models, learned as it is used, with fading counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, pairwise, product
from math import exp, sqrt
from typing import Annotated, NamedTuple

from msgspec import Meta, Struct, field

from engine.methods import DRAFTER_METHOD, PROPOSERS
from engine.requests import MAX_DEPTH, MAX_DRAFTED
from engine.speculation.choosing.costs import FADING_ROUNDS, Costs

# Acceptance rates in easy, mixed and hard text before any was seen: those of the usual drafters lie between them. With
# one state, the slowest of several answers has 0.45 of plain decoding's speed in place of 0.91; with two, the first
# short answers of a pair are 3.0 % slower.
FIRST_RATES = (0.95, 0.7, 0.2)
# The number of observations that a prior counts for: few, so that the first rounds have an effect. With 1, text that
# becomes easy late is 5.8 % slower; with 8, hopeless pairs are 0.6 % slower.
PRIOR_WEIGHT = 2.0
# The rounds for which a text keeps its state: a sentence or two, some lines of code. With 4, text in turns is 3.9 %
# slower, and 7.4 % if it keeps its state for ever.
STATE_ROUNDS = 12.0
# The index from which all positions of a proposal without a drafter share one count. A copy breaks off at an edit,
# which is as likely at each place; the last positions alone are verified too seldom to tell.
SHARED_FROM = 4

# The least share of first draft tokens that a drafter made for the main model gets accepted: chance is about as good.
LEAST_RATE = 0.02
# What a count that fades over FADING_ROUNDS observations has reached after as many.
ENOUGH = FADING_ROUNDS * (1.0 - exp(-1.0))

# The joint states: (for the drafter, for all other sources). If they are independent, texts in turns are 0.6 % slower,
# and busy machines 0.4 %.
STATES = tuple(product(range(len(FIRST_RATES)), repeat=2))


class _Count(Struct):
    """How often the draft token at one position of a round, or some of them, was verified, and accepted; both fade."""

    reached: Annotated[float, Meta(ge=0.0, le=FADING_ROUNDS)] = 0.0
    accepted: Annotated[float, Meta(ge=0.0, le=FADING_ROUNDS)] = 0.0

    def __post_init__(self) -> None:
        if self.accepted > self.reached:
            raise ValueError("more were accepted than verified")

    def observe(self, weight: float, accepted: bool) -> None:
        keep = 1.0 - weight / FADING_ROUNDS
        self.reached = keep * self.reached + weight
        self.accepted = keep * self.accepted + weight * accepted

    def rate(self, prior: float) -> float:
        return (self.accepted + PRIOR_WEIGHT * prior) / (self.reached + PRIOR_WEIGHT)


# By state, then by position; what earlier versions learned has fewer.
_PositionCounts = Annotated[list[_Count], Meta(min_length=MAX_DRAFTED, max_length=MAX_DEPTH)]
_Counts = Annotated[list[_PositionCounts], Meta(min_length=len(FIRST_RATES), max_length=len(FIRST_RATES))]
_Share = Annotated[float, Meta(ge=0.0, le=1.0)]


class _Shares(Struct):
    """The distribution of joint states. The initial one counts for `seen` observations; old ones fade."""

    seen: Annotated[float, Meta(ge=PRIOR_WEIGHT, le=FADING_ROUNDS)]
    shares: Annotated[list[_Share], Meta(min_length=len(STATES), max_length=len(STATES))] = field(
        default_factory=lambda: [1.0 / len(STATES)] * len(STATES)
    )

    def __post_init__(self) -> None:
        if not any(self.shares):
            raise ValueError("no state is possible")

    def learn(self, belief: Sequence[float]) -> None:
        self.seen = min(self.seen + 1.0, FADING_ROUNDS)
        self.shares = _moved(self.shares, belief, 1.0 / self.seen)


class Forecast(NamedTuple):
    """Expected acceptance: of k draft tokens `accepted[k]` are accepted on average, for k in 0..depth.

    `least` and `most` are one standard error below and above.
    """

    accepted: Sequence[float]
    least: Sequence[float]
    most: Sequence[float]

    @property
    def reach(self) -> int:
        """The most draft tokens that it tells about."""
        return len(self.accepted) - 1

    @property
    def rates(self) -> list[float]:
        """How often each draft token is accepted if those before it are, from 0 to 1."""
        joint = [1.0, *(after - before for before, after in pairwise(self.accepted))]
        return [min(1.0, after / before) if before > 0.0 else 0.0 for before, after in pairwise(joint)]


class TextStatistics(Struct):
    """Statistics of the texts of one pair; each answer is an `AnswerState`. The fields are kept between runs."""

    counts: dict[str, _Counts] = {}
    usual: _Shares = field(default_factory=lambda: _Shares(STATE_ROUNDS * PRIOR_WEIGHT))

    def __post_init__(self) -> None:
        if not self.counts.keys() <= PROPOSERS.keys():
            raise ValueError("not learned texts")
        for positions in chain.from_iterable(self.counts.values()):
            positions += [_Count() for _ in range(MAX_DEPTH - len(positions))]

    def fits(self, source: str) -> bool:
        """False if hardly any first draft token of `source` was accepted, in about FADING_ROUNDS rounds or more."""
        firsts = [positions[0] for positions in self.counts.get(source, ())]
        reached = sum(first.reached for first in firsts)
        accepted = sum(first.accepted for first in firsts)
        return reached < ENOUGH or accepted >= LEAST_RATE * reached

    def forecast(self, source: str, weights: Sequence[float], depth: int) -> Forecast:
        """Forecast `source` if its states have the probabilities `weights`."""
        accepted, least, most = ([0.0] * (depth + 1) for _ in range(3))
        shared = _shared_from(source)
        for rate, weight, counts in zip(FIRST_RATES, weights, self._known(source), strict=True):
            survives = weight
            variance = 0.0
            expected = below = above = 0.0
            for index in range(1, depth + 1):
                count = counts[min(index - 1, shared)]
                # Of several positions with one count, this is the `number`th.
                number = max(1, index - shared)
                if number == 1:
                    rate = count.rate(rate)
                survives *= rate
                # The errors of counts are independent, so their variances add up: n**2 of one for n positions.
                variance += (2 * number - 1) * (1.0 - rate) / rate / (count.reached + PRIOR_WEIGHT)
                error = survives * sqrt(variance)
                expected += survives
                below += max(0.0, survives - error)
                above += min(weight, survives + error)
                accepted[index] += expected
                least[index] += below
                most[index] += above
        return Forecast(accepted, least, most)

    def likelihoods(self, source: str, verified: int, accepted: int) -> list[float]:
        """Return, for each state, how likely it is that the first `accepted` of `verified` tokens are accepted."""
        likelihoods = []
        shared = _shared_from(source)
        for rate, counts in zip(FIRST_RATES, self._known(source), strict=True):
            likely = 1.0
            for index in range(min(verified, accepted + 1)):
                if index <= shared:
                    rate = counts[index].rate(rate)
                likely *= rate if index < accepted else 1.0 - rate
            likelihoods.append(likely)
        return likelihoods

    def learn(self, source: str, verified: int, accepted: int, weights: Sequence[float]) -> None:
        """Count a proposal in each state, weighted by the state's probability."""
        states = self.counts[_counted(source)] = self._known(source)
        shared = _shared_from(source)
        for counts, weight in zip(states, weights, strict=True):
            for index in range(min(verified, accepted + 1)):
                counts[min(index, shared)].observe(weight, index < accepted)

    def _known(self, source: str) -> _Counts:
        return self.counts.get(_counted(source)) or [[_Count() for _ in range(MAX_DEPTH)] for _ in FIRST_RATES]


class AnswerState:
    """One answer: the costs of its rounds, and the present probabilities of the joint states of its text.

    Its rounds among other answers should have taken `taken_s` seconds so far, and plain decoding of its tokens beside
    the same answers `plain_s`.
    """

    def __init__(self, costs: Costs, texts: TextStatistics) -> None:
        self.costs = costs
        self._texts = texts
        self._belief = texts.usual.shares
        # The distribution of states in this answer; the usual one counts for one stretch of it. Without it, a text that
        # was hard so far would be expected to be like others after some plain rounds, and drafting be tried again.
        self._of_answer = _Shares(STATE_ROUNDS, texts.usual.shares)
        self.taken_s = self.plain_s = 0.0

    def go_on_from(self, earlier: AnswerState) -> None:
        """Take over what `earlier`, the state of the same answer so far, tells of its text, if it is of this pair."""
        if earlier._texts is self._texts:
            self._belief = earlier._belief
            self._of_answer = earlier._of_answer
            self.taken_s = earlier.taken_s
            self.plain_s = earlier.plain_s

    def forecast(self, source: str, depth: int) -> Forecast:
        """Forecast 0..`depth` draft tokens of `source` now."""
        return self._texts.forecast(source, self._weights(source), depth)

    def observe(self, source: str, verified: int, accepted: int) -> None:
        """Learn that the first `accepted` of `verified` draft tokens were accepted; the rejected tail is ignored."""
        texts = self._texts
        part = _part(source)
        likely = texts.likelihoods(source, verified, accepted)
        shares = [share * likely[state[part]] for share, state in zip(self._belief, STATES, strict=True)]
        whole = sum(shares)
        self._belief = [share / whole for share in shares]
        texts.learn(source, verified, accepted, self._weights(source))
        texts.usual.learn(self._belief)
        self._of_answer.learn(self._belief)

    def decay(self) -> None:
        """Move towards the distribution of this answer, because the text may have changed in a round."""
        self._belief = _moved(self._belief, self._of_answer.shares, 1.0 / STATE_ROUNDS)

    def _weights(self, source: str) -> list[float]:
        """Return the probability of each state of `source`."""
        part = _part(source)
        weights = [0.0] * len(FIRST_RATES)
        for share, state in zip(self._belief, STATES, strict=True):
            weights[state[part]] += share
        return weights


def _counted(source: str) -> str:
    """Return the source whose counts those of `source` are: what is drafted ahead, the draft model has drafted."""
    return DRAFTER_METHOD if PROPOSERS[source].ahead else source


def _shared_from(source: str) -> int:
    """Return the index from which all positions of `source` share one count; MAX_DEPTH if none do."""
    return MAX_DEPTH if PROPOSERS[source].uses_drafter else SHARED_FROM


def _part(source: str) -> int:
    """Return the index of the part of the joint state that `source` depends on."""
    return 0 if PROPOSERS[source].uses_drafter else 1


def _moved(shares: Sequence[float], towards: Sequence[float], part: float) -> list[float]:
    return [share + part * (other - share) for share, other in zip(shares, towards, strict=True)]
