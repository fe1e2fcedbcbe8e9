"""How likely each guess of a round is to be made, and to be accepted, given that those before it were.

A slow estimate for every position says what this proposer is like. It is kept for every way in which an answer can
have gone so far, because an answer that a draft model knows by heart begins like one of which it knows nothing, and
after a round or two the two have nothing in common. A fast one for the whole proposer says how much harder or easier
the text is right now. Together they follow a change from prose to code within a few rounds without forgetting what the
other was like.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt

# How many rounds each estimate looks back.
SLOW_ROUNDS = 200.0
FAST_ROUNDS = 12.0
# What is assumed before anything was seen, as so many observations, and rejections. How an answer went so far tells
# most about the next first guess: what holds in general counts for so many observations there, and more behind.
PRIOR_RATE = 0.7
PRIOR_WEIGHT = 2.0
COURSE_WEIGHT = 6.0
# Squared standard errors by which acceptance after some course has to differ before it counts.
BY_CHANCE = 3.0
PRIOR_REJECTIONS = 2.0
# Standard errors between what is expected and the best or worst case.
DOUBTS = 1.0
# Rounds in a row without a right guess that are told apart, and rounds without a verdict after which the last is old.
MOST_FAILURES = 3
OLD_ROUNDS = 16


@dataclass(slots=True)
class _Count:
    """How often something came up, and how often it was so; both fade."""

    reached: float = 0.0
    hits: float = 0.0

    def observe(self, hit: bool) -> None:
        keep = 1.0 - 1.0 / SLOW_ROUNDS
        self.reached = keep * self.reached + 1.0
        self.hits = keep * self.hits + hit

    def rate(self, prior: float, weight: float = PRIOR_WEIGHT) -> float:
        return (self.hits + weight * prior) / (self.reached + weight)


@dataclass(slots=True)
class _Position:
    """What is known about the guess at one position of a round.

    `verdicts`: it was right, if those before it were. `made`: it was made, if the one before it was and it was asked
    for. `made_if_right`: the same, if those before it were right.
    """

    verdicts: _Count = field(default_factory=_Count)
    made: _Count = field(default_factory=_Count)
    made_if_right: _Count = field(default_factory=_Count)

    @property
    def counts(self) -> tuple[_Count, _Count, _Count]:
        return self.verdicts, self.made, self.made_if_right


_NOTHING = _Position()


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
class _Course:
    """How the guesses of an answer have fared so far, in so far as the next ones fare differently after it."""

    last: str = ""
    failures: int = 0
    rounds_ago: int = 0

    def observe(self, drafted: int, accepted: int) -> None:
        self.rounds_ago = 0
        self.failures = 0 if accepted else min(self.failures + 1, MOST_FAILURES)
        self.last = f"none {self.failures}" if self.failures else "all" if accepted == drafted else "some"

    @property
    def begun(self) -> bool:
        return bool(self.last)

    def __str__(self) -> str:
        return "long ago" if self.begun and self.rounds_ago > OLD_ROUNDS else self.last or "nothing"


@dataclass(slots=True)
class _Source:
    """A proposer: its positions by kind of guess ("" for all together) and by kind and course."""

    positions: dict[str, list[_Position]] = field(default_factory=dict)
    difficulty: _Difficulty = field(default_factory=_Difficulty)
    course: _Course = field(default_factory=_Course)

    def kinds(self, bucket: str) -> list[str]:
        """From what holds in general to what holds now."""
        return [*dict.fromkeys(("", bucket)), f"{bucket} after {self.course}"]


@dataclass(frozen=True, slots=True)
class Prospect:
    """A round of 0..depth guesses: `kept[k]` of k guesses are right on average, `made[k]` is the chance of a k-th.

    `most_kept` and `least_kept` are what it could be, as far as acceptance is not certain.
    """

    kept: list[float]
    most_kept: list[float]
    least_kept: list[float]
    made: list[float]


class AcceptRates:
    """Acceptance of every proposer, by kind of guess (its bucket), how the answer went so far, and position."""

    def __init__(self) -> None:
        self._sources: dict[str, _Source] = {}

    def observe(
        self, source: str, bucket: str, drafted: int, accepted: int, made: int | None = None, asked: int | None = None
    ) -> None:
        """Of `drafted` guesses the first `accepted` were right; what follows a miss says nothing.

        `made` guesses of the `asked` ones were made, as many as had a verdict if not given.
        """
        reached = min(drafted, accepted + 1)
        made = drafted if made is None else made
        asked = made if asked is None else asked
        known = self._sources.setdefault(source, _Source())
        kinds = known.kinds(bucket)
        general, *narrower = (known.positions.get(kind, []) for kind in kinds)
        prior = PRIOR_RATE
        for index in range(reached):
            prior = _at(general, index).verdicts.rate(prior)
            known.difficulty.expected += 1.0 - _narrowed(prior, general, narrower, index)[0]
        known.difficulty.seen += accepted < drafted
        for kind in kinds:
            positions = known.positions.setdefault(kind, [])
            positions.extend(_Position() for _ in range(max(reached, min(made + 1, asked)) - len(positions)))
            for index in range(reached):
                positions[index].verdicts.observe(index < accepted)
            for index in range(1, min(made + 1, asked)):
                positions[index].made.observe(index < made)
                if index <= accepted:
                    positions[index].made_if_right.observe(index < made)
        known.course.observe(drafted, accepted)

    def begin(self) -> None:
        """An answer starts: nothing is known about its text yet."""
        for source in self._sources.values():
            source.difficulty, source.course = _Difficulty(), _Course()

    def round_passed(self) -> None:
        """Let what the text was like a moment ago fade, for every source."""
        for source in self._sources.values():
            source.difficulty.fade()
            source.course.rounds_ago += 1

    def prospect(self, source: str, bucket: str, depth: int) -> Prospect:
        """What rounds of 0..depth guesses bring now."""
        known = self._sources.get(source, _Source())
        general, *narrower = (known.positions.get(kind, []) for kind in known.kinds(bucket))
        factor = known.difficulty.factor
        kept, most_kept, least_kept, made = [0.0], [0.0], [0.0], [1.0]
        survives = survives_at_most = survives_at_least = 1.0
        prior = PRIOR_RATE
        for index in range(depth):
            rate = prior = _at(general, index).verdicts.rate(prior)
            rate, seen = _narrowed(rate, general, narrower, index)
            rate = 1.0 - min(1.0, factor * (1.0 - rate))
            error = DOUBTS * sqrt(rate * (1.0 - rate) / (seen + PRIOR_WEIGHT))
            goes_on = goes_on_if_right = 1.0
            for positions in (general, *narrower):
                if index < len(positions):
                    goes_on = positions[index].made.rate(goes_on)
                    goes_on_if_right = positions[index].made_if_right.rate(goes_on_if_right)
            survives *= goes_on_if_right * rate
            survives_at_most *= goes_on_if_right * min(1.0, rate + error)
            survives_at_least *= goes_on_if_right * max(0.0, rate - error)
            kept.append(kept[-1] + survives)
            most_kept.append(most_kept[-1] + survives_at_most)
            least_kept.append(least_kept[-1] + survives_at_least)
            made.append(made[-1] * goes_on)
        return Prospect(kept, most_kept, least_kept, made)

    def fresh(self, source: str) -> bool:
        """Whether no guess of a proposer was checked in this answer."""
        return source not in self._sources or not self._sources[source].course.begun

    def unsettled(self, source: str) -> bool:
        """Whether the last round of this answer in which a proposer guessed had nothing right, or there was none."""
        return self.fresh(source) or self._sources[source].course.failures > 0

    def seen(self, source: str) -> float:
        """How many first guesses of a proposer were checked; old ones fade."""
        return _at(self._sources[source].positions.get("", []), 0).verdicts.reached if source in self._sources else 0.0

    def figures(self) -> list[tuple[str, int, float, float]]:
        """(source, position, reached, accepted), whatever kind of guess it was."""
        return [
            (name, index, position.verdicts.reached, position.verdicts.hits)
            for name, source in self._sources.items()
            for index, position in enumerate(source.positions.get("", []))
            if position.verdicts.reached
        ]

    def export(self) -> dict[str, dict[str, list[list[float]]]]:
        """Plain data: source -> kind -> six numbers for each position, reached and hits of its three counts."""
        return {
            name: {
                kind: [[round(n, 3) for count in at.counts for n in (count.reached, count.hits)] for at in positions]
                for kind, positions in source.positions.items()
            }
            for name, source in self._sources.items()
        }

    def load(self, data: Mapping[str, Mapping[str, list[list[float]]]]) -> None:
        """Take over what `export` gave. Raises TypeError or ValueError for anything else."""
        sources: dict[str, _Source] = {}
        for name, kinds in data.items():
            sources[name] = _Source({kind: [_known(row) for row in rows] for kind, rows in kinds.items()})
        self._sources = sources


def _at(positions: list[_Position], index: int) -> _Position:
    return positions[index] if index < len(positions) else _NOTHING


def _narrowed(
    rate: float, general: list[_Position], narrower: Sequence[list[_Position]], index: int
) -> tuple[float, float]:
    """What holds in general at a position, made to hold for narrower kinds of guesses, and how many observations it
    rests on.
    """
    seen = _at(general, index).verdicts.reached
    for number, positions in enumerate(narrower, 1):
        # The last is how the answer went so far, the one before it, if any, the bucket.
        course = number == len(narrower)
        weight = COURSE_WEIGHT * (1 + index) if course else PRIOR_WEIGHT
        count = _at(positions, index).verdicts
        narrow = count.rate(rate, weight)
        if course and narrow != rate:
            # What could be chance is taken for chance, or every course would be guessed for in its own way.
            error = rate * (1.0 - rate) / (count.reached + weight)
            narrow = rate + (narrow - rate) * max(0.0, 1.0 - BY_CHANCE * error / (narrow - rate) ** 2)
        rate = narrow
        seen = count.reached + min(seen, weight)
    return rate, seen


def _known(row: Sequence[float]) -> _Position:
    verdicts, verdict_hits, made, made_hits, if_right, if_right_hits = row
    pairs = (verdicts, verdict_hits), (made, made_hits), (if_right, if_right_hits)
    if not all(0.0 <= hits <= reached <= SLOW_ROUNDS for reached, hits in pairs):
        raise ValueError(f"not how often a position was reached and right: {row!r}")
    return _Position(*(_Count(float(reached), float(hits)) for reached, hits in pairs))
