"""Durations of passes and of drafting on this machine: a Kalman filter over their logarithms, with one common level.

A figure is the duration of a pass of some number of rows, of drafting some number of tokens, or of reading one. A slow
machine or a long context slows all of them by the same factor: that is the level. The error of each round is divided
among its parts and the level in proportion to their uncertainty, so a figure that was measured often moves little and
the level follows. After Kalman (1960), A new approach to linear filtering and prediction problems, with a diagonal
covariance.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from math import exp, log, sqrt
from typing import Annotated, NamedTuple

from msgspec import Meta, Struct, field

from engine.methods import PROPOSERS

# The relative standard deviation of a round before any was seen, as on a computer in use. With 0.02, the first three
# answers of a pair are 1.5 % slower.
FIRST_NOISE = 0.08
# The relative change of a machine's speed in a round: heat, other work, a longer context. With 0.002, text that becomes
# easy late is 5.9 % slower.
ROUND_DRIFT = 0.02
# The relative change of a machine's speed from one answer to the next. Without it, a calibrated pair is 1.7 % slower.
ANSWER_DRIFT = 0.12
# The rounds over which averages fade, some ten answers. With 20, text in turns is 3.3 % slower.
FADING_ROUNDS = 200.0
# A round beyond this many standard deviations was disturbed; 95 % of undisturbed rounds are within them. The worlds
# lose nothing without it. It is for a first round that took ten times as long, which test_batches.py plays.
DISTURBED_DEVIATIONS = 2.0
# A round less than this many times as long as expected may take so long by itself, such as the first one with a draft.
# Without it, busy machines are 0.7 % slower, and the slowest answer on a busy Mac 2.0 %.
DISTURBED_FACTOR = 2.0
# Seconds of drafting or of reading a token, as a factor of a plain round's, before any was timed: at least and at most.
# A drafter is smaller than its main model, and reads many tokens at once. With the widest bounds for both, a new pair's
# first three answers are 1.1 % slower.
UNTIMED = {"draft": (0.02, 0.5), "read": (0.002, 0.1)}
# Far more rows than are ever measured.
MOST_ROWS = 1024
# A far larger natural logarithm of seconds than is ever measured.
MOST_LOG = 20.0

# A curve is a kind of work, such as "draft:" and a source. Nothing can be estimated without the curve of passes.
PASS = "pass"
# The kinds of curves that have a source: drafting for one answer by tokens, a draft token for each of several answers
# by answers, and reading a token.
KINDS = ("draft", "joint", "read")


class CostPart(NamedTuple):
    """A part of a round: the figure of `curve` at `key`, so many `times`."""

    curve: str
    key: int
    times: int = 1


class CostEstimate(NamedTuple):
    """Seconds, and the variance of their logarithm without that of the common level."""

    seconds: float
    variance: float = 0.0

    @property
    def standard_error(self) -> float:
        """One standard error, as a factor."""
        return exp(sqrt(self.variance))

    def plus(self, other: CostEstimate) -> CostEstimate:
        """Return the estimate of this followed by `other`; their errors are independent."""
        seconds = self.seconds + other.seconds
        squares = self.seconds**2 * self.variance + other.seconds**2 * other.variance
        return CostEstimate(seconds, squares / seconds**2)


class _LogNormal(Struct):
    """The mean and the variance of the natural logarithm of seconds."""

    mean: Annotated[float, Meta(ge=-MOST_LOG, le=MOST_LOG)]
    variance: Annotated[float, Meta(ge=0.0, le=MOST_LOG**2)]

    def between(self, least: float, most: float) -> _LogNormal:
        """Return this times a factor that is uniformly distributed between `least` and `most`."""
        return _LogNormal(self.mean + log(least * most) / 2.0, self.variance + log(most / least) ** 2 / 12.0)


class Costs(Struct):
    """Learns durations and predicts those of rounds that were not measured.

    The fields are what is kept between runs: `curves` by rows or tokens in ascending order, the common `level`, and the
    variance of a round's logarithm. `guess` has passes by rows, relative to each other, that are expected until
    they are measured. Raises ValueError for curves of something else.
    """

    curves: dict[str, dict[Annotated[int, Meta(ge=1, le=MOST_ROWS)], _LogNormal]] = {}
    level: _LogNormal = field(default_factory=lambda: _LogNormal(0.0, 0.0))
    noise: Annotated[float, Meta(ge=ROUND_DRIFT**2, le=MOST_LOG)] = FIRST_NOISE**2
    guess: dict[int, Annotated[float, Meta(gt=0.0)]] = {}

    def __post_init__(self) -> None:
        names = {PASS, *(f"{kind}:{source}" for kind in KINDS for source in PROPOSERS)}
        if not self.curves.keys() <= names or not all(self.curves.values()) or (self.curves and not self.known):
            raise ValueError("not learned costs")
        self.curves = {name: dict(sorted(curve.items())) for name, curve in self.curves.items()}

    def begin(self) -> None:
        """Begin an answer: the level may have changed since the last one."""
        if self.known:
            self.level.variance = max(self.level.variance, ANSWER_DRIFT**2)

    def widen(self) -> None:
        """Let all figures become uncertain, because they may have changed differently."""
        for curve in self.curves.values():
            for figure in curve.values():
                figure.variance = min(MOST_LOG, figure.variance + FIRST_NOISE**2)

    @property
    def known(self) -> bool:
        """Whether any pass was measured, so that everything else can be estimated."""
        return PASS in self.curves

    def plain_known(self, answers: int = 1) -> bool:
        """Whether plain decoding is known better than by one round, so that no single disturbance decides."""
        return self.known and self.verify(answers).variance < max(FIRST_NOISE**2, self.noise)

    def verify(self, rows: int) -> CostEstimate:
        """Estimate a pass of `rows` rows in all; plain decoding has one for each answer. Needs `known`."""
        return self._seconds(PASS, rows)

    def drafting(self, source: str, tokens: int, answers: int = 1) -> CostEstimate:
        """Estimate drafting `tokens` tokens with `source` for each of so many answers."""
        [part] = _drafting_parts((source, tokens), answers)
        figure = self._seconds(part.curve, part.key)
        return figure._replace(seconds=part.times * figure.seconds)

    def reading(self, source: str, tokens: int) -> float:
        """Estimate the seconds in which a drafter reads `tokens` tokens that it missed."""
        return tokens * self._seconds(f"read:{source}", 1).seconds

    def timed(self, source: str) -> bool:
        """Whether drafting was timed apart from the verify pass."""
        return f"draft:{source}" in self.curves

    def drafting_share(self, source: str, drafted: int, rows: int, answers: int = 1) -> float | None:
        """Return the share of drafting in a round of `drafted` draft tokens and `rows` rows; None if never timed."""
        if not self.known or not self.timed(source):
            return None
        drafting = self.drafting(source, drafted, answers).seconds
        return drafting / (drafting + self.verify(rows).seconds)

    def observe(
        self,
        rows: int,
        seconds: float,
        draft: tuple[str, int] | None = None,
        draft_s: float | None = None,
        answers: int = 1,
    ) -> None:
        """Learn from a round that took `seconds`; the arguments are as in `choice.MeasuredRound`."""
        passes = [CostPart(PASS, rows)]
        drafting = _drafting_parts(draft, answers)
        if draft_s is None:
            self._learn([*passes, *drafting], seconds)
        else:
            self._learn(drafting, draft_s)
            self._learn(passes, seconds - draft_s)

    def observe_reading(self, source: str, tokens: int, seconds: float) -> None:
        """Learn that `source` took `seconds` to read `tokens` tokens."""
        self._learn([CostPart(f"read:{source}", 1)], seconds / max(1, tokens))

    def is_measured(self, rows: int, draft: tuple[str, int] | None) -> bool:
        """Whether a pass of `rows` rows and the drafting `draft`, (source, tokens), were measured."""
        parts = [CostPart(PASS, rows), *_drafting_parts(draft, 1)]
        return all(part.key in self.curves.get(part.curve, {}) for part in parts)

    def is_disturbed(self, expected: CostEstimate, seconds: float) -> bool:
        """Whether a round that was expected to take `expected` was disturbed if it took `seconds`."""
        spread = expected.variance + self.level.variance + self.noise
        return seconds > expected.seconds * max(DISTURBED_FACTOR, exp(DISTURBED_DEVIATIONS * sqrt(spread)))

    def _learn(self, parts: Sequence[CostPart], seconds: float) -> None:
        """Divide the error of a duration of `seconds` among its parts and the level."""
        if seconds <= 0.0 or not parts:
            return
        level = self.level
        if self.known:
            figures = [self._own(part.curve, part.key) for part in parts]
            times = [part.times * exp(figure.mean) for part, figure in zip(parts, figures, strict=True)]
            shares = [time / sum(times) for time in times]
            self._divide(log(seconds / sum(times)) - level.mean, [*figures, level], [*shares, 1.0])
            level.variance = min(MOST_LOG, level.variance + ROUND_DRIFT**2)
        elif len(parts) == 1 and parts[0].curve == PASS:
            self.curves[PASS] = {parts[0].key: _LogNormal(log(seconds) - level.mean, self.noise)}

    def _divide(self, error: float, figures: Sequence[_LogNormal], shares: Sequence[float]) -> None:
        """Update the filter with an observation that is the sum of `figures` weighted by `shares`, level included."""
        known = sum(share**2 * figure.variance for figure, share in zip(figures, shares, strict=True))
        spread = known + self.noise
        # The factor by which the error exceeds that of an undisturbed round.
        beyond = max(1.0, abs(error) / DISTURBED_DEVIATIONS / sqrt(spread))
        self.noise += (max((error / beyond) ** 2 - known, ROUND_DRIFT**2) - self.noise) / FADING_ROUNDS
        # Disturbances only lengthen rounds. If a round is far too short, the known figures rest on disturbed ones.
        widened = beyond if error < 0.0 else 1.0
        for figure, share in zip(figures, shares, strict=True):
            if error < 0.0:
                trust = 1.0
            elif figure is self.level:
                # The machine may have become slower, which the level follows in limited steps.
                trust = 1.0 / beyond
            else:
                # The longer a round was disturbed, the less it teaches, so that a single one, were it the first of its
                # kind, does not decide how dear that kind is.
                trust = beyond**-2.0
            gain = trust * share * figure.variance / spread
            figure.mean += gain * error
            variance = min(MOST_LOG, widened**2 * figure.variance)
            figure.variance = max(variance * (1.0 - share * gain), self.noise / FADING_ROUNDS)

    def _own(self, curve: str, key: int) -> _LogNormal:
        """Return the figure of this very key, initialised with its estimate."""
        points = self.curves.get(curve, {})
        if key not in points:
            expected = self._figure(curve, key)
            points = dict(sorted([*points.items(), (key, _LogNormal(expected.mean, expected.variance))]))
            self.curves[curve] = points
        return points[key]

    def _untimed(self, kind: str, source: str) -> _LogNormal:
        """Return what a curve of this kind has at 1 if it was never measured."""
        if kind == "joint":
            return self._figure(f"draft:{source}", 1)
        return _LogNormal(self._figure(PASS, 1).mean, 0.0).between(*UNTIMED[kind])

    def _seconds(self, curve: str, key: int) -> CostEstimate:
        figure = self._figure(curve, key)
        return CostEstimate(exp(figure.mean + self.level.mean), figure.variance)

    def _figure(self, curve: str, key: int) -> _LogNormal:
        """Return the measured figure, an interpolated one, or one extrapolated from the nearest."""
        points = self.curves.get(curve)
        if points is None:
            points = {1: self._untimed(*curve.split(":"))}
        if key in points:
            return points[key]
        keys = list(points)
        index = bisect_left(keys, key)
        if index in (0, len(keys)):
            # Beyond the measured keys, any factor between 1 and the ratio of the keys is as likely.
            nearest = keys[min(index, len(keys) - 1)]
            figure = points[nearest].between(1.0, key / nearest)
            if curve == PASS and key in self.guess and nearest in self.guess:
                figure.mean = points[nearest].mean + log(self.guess[key] / self.guess[nearest])
            return figure
        below = points[keys[index - 1]]
        above = points[keys[index]]
        share = (key - keys[index - 1]) / (keys[index] - keys[index - 1])
        mean = (1.0 - share) * below.mean + share * above.mean
        variance = (1.0 - share) * below.variance + share * above.variance
        # Durations may also rise in a step somewhere between the two keys.
        return _LogNormal(mean, variance + share * (1.0 - share) * (above.mean - below.mean) ** 2)


def _drafting_parts(draft: tuple[str, int] | None, answers: int) -> list[CostPart]:
    """Return the part of a round in which (source, tokens) are drafted for each of so many answers; [] without."""
    if draft is None:
        return []
    source, tokens = draft
    return [CostPart(f"draft:{source}", tokens)] if answers == 1 else [CostPart(f"joint:{source}", answers, tokens)]
