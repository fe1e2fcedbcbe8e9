"""Acceptance of draft tokens: a hidden Markov model of texts that are easy, mixed or hard for each source.

The states of all sources are one joint state, so what lookup meets also tells of the draft model. A text keeps its
state from round to round, or is drawn anew from what texts are usually like; answers begin with what texts are like at
their beginning. After Rabiner (1989), A tutorial on hidden Markov models, learned as it is used, with fading counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import isfinite, sqrt
from typing import Any

from engine.requests import MAX_DEPTH
from engine.speculation.choosing.costs import MEMORY
from engine.speculation.proposers.registry import DRAFTER_METHOD, PROPOSERS

# Acceptance of a draft token in easy, mixed and hard text before any was seen: the drafters in use lie between these.
FIRST_RATES = (0.95, 0.7, 0.2)
# Observations that what is known more generally counts for: so few that the first rounds speak.
WEIGHT = 2.0
# Rounds for which a text stays alike: a sentence or two, some lines of code.
STRETCH = 12.0

STATES = range(len(FIRST_RATES))


@dataclass(slots=True)
class _Count:
    """How often the draft token in some place of a round got a verdict, and was accepted; both fade."""

    reached: float = 0.0
    accepted: float = 0.0

    def observe(self, weight: float, accepted: bool) -> None:
        keep = 1.0 - weight / MEMORY
        self.reached = keep * self.reached + weight
        self.accepted = keep * self.accepted + weight * accepted

    def rate(self, prior: float) -> float:
        return (self.accepted + WEIGHT * prior) / (self.reached + WEIGHT)


_NONE = _Count()

# By state, then by position.
_Counts = tuple[list[_Count], ...]


@dataclass(slots=True)
class _Shares:
    """How often texts are in each joint state; the first ones count for `seen` observations, old ones fade."""

    seen: float
    shares: list[float] = field(default_factory=lambda: [1.0])

    def follow(self, belief: Sequence[float]) -> None:
        self.seen = min(self.seen + 1.0, MEMORY)
        self.shares = [share + (now - share) / self.seen for share, now in zip(self.shares, belief, strict=True)]

    def widen(self) -> None:
        """Take in one more source, each of whose states is as likely."""
        self.shares = [share / len(STATES) for _ in STATES for share in self.shares]


@dataclass(frozen=True, slots=True)
class Forecast:
    """Rounds of 0..depth draft tokens: `kept[k]` of k are accepted on average, `least` and `most` by one standard error
    to either side.
    """

    kept: Sequence[float]
    least: Sequence[float]
    most: Sequence[float]


class Texts:
    """What is known of the texts of one pair; each answer is a `Text`."""

    def __init__(self) -> None:
        self._counts: dict[tuple[str, str], _Counts] = {}
        # What has states of its own, in the order of the joint state's digits, the fastest first.
        self._chains: list[str] = []
        self._usual, self._first = _Shares(STRETCH * WEIGHT), _Shares(WEIGHT)
        self._forecasts: dict[tuple[str, str, int], list[Forecast]] = {}

    def sources(self) -> list[str]:
        """The sources whose draft tokens got verdicts."""
        return sorted({source for source, _ in self._counts})

    def figures(self) -> list[tuple[str, int, float, float]]:
        """(source, position, reached, accepted), over all states and kinds of proposal."""
        found = []
        for (source, kind), states in self._counts.items():
            for index in range(max(map(len, states)) if not kind else 0):
                counts = [_at(states, state, index) for state in STATES]
                found.append((source, index, sum(at.reached for at in counts), sum(at.accepted for at in counts)))
        return [row for row in found if row[2]]

    def by_state(self, source: str, kind: str, depth: int) -> list[Forecast]:
        """What is expected of `source` in each state."""
        key = source, kind, depth
        if key not in self._forecasts:
            self._forecasts[key] = [self._forecast(source, kind, state, depth) for state in STATES]
        return self._forecasts[key]

    def _forecast(self, source: str, kind: str, state: int, depth: int) -> Forecast:
        kept, least, most = [0.0], [0.0], [0.0]
        survives, variance = 1.0, 0.0
        for rate, seen in self._rates(source, kind, state, depth):
            survives *= rate
            # The errors of positions add up in squares, because they are independent.
            variance += (1.0 - rate) / rate / (seen + WEIGHT)
            kept.append(kept[-1] + survives)
            least.append(least[-1] + survives * max(0.0, 1.0 - sqrt(variance)))
            most.append(most[-1] + min(1.0, survives * (1.0 + sqrt(variance))))
        return Forecast(kept, least, most)

    def _rates(self, source: str, kind: str, state: int, depth: int) -> list[tuple[float, float]]:
        """By position the chance that a draft token is accepted, and the observations that it rests on."""
        general, special = self._counts.get((source, "")), self._counts.get((source, kind))
        found, rate = [], FIRST_RATES[state]
        for index in range(depth):
            at, own = _at(general, state, index), _at(special, state, index)
            rate = at.rate(rate)
            found.append((own.rate(rate), own.reached + min(at.reached, WEIGHT)) if kind else (rate, at.reached))
        return found

    def likelihoods(self, source: str, kind: str, verified: int, accepted: int) -> list[float]:
        """How likely it is in each state that of `verified` tokens the first `accepted` are accepted."""
        found = [1.0 for _ in STATES]
        for state in STATES:
            for index, (rate, _) in enumerate(self._rates(source, kind, state, min(verified, accepted + 1))):
                found[state] *= rate if index < accepted else 1.0 - rate
        return found

    def learn(self, source: str, kind: str, verified: int, accepted: int, weights: Sequence[float]) -> None:
        """Count a proposal in each state by how likely that was."""
        for name in {"", kind}:
            states = self._counts.setdefault((source, name), tuple([] for _ in STATES))
            for counts, weight in zip(states, weights, strict=True):
                counts.extend(_Count() for _ in range(min(verified, accepted + 1) - len(counts)))
                for index in range(min(verified, accepted + 1)):
                    counts[index].observe(weight, index < accepted)
        self._forecasts.clear()

    def export(self) -> dict[str, Any]:
        """Plain data for JSON."""
        counts = [
            [source, kind, [[[at.reached, at.accepted] for at in counts] for counts in states]]
            for (source, kind), states in self._counts.items()
        ]
        shares = [[one.seen, [*one.shares]] for one in (self._usual, self._first)]
        return {"counts": counts, "chains": [*self._chains], "shares": shares}

    def load(self, data: Any) -> None:
        """Replace everything by the result of `export`. Raises KeyError, TypeError or ValueError for other data."""
        counts = {(str(source), str(kind)): _known_counts(states) for source, kind, states in data["counts"]}
        chains = [str(name) for name in data["chains"]]
        usual, first = (_known_shares(row, len(chains)) for row in data["shares"])
        known = {_chain_of(source) for source in PROPOSERS}
        if (
            len(set(chains)) < len(chains)
            or not set(chains) <= known
            or not {one for one, _ in counts} <= PROPOSERS.keys()
        ):
            raise ValueError("not learned texts")
        self._counts, self._chains, self._usual, self._first = counts, chains, usual, first
        self._forecasts.clear()

    def _chain(self, source: str) -> int:
        """The digit of the joint state that is of `source`: all that one drafter makes is right or wrong together."""
        name = _chain_of(source)
        if name not in self._chains:
            self._chains.append(name)
            self._usual.widen()
            self._first.widen()
        return self._chains.index(name)


class Text:
    """One answer: how likely each joint state is now."""

    def __init__(self, texts: Texts, *, usual: bool = False) -> None:
        """A text that begins, or one that is what texts are `usual`ly like."""
        self._texts = texts
        self._belief = _Shares(0.0, list((texts._usual if usual else texts._first).shares))
        self._begun = False

    def seen(self, source: str) -> bool:
        """Whether any draft token of `source` got a verdict, in whichever text."""
        return (source, "") in self._texts._counts

    def forecast(self, source: str, kind: str, depth: int) -> Forecast:
        """What is expected of 0..`depth` draft tokens of `source` now."""
        weights = self._weights(source)
        states = self._texts.by_state(source, kind, depth)
        return Forecast(
            _mixed(weights, [one.kept for one in states]),
            _mixed(weights, [one.least for one in states]),
            _mixed(weights, [one.most for one in states]),
        )

    def observe(self, source: str, kind: str, verified: int, accepted: int) -> None:
        """Of `verified` draft tokens the first `accepted` were accepted; the ones behind a rejection say nothing."""
        texts, weights = self._texts, self._weights(source)
        likely, step = texts.likelihoods(source, kind, verified, accepted), len(STATES) ** texts._chain(source)
        whole = sum(weight * one for weight, one in zip(weights, likely, strict=True))
        shares = self._belief.shares
        self._belief.shares = [
            share * likely[index // step % len(STATES)] / whole for index, share in enumerate(shares)
        ]
        texts.learn(source, kind, verified, accepted, self._weights(source))
        if not self._begun:
            texts._first.follow(self._belief.shares)
        texts._usual.follow(self._belief.shares)
        self._begun = True

    def pass_rounds(self, rounds: int = 1) -> None:
        """So many rounds have passed: the text may have changed."""
        self._match()
        keep = (1.0 - 1.0 / STRETCH) ** rounds
        pairs = zip(self._belief.shares, self._texts._usual.shares, strict=True)
        self._belief.shares = [keep * share + (1.0 - keep) * usual for share, usual in pairs]

    def _weights(self, source: str) -> list[float]:
        """How likely each state of `source` is."""
        step = len(STATES) ** self._texts._chain(source)
        self._match()
        found = [0.0 for _ in STATES]
        for index, share in enumerate(self._belief.shares):
            found[index // step % len(STATES)] += share
        return found

    def _match(self) -> None:
        """Take in sources that came up since."""
        while len(self._belief.shares) < len(self._texts._usual.shares):
            self._belief.widen()


def _chain_of(source: str) -> str:
    return DRAFTER_METHOD if PROPOSERS[source].uses_drafter else source


def _mixed(weights: Sequence[float], columns: Sequence[Sequence[float]]) -> list[float]:
    return [
        sum(weight * value for weight, value in zip(weights, row, strict=True)) for row in zip(*columns, strict=True)
    ]


def _at(states: _Counts | None, state: int, index: int) -> _Count:
    return _NONE if states is None or index >= len(states[state]) else states[state][index]


def _known_counts(states: Any) -> _Counts:
    found = tuple([_Count(float(reached), float(accepted)) for reached, accepted in counts] for counts in states)
    rates = [at for counts in found for at in counts]
    if len(found) != len(STATES) or max(map(len, found)) > MAX_DEPTH + 1:
        raise ValueError("not how often positions were reached and accepted")
    if not all(0.0 <= at.accepted <= at.reached <= MEMORY for at in rates):
        raise ValueError("not how often positions were reached and accepted")
    return found


def _known_shares(row: Any, chains: int) -> _Shares:
    seen, shares = row
    seen, shares = float(seen), [float(share) for share in shares]
    if len(shares) != len(STATES) ** chains or not all(share >= 0.0 for share in shares) or not 0.0 < seen <= MEMORY:
        raise ValueError(f"not shares of {chains} sources' states")
    if not isfinite(sum(shares)) or sum(shares) <= 0.0:
        raise ValueError(f"not shares of {chains} sources' states")
    return _Shares(seen, shares)
