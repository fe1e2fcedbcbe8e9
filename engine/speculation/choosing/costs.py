"""Seconds of passes and of drafting on this machine: a Kalman filter over their logarithms, with one common level.

A figure is what a pass of so many rows takes, or drafting so many tokens, or reading one. Whatever slows the machine
down, or makes the context longer, slows all of them alike: that is the level. The error of each round is divided among
its parts and the level by how uncertain these are, so a figure that was measured often moves little and the level
follows. After Kalman (1960), A new approach to linear filtering and prediction problems, with a diagonal covariance.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass
from math import exp, inf, log, sqrt
from typing import Any, NamedTuple

from engine.speculation.proposers.registry import PROPOSERS

# Relative deviation of a round from its kind before any was seen: that of a computer in use.
NOISE = 0.08
# Relative change of a machine's speed in a round or in a second of rest: heat, other work, a longer context.
DRIFT = 0.02
# Rounds that an average looks back: some ten answers.
MEMORY = 200.0
# Standard deviations beyond which a round was disturbed: of undisturbed ones nineteen in twenty are within.
DISTURBED = 2.0
# Seconds of drafting, or of reading, a token in those of a plain round, before any was timed: a drafter is smaller than
# its main model, and reads many tokens at once.
UNTIMED = {"draft": (0.02, 0.5), "read": (0.002, 0.1)}
# Tokens of context from which on levels are kept apart: attention takes twice as long with each.
CONTEXT_EDGES = (2048, 4096, 8192, 16384, 32768, 65536, 131072)

PASS, BATCH_PASS = "pass", "batch"
# Far more than is ever measured: figures by curve, rows or tokens, answers at once, and the logarithm of seconds.
_MOST = 1024
_MOST_LOG = 20.0


def context_range(tokens: int) -> int:
    """The index of the range of context lengths that `tokens` lies in."""
    return bisect_right(CONTEXT_EDGES, tokens)


def range_bounds(index: int) -> tuple[int, int | None]:
    """The context lengths of a range: the least, and the first above it (None for the last range)."""
    edges = (0, *CONTEXT_EDGES, None)
    return edges[index] or 0, edges[index + 1]


class Estimate(NamedTuple):
    """Seconds, the variance of their logarithm beside what all figures share, and the rounds that they rest on."""

    seconds: float
    variance: float = 0.0
    rounds: int = 0

    @property
    def doubt(self) -> float:
        """The factor of one standard error."""
        return exp(sqrt(self.variance))

    def plus(self, other: Estimate) -> Estimate:
        """This and then the other, whose errors are independent."""
        seconds = self.seconds + other.seconds
        squares = self.seconds**2 * self.variance + other.seconds**2 * other.variance
        return Estimate(seconds, squares / seconds**2, min(self.rounds, other.rounds))


@dataclass(slots=True)
class _Figure:
    """The mean and the variance of the natural logarithm of seconds, and the rounds that measured it."""

    mean: float
    variance: float
    rounds: int = 0


class Costs:
    """Learns durations and predicts those of rounds that were not measured, at the context length `context`."""

    def __init__(self) -> None:
        self._curves: dict[str, dict[int, _Figure]] = {}
        self._levels: dict[int, _Figure] = {}
        self._noise = NOISE**2
        self.context = 0
        # What was worked out since something was learned: curves in order, and figures between and beyond theirs.
        self._points: dict[str, list[tuple[int, _Figure]]] = {}
        self._figures: dict[tuple[str, float], _Figure] = {}

    def rest(self, seconds: float) -> None:
        """The machine did something else for so long."""
        for level in self._levels.values():
            # However long it was, it is about as fast as before.
            level.variance = max(level.variance, min(1.0, level.variance + DRIFT**2 * max(0.0, seconds)))

    @property
    def known(self) -> bool:
        """Whether any pass was measured, so that everything else can be estimated."""
        return PASS in self._curves or BATCH_PASS in self._curves

    def plain_known(self, answers: int = 1) -> bool:
        """Whether plain decoding was measured more than once, so that no single disturbance decides."""
        return self.known and self.verify(answers, answers).variance < NOISE**2

    def verify(self, rows: int, answers: int = 1) -> Estimate:
        """A pass of `rows` rows in all for so many answers; plain decoding has a row for each. Some must be `known`."""
        return self._seconds(_pass(answers), rows)

    def drafting(self, source: str, tokens: int, answers: int = 1) -> Estimate:
        """Drafting `tokens` tokens with `source` for each of so many answers."""
        return self._seconds(_draft(source, answers), tokens)

    def reading(self, source: str, tokens: int) -> float:
        """Seconds in which a drafter reads `tokens` tokens that it missed."""
        return tokens * self._seconds(f"read:{source}", 1).seconds if tokens else 0.0

    def timed(self, source: str, answers: int = 1) -> bool:
        """Whether drafting was timed apart from the pass behind it."""
        return _draft(source, answers) in self._curves

    def drafting_share(self, source: str, drafted: int, rows: int) -> float | None:
        """The share of drafting in a round of `drafted` draft tokens and `rows` rows; None if it was never timed."""
        if not self.known or not self.timed(source):
            return None
        drafting = self.drafting(source, drafted).seconds
        return drafting / (drafting + self.verify(rows).seconds)

    def sources(self) -> list[str]:
        """The sources whose drafting was timed."""
        found = (name.removeprefix("draft:") for name in self._curves if name.startswith("draft:"))
        return sorted(source for source in found if " x " not in source)

    def contexts(self) -> Iterator[int]:
        """The ranges of context lengths at which rounds were measured."""
        return (context for context, level in sorted(self._levels.items()) if level.rounds)

    def observe(
        self,
        rows: int,
        seconds: float,
        answers: int = 1,
        draft: tuple[str, int, int] | None = None,
        draft_s: float | None = None,
    ) -> None:
        """A round took `seconds`; the arguments are as in `MeasuredRound`."""
        passes = _pass(answers), rows
        drafting = [] if draft is None else [(_draft(draft[0], draft[2]), draft[1])]
        if draft_s is None:
            self._learn([passes, *drafting], seconds)
        else:
            self._learn(drafting, draft_s)
            self._learn([passes], seconds - draft_s)

    def observe_reading(self, source: str, tokens: int, seconds: float) -> None:
        """`source` took `seconds` to read `tokens` tokens."""
        self._learn([(f"read:{source}", 1)], seconds / max(1, tokens))

    def is_measured(self, rows: int, draft: tuple[str, int] | None) -> bool:
        """Whether a pass of `rows` rows was measured, and drafting so many tokens with a source."""
        drafted = draft is None or draft[1] in self._curves.get(_draft(draft[0], 1), {})
        return drafted and rows in self._curves.get(PASS, {})

    def export(self) -> dict[str, Any]:
        """Plain data for JSON."""
        curves = {name: [[key, *astuple(one)] for key, one in curve.items()] for name, curve in self._curves.items()}
        return {
            "noise": self._noise,
            "curves": curves,
            "levels": [[at, *astuple(one)] for at, one in self._levels.items()],
        }

    def load(self, data: Any) -> None:
        """Replace everything by the result of `export`. Raises KeyError, TypeError or ValueError for other data."""
        curves = {_known_curve(name): dict(map(_known, rows)) for name, rows in data["curves"].items()}
        levels, noise = dict(map(_known, data["levels"])), float(data["noise"])
        if not 1e-12 < noise < 1.0 or not all(0 <= context <= len(CONTEXT_EDGES) for context in levels):
            raise ValueError("not learned costs")
        if not all(0 < len(curve) <= _MOST and min(curve) > 0 for curve in curves.values()):
            raise ValueError("not learned costs")
        if PASS not in curves and BATCH_PASS not in curves and (curves or any(one.rounds for one in levels.values())):
            raise ValueError("not learned costs")
        self._curves, self._levels, self._noise = curves, levels, noise
        self._forget()

    @property
    def _level(self) -> _Figure:
        """That of the present context length; at first that of the nearest one."""
        if self.context not in self._levels:
            nearest = min(self._levels, key=lambda known: abs(known - self.context), default=None)
            known = _Figure(0.0, 0.0) if nearest is None else self._levels[nearest]
            variance = 0.0 if nearest is None else known.variance + NOISE**2
            self._levels[self.context] = _Figure(known.mean, variance)
        return self._levels[self.context]

    def _learn(self, parts: Sequence[tuple[str, int]], seconds: float) -> None:
        """Divide the error of what took `seconds` among its parts and the level."""
        if seconds <= 0.0 or not parts:
            return
        level = self._level
        if self.known:
            figures = [self._own(*part) for part in parts]
            times = [exp(figure.mean) for figure in figures]
            shares = [time / sum(times) for time in times]
            self._divide(log(seconds / sum(times)) - level.mean, [*figures, level], [*shares, 1.0])
            for figure in (*figures, level):
                figure.rounds += 1
            level.variance += DRIFT**2
        elif len(parts) == 1 and parts[0][0] in (PASS, BATCH_PASS):
            [(curve, key)] = parts
            self._curves[curve] = {key: _Figure(log(seconds) - level.mean, self._noise, 1)}
            level.rounds += 1
        self._forget()

    def _divide(self, error: float, figures: Sequence[_Figure], shares: Sequence[float]) -> None:
        """The update of the filter, for an observation that is the figures' sum weighted by `shares`."""
        moved = list(zip(figures, shares, strict=True))
        known = sum(share * share * figure.variance for figure, share in moved)
        most = DISTURBED * sqrt(known + self._noise)
        if error < -most:
            # Nothing makes a round too short: what was known rests on disturbed ones.
            for figure, _ in moved:
                figure.variance = max(figure.variance, min(1.0, figure.variance * (error / most) ** 2))
            known = sum(share * share * figure.variance for figure, share in moved)
        usual = max(-most, min(most, error))
        error = min(most, error)
        spread = known + self._noise
        self._noise += (max(usual * usual - known, 0.0) - self._noise) / MEMORY
        for figure, share in moved:
            gain = share * figure.variance / spread
            figure.mean += gain * error
            figure.variance = max(figure.variance * (1.0 - share * gain), self._noise / MEMORY)

    def _own(self, curve: str, key: int) -> _Figure:
        """The figure of this very key, which begins as what was expected of it."""
        points = self._curves.get(curve, {})
        if key not in points:
            expected = self._figure(curve, key)
            points[key] = _Figure(expected.mean, expected.variance)
            self._curves[curve] = points
            self._forget()
        return points[key]

    def _forget(self) -> None:
        self._points.clear()
        self._figures.clear()

    def _seconds(self, curve: str, key: int) -> Estimate:
        figure = self._figure(curve, key)
        return Estimate(exp(figure.mean + self._level.mean), figure.variance, figure.rounds)

    def _figure(self, curve: str, key: int) -> _Figure:
        """Measured, on a line between measured ones, or beyond them."""
        figure = self._figures.get((curve, key))
        if figure is None:
            figure = self._figures[curve, key] = self._expected(self._sorted(curve), curve, key)
        return figure

    def _sorted(self, curve: str) -> list[tuple[int, _Figure]]:
        """The figures of a curve in order, none above the next: what took longer than something larger was disturbed.

        A plain round is measured most: a wider pass takes no less.
        """
        points = self._points.get(curve)
        if points is None:
            known = self._curves.get(curve, {})
            floor = known[1].mean if curve == PASS and 1 in known else -inf
            points, least = [], inf
            for key, figure in sorted(known.items(), reverse=True):
                least = min(least, figure.mean)
                points.insert(0, (key, _Figure(max(least, floor), figure.variance, figure.rounds)))
            self._points[curve] = points
        return points

    def _expected(self, points: Sequence[tuple[int, _Figure]], curve: str, key: int) -> _Figure:
        if not points:
            return self._unknown(curve, key)
        index = bisect_left(points, key, key=lambda point: point[0])
        if index < len(points) and points[index][0] == key:
            return points[index][1]
        if index in (0, len(points)):
            # Beyond what was measured anything between the same and in proportion is as likely.
            nearest, figure = points[min(index, len(points) - 1)]
            return _shifted(figure, 0.0, log(key / nearest))
        (below_key, below), (above_key, above) = points[index - 1 : index + 1]
        share = (key - below_key) / (above_key - below_key)
        seconds = (1.0 - share) * exp(below.mean) + share * exp(above.mean)
        # It may also be a step, up to which it is like the one below.
        variance = (1.0 - share) * below.variance + share * above.variance
        return _Figure(log(seconds), variance + share * (1.0 - share) * (above.mean - below.mean) ** 2)

    def _unknown(self, curve: str, key: int) -> _Figure:
        """What is expected where nothing of a curve was measured."""
        kind, _, rest = curve.partition(":")
        source, _, answers = rest.partition(" x ")
        if kind in (PASS, BATCH_PASS):
            other = BATCH_PASS if kind == PASS else PASS
            return _shifted(self._figure(other, key), -log(2.0), log(2.0))
        if answers:
            return _shifted(self._figure(_draft(source, 1), key), 0.0, log(int(answers)))
        plain = self._figure(PASS if PASS in self._curves else BATCH_PASS, 1)
        least, most = map(log, UNTIMED[kind])
        return _shifted(_shifted(_Figure(plain.mean, 0.0), least, most), 0.0, log(key))


def _shifted(figure: _Figure, least: float, most: float) -> _Figure:
    """The figure times anything between two factors (natural logarithms), all of which are as likely."""
    return _Figure(figure.mean + (least + most) / 2.0, figure.variance + (most - least) ** 2 / 12.0)


def _pass(answers: int) -> str:
    return PASS if answers == 1 else BATCH_PASS


def _draft(source: str, answers: int) -> str:
    return f"draft:{source}" + (f" x {answers}" if answers > 1 else "")


def _known_curve(name: str) -> str:
    kind, _, rest = name.partition(":")
    source, _, answers = rest.partition(" x ")
    drafting = kind in UNTIMED and source in PROPOSERS and (not answers or 1 < int(answers) <= _MOST)
    if name not in (PASS, BATCH_PASS) and not drafting:
        raise ValueError("not what durations are of")
    return name


def _known(row: Sequence[Any]) -> tuple[int, _Figure]:
    key, mean, variance, rounds = row
    if not isinstance(key, int) or not isinstance(rounds, int):
        raise TypeError("not a learned figure")
    if not 0 <= key <= _MOST**2 or not rounds >= 0 or not abs(mean) <= _MOST_LOG or not 0.0 <= variance <= _MOST_LOG:
        raise ValueError("not a learned figure")
    return key, _Figure(float(mean), float(variance), rounds)
