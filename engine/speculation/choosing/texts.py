"""Acceptance of draft tokens: a hidden Markov model of texts that are easy, mixed or hard to draft.

A text is in one state for what the drafter proposes, and in one for what needs none, such as lookup. The two are one
joint state, so what lookup meets also tells of the drafter. A text keeps its state from round to round, or is drawn
anew from what texts are usually like; answers begin with what texts are like at their beginning. After Rabiner (1989),
A tutorial on hidden Markov models, learned as it is used, with fading counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import sqrt
from typing import Annotated, NamedTuple

from msgspec import Meta, Struct, field

from engine.requests import MAX_DEPTH
from engine.speculation.choosing.costs import MEMORY
from engine.speculation.proposers.registry import PROPOSERS
from engine.tuning import AcceptanceFigures

# Acceptance of a draft token in easy, mixed and hard text before any was seen: the drafters in use lie between these.
FIRST_RATES = (0.95, 0.7, 0.2)
# Observations that what is known more generally counts for: so few that the first rounds speak.
WEIGHT = 2.0
# Rounds for which a text stays alike: a sentence or two, some lines of code.
STRETCH = 12.0

# The joint states: for what the drafter proposes, and for everything else.
STATES = tuple(product(range(len(FIRST_RATES)), repeat=2))


class _Count(Struct):
    """How often the draft token in some place of a round got a verdict, and was accepted; both fade."""

    reached: Annotated[float, Meta(ge=0.0, le=MEMORY)] = 0.0
    accepted: Annotated[float, Meta(ge=0.0, le=MEMORY)] = 0.0

    def __post_init__(self) -> None:
        if self.accepted > self.reached:
            raise ValueError("more were accepted than got a verdict")

    def observe(self, weight: float, accepted: bool) -> None:
        keep = 1.0 - weight / MEMORY
        self.reached = keep * self.reached + weight
        self.accepted = keep * self.accepted + weight * accepted

    def rate(self, prior: float) -> float:
        return (self.accepted + WEIGHT * prior) / (self.reached + WEIGHT)


# By state, then by position.
_Positions = Annotated[list[_Count], Meta(min_length=MAX_DEPTH, max_length=MAX_DEPTH)]
_Counts = Annotated[list[_Positions], Meta(min_length=len(FIRST_RATES), max_length=len(FIRST_RATES))]
_Share = Annotated[float, Meta(ge=0.0, le=1.0)]


class _Shares(Struct):
    """How often texts are in each joint state; the first ones count for `seen` observations, old ones fade."""

    seen: Annotated[float, Meta(ge=WEIGHT, le=MEMORY)]
    shares: Annotated[list[_Share], Meta(min_length=len(STATES), max_length=len(STATES))] = field(
        default_factory=lambda: [1.0 / len(STATES)] * len(STATES)
    )

    def __post_init__(self) -> None:
        if not any(self.shares):
            raise ValueError("no state is possible")

    def follow(self, belief: Sequence[float]) -> None:
        self.seen = min(self.seen + 1.0, MEMORY)
        self.shares = _moved(self.shares, belief, 1.0 / self.seen)


class Forecast(NamedTuple):
    """Rounds of 0..depth draft tokens: `kept[k]` of k are accepted on average, `least` and `most` by one standard error
    to either side.
    """

    kept: Sequence[float]
    least: Sequence[float]
    most: Sequence[float]


class Texts(Struct):
    """What is known of the texts of one pair; each answer is a `Text`. The fields are what is kept between runs."""

    counts: dict[str, _Counts] = {}
    usual: _Shares = field(default_factory=lambda: _Shares(STRETCH * WEIGHT))
    first: _Shares = field(default_factory=lambda: _Shares(WEIGHT))

    def __post_init__(self) -> None:
        if not self.counts.keys() <= PROPOSERS.keys():
            raise ValueError("not learned texts")

    def figures(self) -> Iterator[AcceptanceFigures]:
        """How often draft tokens were accepted, over all states."""
        for source, states in self.counts.items():
            for index, counts in enumerate(zip(*states, strict=True)):
                if reached := sum(one.reached for one in counts):
                    yield AcceptanceFigures(source, index, reached, sum(one.accepted for one in counts))

    def forecast(self, source: str, weights: Sequence[float], depth: int) -> Forecast:
        """What is expected of `source` where its states have such weights."""
        kept, least, most = ([0.0] * (depth + 1) for _ in range(3))
        for rate, weight, counts in zip(FIRST_RATES, weights, self._known(source), strict=True):
            survives, variance = weight, 0.0
            expected = below = above = 0.0
            for index, count in enumerate(counts[:depth], start=1):
                rate = count.rate(rate)
                survives *= rate
                # The errors of positions add up in squares, because they are independent.
                variance += (1.0 - rate) / rate / (count.reached + WEIGHT)
                error = survives * sqrt(variance)
                expected += survives
                below += max(0.0, survives - error)
                above += min(weight, survives + error)
                kept[index] += expected
                least[index] += below
                most[index] += above
        return Forecast(kept, least, most)

    def likelihoods(self, source: str, verified: int, accepted: int) -> list[float]:
        """How likely it is in each state that of `verified` tokens the first `accepted` are accepted."""
        found = []
        for rate, counts in zip(FIRST_RATES, self._known(source), strict=True):
            likely = 1.0
            for index, count in enumerate(counts[: min(verified, accepted + 1)]):
                rate = count.rate(rate)
                likely *= rate if index < accepted else 1.0 - rate
            found.append(likely)
        return found

    def learn(self, source: str, verified: int, accepted: int, weights: Sequence[float]) -> None:
        """Count a proposal in each state by how likely that was."""
        states = self.counts[source] = self._known(source)
        for counts, weight in zip(states, weights, strict=True):
            for index, count in enumerate(counts[: min(verified, accepted + 1)]):
                count.observe(weight, index < accepted)

    def _known(self, source: str) -> _Counts:
        return self.counts.get(source) or [[_Count() for _ in range(MAX_DEPTH)] for _ in FIRST_RATES]


class Text:
    """One answer: how likely each joint state is now."""

    def __init__(self, texts: Texts, *, usual: bool = False) -> None:
        """A text that begins, or one that is what texts are `usual`ly like."""
        self._texts = texts
        self._belief = (texts.usual if usual else texts.first).shares
        self._begun = False

    def seen(self, source: str) -> bool:
        """Whether any draft token of `source` got a verdict, in whichever text."""
        return source in self._texts.counts

    def forecast(self, source: str, depth: int) -> Forecast:
        """What is expected of 0..`depth` draft tokens of `source` now."""
        return self._texts.forecast(source, self._weights(source), depth)

    def observe(self, source: str, verified: int, accepted: int) -> None:
        """Of `verified` draft tokens the first `accepted` were accepted; the ones behind a rejection say nothing."""
        texts, part = self._texts, _part(source)
        likely = texts.likelihoods(source, verified, accepted)
        shares = [share * likely[state[part]] for share, state in zip(self._belief, STATES, strict=True)]
        whole = sum(shares)
        self._belief = [share / whole for share in shares]
        texts.learn(source, verified, accepted, self._weights(source))
        if not self._begun:
            texts.first.follow(self._belief)
        texts.usual.follow(self._belief)
        self._begun = True

    def pass_round(self) -> None:
        """A round has passed: the text may have changed."""
        self._belief = _moved(self._belief, self._texts.usual.shares, 1.0 / STRETCH)

    def _weights(self, source: str) -> list[float]:
        """How likely each state of `source` is."""
        part, found = _part(source), [0.0] * len(FIRST_RATES)
        for share, state in zip(self._belief, STATES, strict=True):
            found[state[part]] += share
        return found


def _part(source: str) -> int:
    """The part of the joint state that is about `source`: all that one drafter makes is right or wrong together."""
    return 0 if PROPOSERS[source].uses_drafter else 1


def _moved(shares: Sequence[float], towards: Sequence[float], part: float) -> list[float]:
    return [share + part * (other - share) for share, other in zip(shares, towards, strict=True)]
