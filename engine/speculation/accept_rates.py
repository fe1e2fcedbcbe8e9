"""How likely each guess of a round is to be accepted, given that those before it were.

A slow estimate for every position says what this proposer is like; a fast one for the whole proposer says how
much harder or easier the text is right now. Both together follow a change from prose to code within a few
rounds without forgetting what the other was like.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import sqrt

# How many rounds each estimate looks back.
SLOW_ROUNDS = 200.0
FAST_ROUNDS = 12.0
# What is assumed before anything was seen, as so many observations, and rejections.
PRIOR_RATE = 0.7
PRIOR_WEIGHT = 2.0
PRIOR_REJECTIONS = 2.0


@dataclass(slots=True)
class _Position:
    reached: float = 0.0
    accepted: float = 0.0

    def observe(self, accepted: bool) -> None:
        keep = 1.0 - 1.0 / SLOW_ROUNDS
        self.reached = keep * self.reached + 1.0
        self.accepted = keep * self.accepted + accepted

    def rate(self, prior: float) -> float:
        return (self.accepted + PRIOR_WEIGHT * prior) / (self.reached + PRIOR_WEIGHT)


@dataclass(slots=True)
class _Difficulty:
    """Rejections of the last rounds, seen and expected; both fade."""

    seen: float = 0.0
    expected: float = 0.0

    def fade(self) -> None:
        self.seen *= 1.0 - 1.0 / FAST_ROUNDS
        self.expected *= 1.0 - 1.0 / FAST_ROUNDS

    @property
    def factor(self) -> float:
        return (self.seen + PRIOR_REJECTIONS) / (self.expected + PRIOR_REJECTIONS)


@dataclass(slots=True)
class _Source:
    positions: dict[str, list[_Position]] = field(default_factory=dict)
    difficulty: _Difficulty = field(default_factory=_Difficulty)


class AcceptRates:
    """Acceptance of every proposer, by kind of guess (its bucket) and position."""

    def __init__(self) -> None:
        self._sources: dict[str, _Source] = {}

    def observe(self, source: str, bucket: str, drafted: int, accepted: int) -> None:
        """Of `drafted` guesses the first `accepted` were right; what follows a miss says nothing."""
        reached = min(drafted, accepted + 1)
        known = self._sources.setdefault(source, _Source())
        expected = self.rates(source, bucket, reached, steady=True)
        known.difficulty.expected += sum(1.0 - rate for rate in expected)
        known.difficulty.seen += accepted < drafted
        for kind in {"", bucket}:
            positions = known.positions.setdefault(kind, [])
            positions.extend(_Position() for _ in range(reached - len(positions)))
            for index in range(reached):
                positions[index].observe(index < accepted)

    def round_passed(self) -> None:
        """Let what the text was like a moment ago fade, for every source."""
        for source in self._sources.values():
            source.difficulty.fade()

    def rates(self, source: str, bucket: str, depth: int, *, steady: bool = False, doubts: float = 0.0) -> list[float]:
        """Conditional acceptance of guesses 1..depth.

        `steady` leaves out what the text is like right now; `doubts` adds that many standard errors.
        """
        known = self._sources.get(source, _Source())
        factor = 1.0 if steady else known.difficulty.factor
        overall = known.positions.get("", [])
        own = known.positions.get(bucket, [])
        rates: list[float] = []
        prior = PRIOR_RATE
        for index in range(depth):
            trusted = overall[index] if index < len(overall) else _Position()
            rate = prior = trusted.rate(prior)
            if bucket:
                trusted = own[index] if index < len(own) else _Position()
                rate = trusted.rate(rate)
            rate = 1.0 - min(1.0, factor * (1.0 - rate))
            error = sqrt(rate * (1.0 - rate) / (trusted.reached + PRIOR_WEIGHT))
            rates.append(max(0.0, min(1.0, rate + doubts * error)))
        return rates

    def expected_accepted(self, source: str, bucket: str, depth: int, *, doubts: float = 0.0) -> list[float]:
        """How many guesses a round of 0..depth guesses keeps on average; depth + 1 numbers."""
        kept, survival = [0.0], 1.0
        for rate in self.rates(source, bucket, depth, doubts=doubts):
            survival *= rate
            kept.append(kept[-1] + survival)
        return kept

    def seen(self, source: str) -> float:
        """How many first guesses of a proposer were checked; old ones fade."""
        positions = self._sources[source].positions.get("", []) if source in self._sources else []
        return positions[0].reached if positions else 0.0

    def figures(self) -> list[tuple[str, int, float, float]]:
        """(source, position, reached, accepted), whatever kind of guess it was."""
        return [
            (name, position, known.reached, known.accepted)
            for name, source in self._sources.items()
            for position, known in enumerate(source.positions.get("", []))
        ]

    def export(self) -> dict[str, dict[str, list[list[float]]]]:
        """Plain data: source -> bucket -> [reached, accepted] for each position."""
        return {
            name: {
                bucket: [[position.reached, position.accepted] for position in positions]
                for bucket, positions in source.positions.items()
            }
            for name, source in self._sources.items()
        }

    def load(self, data: Mapping[str, Mapping[str, list[list[float]]]]) -> None:
        """Take over what `export` gave. Raises TypeError or ValueError for anything else."""
        sources: dict[str, _Source] = {}
        for name, buckets in data.items():
            sources[name] = _Source({bucket: [_known(*pair) for pair in pairs] for bucket, pairs in buckets.items()})
        self._sources = sources


def _known(reached: float, accepted: float) -> _Position:
    if not 0.0 <= accepted <= reached <= SLOW_ROUNDS:
        raise ValueError(f"not how often a position was reached and accepted: {reached!r}, {accepted!r}")
    return _Position(float(reached), float(accepted))
