"""Acceptance rates: how likely each draft token of a round is to be made and accepted, given that those before it were.

A slow estimate for each position describes the proposer. It is also kept by recent outcome (`_RecentOutcome`), because
answers that begin alike can turn out predictable or not, which shows after a round or two; for proposals of several
kinds, by that of the other proposers: what a draft model predicts well is new text, which lookup finds nowhere but by
chance; and by the length of the prompt, which tells before the first round what is asked for, as long ones bring the
text that the answer is made of. A fast estimate for the whole proposer scales all positions by how hard the current
text is. Together they follow a change from prose to code within a few rounds and still know the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf, sqrt
from typing import NamedTuple

from engine.speculation.prompt_sizes import SIZES, pooled_weight, prompt_size

# How many rounds an estimate of a proposer looks back: some ten answers.
SLOW_ROUNDS = 200.0
# How many rounds that of the text looks back: a stretch of text is about as long.
FAST_ROUNDS = 12.0
# The acceptance of draft tokens before any was seen: that of pairs that are in use.
PRIOR_RATE = 0.7
# How many observations that counts for: so few that the first rounds speak.
PRIOR_WEIGHT = 2.0
# How many observations the general rate counts for, given the recent outcome, at the first position; more at later
# ones, which the outcome says less about.
OUTCOME_WEIGHT = 6.0
# Squared standard errors by which the rate after some outcome has to differ from the general one before it counts.
BY_CHANCE = 3.0
# Rejections, seen and expected, that the text's difficulty starts from: how soon a hard text counts as one.
PRIOR_REJECTIONS = 1.0
# Standard errors between the expected and the best or worst case.
DOUBTS = 1.0
# The longest run of rounds with nothing accepted that is distinguished.
MAX_FAILURES = 3


@dataclass(slots=True)
class _Count:
    """How often something was observed and how often it was true; both decay."""

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
    """Statistics of one position of a round.

    `verdicts`: the draft token was accepted, given that those before it were. `made`: it was drafted, given that the
    one before it was and that it was asked for. `made_if_right`: the same, given that those before it were accepted.
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
    """Rejections of the last rounds, observed and expected; both decay."""

    seen: float = 0.0
    expected: float = 0.0

    def fade(self) -> None:
        self.seen *= 1.0 - 1.0 / FAST_ROUNDS
        self.expected *= 1.0 - 1.0 / FAST_ROUNDS

    @property
    def factor(self) -> float:
        return (self.seen + PRIOR_REJECTIONS) / (self.expected + PRIOR_REJECTIONS)


@dataclass(slots=True)
class _RecentOutcome:
    """The outcome of the last round of an answer that had draft tokens: all, some or none of them accepted."""

    last: str = ""
    failures: int = 0

    def observe(self, drafted: int, accepted: int) -> None:
        self.failures = 0 if accepted else min(self.failures + 1, MAX_FAILURES)
        self.last = f"none {self.failures}" if self.failures else "all" if accepted == drafted else "some"

    @property
    def goes_well(self) -> bool:
        """Whether draft tokens were accepted: then a steady depth does more than the last round tells."""
        return bool(self.last) and not self.failures

    def __str__(self) -> str:
        return self.last or "nothing"


class _Expected(NamedTuple):
    """What is expected at a position: the rate of acceptance, before the text's difficulty, the observations it rests
    on, and the chances that a draft token is made there, in general and if those before it were accepted.
    """

    rate: float
    seen: float
    made: float
    made_if_right: float


class _Level(NamedTuple):
    """Statistics of one kind; the more general rate counts for `weight` observations. `by_outcome` if they are of one
    recent outcome: then for more at later positions, which the outcome says less about.
    """

    positions: list[_Position]
    weight: float = PRIOR_WEIGHT
    by_outcome: bool = False


@dataclass(slots=True)
class _Source:
    """A proposer's positions by key ("" for all together): by bucket, and in each by what else tells rounds apart.

    `pooled` is how many observations all prompts count for beside those of one size, by bucket, once it was needed.
    `expected` is what was found for a bucket, prompt, the others' outcomes and a depth, until a round is observed.
    """

    positions: dict[str, list[_Position]] = field(default_factory=dict)
    difficulty: _Difficulty = field(default_factory=_Difficulty)
    outcome: _RecentOutcome = field(default_factory=_RecentOutcome)
    pooled: dict[str, float] = field(default_factory=dict)
    expected: dict[tuple[str, int, str, int], list[_Expected]] = field(default_factory=dict)

    def begin(self) -> None:
        """An answer starts."""
        self.difficulty, self.outcome = _Difficulty(), _RecentOutcome()
        self.pooled.clear()
        self.expected.clear()

    def keys(self, bucket: str, prompt: int, others: str) -> list[str]:
        """What a round now counts for, if its prompt is of this size and `others` had these outcomes."""
        keys = [*dict.fromkeys(("", bucket)), _after(bucket, self.outcome)]
        if bucket and others:
            keys.append(_beside(bucket, others))
        if prompt:
            keys += [_of(bucket, prompt), _after(_of(bucket, prompt), self.outcome)]
        return keys

    def levels(self, bucket: str, prompt: int, others: str) -> list[_Level]:
        """The same statistics where they tell something, from the most general to the most specific."""
        levels = [_Level(self._at(key)) for key in dict.fromkeys(("", bucket))]
        weight = self._pooled(bucket) if prompt else inf
        if weight < inf:
            levels.append(_Level(self._at(_of(bucket, prompt)), weight))
        levels.append(_Level(self._at(_after(bucket, self.outcome)), OUTCOME_WEIGHT, by_outcome=True))
        if bucket and others:
            levels.append(_Level(self._at(_beside(bucket, others))))
        if weight < inf and not self.outcome.goes_well:
            levels.append(_Level(self._at(_after(_of(bucket, prompt), self.outcome)), weight))
        return levels

    def expect(self, bucket: str, prompt: int, others: str, depth: int) -> list[_Expected]:
        """What is expected at the first `depth` positions of a round now."""
        key = bucket, prompt, others, depth
        if key not in self.expected:
            general, *narrower = levels = self.levels(bucket, prompt, others)
            self.expected[key], prior = [], PRIOR_RATE
            for index in range(depth):
                prior = _at(general.positions, index).verdicts.rate(prior)
                made = made_if_right = 1.0
                for positions, _, _ in levels:
                    if index < len(positions):
                        made = positions[index].made.rate(made)
                        made_if_right = positions[index].made_if_right.rate(made_if_right)
                self.expected[key].append(_Expected(*_narrowed(prior, general, narrower, index), made, made_if_right))
        return self.expected[key]

    def _at(self, key: str) -> list[_Position]:
        return self.positions.get(key, [])

    def _pooled(self, bucket: str) -> float:
        if bucket not in self.pooled:
            groups = []
            for size in SIZES:
                of_size = _of(bucket, size)
                # Rounds of one answer are alike, so each answer counts once.
                answers = _at(self._at(_after(of_size, _RecentOutcome())), 0).verdicts.reached
                rounds = _at(self._at(of_size), 0).verdicts
                if answers and rounds.reached:
                    groups.append((answers, rounds.hits / rounds.reached))
            self.pooled[bucket] = max(PRIOR_WEIGHT, pooled_weight(groups))
        return self.pooled[bucket]


def _after(key: str, outcome: _RecentOutcome) -> str:
    return f"{key} after {outcome}"


def _beside(key: str, others: str) -> str:
    return f"{key} beside {others}"


def _of(key: str, prompt: int) -> str:
    return f"{key} of {prompt}"


@dataclass(frozen=True, slots=True)
class AcceptForecast:
    """Rounds of 0..depth draft tokens: `kept[k]` of k are accepted on average, `made[k]` is the chance of a k-th.

    `most_kept` and `least_kept` are the best and the worst case. For the best, the errors of positions add up in
    squares, because they are independent; the worst, which exploring has to be able to afford, takes all as bad.
    """

    kept: list[float]
    most_kept: list[float]
    least_kept: list[float]
    made: list[float]


class AcceptRates:
    """Acceptance of every proposer, by bucket, length of the prompt, recent outcome and position.

    With `others`, the rates of an answer beside others: what is learned is shared with those, while difficulty and
    recent outcome are this answer's own.
    """

    def __init__(self, others: AcceptRates | None = None) -> None:
        self._sources: dict[str, _Source] = {}
        self._others = others
        self._prompt = 0

    def observe(
        self, source: str, bucket: str, drafted: int, accepted: int, made: int | None = None, asked: int | None = None
    ) -> None:
        """Of `drafted` tokens the first `accepted` were accepted; those behind the first rejection say nothing.

        Of `asked` draft tokens `made` were drafted; by default as many as were verified.
        """
        reached = min(drafted, accepted + 1)
        made = drafted if made is None else made
        asked = made if asked is None else asked
        known = self._source(source)
        holding = bucket, self._prompt, self._outcomes_beside(source)
        general, *narrower = known.levels(*holding)
        prior = PRIOR_RATE
        for index in range(reached):
            prior = _at(general.positions, index).verdicts.rate(prior)
            known.difficulty.expected += 1.0 - _narrowed(prior, general, narrower, index)[0]
        known.difficulty.seen += accepted < drafted
        for key in known.keys(*holding):
            positions = known.positions.setdefault(key, [])
            positions.extend(_Position() for _ in range(max(reached, min(made + 1, asked)) - len(positions)))
            for index in range(reached):
                positions[index].verdicts.observe(index < accepted)
            for index in range(1, min(made + 1, asked)):
                positions[index].made.observe(index < made)
                if index <= accepted:
                    positions[index].made_if_right.observe(index < made)
        known.outcome.observe(drafted, accepted)
        known.expected.clear()

    def begin(self, prompt_tokens: int = 0) -> None:
        """An answer starts: nothing is known about its text yet but the length of the prompt, 0 for not even that."""
        self._prompt = prompt_size(prompt_tokens)
        for source in self._sources.values():
            source.begin()

    def round_passed(self) -> None:
        """Let each source's current difficulty age by one round."""
        for source in self._sources.values():
            source.difficulty.fade()

    def forecast(self, source: str, bucket: str, depth: int) -> AcceptForecast:
        """Expected acceptance of rounds of 0..depth draft tokens now."""
        known = self._source(source)
        factor = known.difficulty.factor
        kept, most_kept, least_kept, made = [0.0], [0.0], [0.0], [1.0]
        survives = survives_at_least = goes_on_so_far = 1.0
        variance = 0.0
        for at in known.expect(bucket, self._prompt, self._outcomes_beside(source), depth):
            rate = 1.0 - min(1.0, factor * (1.0 - at.rate))
            error = DOUBTS * sqrt(rate * (1.0 - rate) / (at.seen + PRIOR_WEIGHT))
            goes_on_if_right = at.made_if_right
            survives *= goes_on_if_right * rate
            goes_on_so_far *= goes_on_if_right
            variance += (error / rate) ** 2 if rate else 0.0
            survives_at_most = min(goes_on_so_far, survives * (1.0 + sqrt(variance)))
            survives_at_least *= goes_on_if_right * max(0.0, rate - error)
            kept.append(kept[-1] + survives)
            most_kept.append(most_kept[-1] + survives_at_most)
            least_kept.append(least_kept[-1] + survives_at_least)
            made.append(made[-1] * at.made)
        return AcceptForecast(kept, most_kept, least_kept, made)

    def _outcomes_beside(self, name: str) -> str:
        """The recent outcomes of the other proposers in this answer."""
        return ", ".join(f"{other} {source.outcome}" for other, source in self._sources.items() if other != name)

    def _source(self, name: str) -> _Source:
        if name not in self._sources:
            others = self._others
            self._sources[name] = _Source() if others is None else _Source(others._source(name).positions)
        return self._sources[name]

    def seen(self, source: str) -> float:
        """How many first draft tokens of a proposer were verified; old ones decay."""
        return _at(self._source(source).positions.get("", []), 0).verdicts.reached

    def figures(self) -> list[tuple[str, int, float, float]]:
        """(source, position, reached, accepted), over all buckets."""
        return [
            (name, index, position.verdicts.reached, position.verdicts.hits)
            for name, source in self._sources.items()
            for index, position in enumerate(source.positions.get("", []))
            if position.verdicts.reached
        ]

    def export(self) -> dict[str, dict[str, list[list[float]]]]:
        """Plain data: source -> key -> six numbers for each position, reached and hits of its three counts."""
        return {
            name: {
                key: [[round(n, 3) for count in at.counts for n in (count.reached, count.hits)] for at in positions]
                for key, positions in source.positions.items()
            }
            for name, source in self._sources.items()
        }

    def load(self, data: Mapping[str, Mapping[str, list[list[float]]]]) -> None:
        """Replace everything by the result of `export`. Raises TypeError or ValueError for other data."""
        sources: dict[str, _Source] = {}
        for name, keys in data.items():
            sources[name] = _Source({key: [_known(row) for row in rows] for key, rows in keys.items()})
        self._sources = sources


def _at(positions: list[_Position], index: int) -> _Position:
    return positions[index] if index < len(positions) else _NOTHING


def _narrowed(rate: float, general: _Level, narrower: Sequence[_Level], index: int) -> tuple[float, float]:
    """The general rate at a position narrowed by more specific statistics, and the observations it rests on."""
    seen = _at(general.positions, index).verdicts.reached
    for positions, weight, by_outcome in narrower:
        weight *= 1 + index if by_outcome else 1
        count = _at(positions, index).verdicts
        narrow = count.rate(rate, weight)
        if by_outcome and narrow != rate:
            # A difference that could be chance is discounted, or every outcome would get depths of its own.
            error = rate * (1.0 - rate) / (count.reached + weight)
            narrow = rate + (narrow - rate) * max(0.0, 1.0 - BY_CHANCE * error / (narrow - rate) ** 2)
        rate = narrow
        seen = count.reached + min(seen, weight)
    return rate, seen


def _known(row: Sequence[float]) -> _Position:
    verdicts, verdict_hits, made, made_hits, if_right, if_right_hits = row
    pairs = (verdicts, verdict_hits), (made, made_hits), (if_right, if_right_hits)
    if not all(0.0 <= hits <= reached <= SLOW_ROUNDS for reached, hits in pairs):
        raise ValueError(f"not how often a position was reached and accepted: {row!r}")
    return _Position(*(_Count(float(reached), float(hits)) for reached, hits in pairs))
