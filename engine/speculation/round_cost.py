"""Round costs on this machine: seconds by width of the verify pass, and by number of draft tokens.

Each figure is the middle of a few recent samples, so that one stall does not move it. When the pass in use becomes
slower or faster within an answer (a longer context), all others are scaled alike until the answer ends. After a pause
the first rounds measure anew how fast the machine is.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from dataclasses import dataclass
from math import exp, log, sqrt
from statistics import median

from engine.speculation.cost_forecast import Forecast, Points, interpolate, rising

# Seconds that anything takes, so that quotients are finite.
LEAST_S = 1e-9
# Samples that a figure is the middle of: one stall must not be the middle.
WINDOW = 9
# Samples from which on a figure is known: the first round after a change is slower, and one may be disturbed.
ENOUGH = 2
# Samples whose middle is safe, though one or two were disturbed: those that measure the machine's speed after a pause,
# and what a calibrated figure counts for.
SAFE = 4
# The most (natural log) by which a round differs from others of its kind by itself: more is a stall within an answer,
# and another speed of the machine after a pause, where first rounds are always a little slower than later ones.
USUAL_CHANGE = 0.3
# Cost of a draft model's catching up on one token, in plain rounds, until it was timed: it reads many at once.
UNKNOWN_CATCH_UP = 0.02
# How fast the common level and the spread of rounds follow one round: slowly, because contexts and machines change
# slowly.
FOLLOWING = 0.12
# How much rounds deviate (relative) before it was seen.
ASSUMED_SPREAD = 0.08
# Context lengths from which on costs are learned anew: attention takes twice as long.
CONTEXT_EDGES = (2048, 4096, 8192, 16384, 32768, 65536, 131072)

PLAIN = "plain"
VERIFY = "verify"
DRAFTING = "draft"
CATCH_UP = "read"


def context_bucket(tokens: int) -> int:
    """The index of the range of context lengths that `tokens` lies in; costs are learned for each."""
    return bisect_right(CONTEXT_EDGES, tokens)


def bucket_range(bucket: int) -> tuple[int, int | None]:
    """The context lengths of a bucket: the least, and the first above it (None for the last bucket)."""
    edges = (0, *CONTEXT_EDGES, None)
    return edges[bucket] or 0, edges[bucket + 1]


class _Samples:
    """The last few durations of one kind of pass, and their typical value."""

    __slots__ = ("recent", "typical")

    def __init__(self, *durations: float) -> None:
        self.recent = deque(durations, maxlen=WINDOW)
        self.typical = _typical(self.recent) if durations else 0.0

    def __len__(self) -> int:
        return len(self.recent)

    def append(self, duration: float) -> None:
        self.recent.append(duration)
        self.typical = _typical(self.recent)


Curve = dict[int, _Samples]


@dataclass(frozen=True, slots=True)
class _Anchor:
    """One of the first rounds after a pause, and its ratio to what was known."""

    ratio: float
    source: str | None
    depth: int
    width: int
    seconds: float
    draft_seconds: float | None


class RoundCosts:
    """Learns durations and predicts those of rounds that were not measured. All durations are seconds."""

    def __init__(self) -> None:
        self._curves: dict[tuple[str, int], Curve] = {}
        # The factor on all samples now, and at an answer's beginning.
        self._level = self._first_level = 1.0
        self._spread = ASSUMED_SPREAD
        self._last: tuple[str | None, int] | None = None
        self._stay = 0
        self._anchors: list[_Anchor] | None = None
        # What `forecast` found, by proposer and context bucket, until something is learned.
        self._forecasts: dict[tuple[str, int], Forecast] = {}
        self.bucket = 0

    def begin(self, bucket: int) -> None:
        """An answer starts at this context length."""
        self.bucket = bucket
        self._level, self._last = self._first_level, None
        self._forecasts.clear()

    def renew(self) -> None:
        """After a pause: let the next rounds measure how much slower or faster the machine is than the samples."""
        self._settle_anchors()
        self._anchors = None if self.plain() is None else []

    def observe(self, source: str | None, depth: int, width: int, seconds: float, draft_seconds: float | None) -> None:
        """A round of `source` took `seconds`: `depth` draft tokens, and a verify pass of `width` rows.

        `draft_seconds` of it was drafting; None where that was not timed apart.
        """
        self.pass_over(source, width)
        known = self._known(source, depth, width)
        if self._anchors is not None and known is not None and self._stay > 0:
            self._anchors.append(_Anchor(seconds / known, source, depth, width, seconds, draft_seconds))
            if len(self._anchors) == SAFE:
                self._settle_anchors()
        else:
            self._take_in(source, depth, width, seconds, draft_seconds)

    def _take_in(self, source: str | None, depth: int, width: int, seconds: float, draft_seconds: float | None) -> None:
        if source is None:
            self._learn(PLAIN, 1, seconds)
            return
        drafting = self._drafting(source, depth) if draft_seconds is None else draft_seconds
        if drafting is None:
            self._learn(_whole(source), width, seconds)
        else:
            # No pass is shorter than that of a plain round; where it seems so, drafting was estimated too long.
            self._learn(VERIFY, width, max(seconds - drafting, min(self.plain() or 0.0, seconds), LEAST_S))
        if draft_seconds is not None:
            self._learn(_drafting(source), depth, max(draft_seconds, LEAST_S))

    def pass_over(self, source: str | None, width: int) -> None:
        """A round of `source` whose duration is not typical of its kind."""
        came_from, self._last = self._last, (source, width)
        self._stay = self._stay + 1 if came_from == self._last else 0

    @property
    def anchored(self) -> bool:
        """Whether the machine's current speed is known, so that a new measurement can be compared with samples."""
        return self._anchors is None

    def interrupted(self) -> None:
        """The next round does not follow the last one directly."""
        self._last = None

    def plain(self) -> float | None:
        """Seconds of a plain round, once measured."""
        return self._points(PLAIN).get(1)

    def plain_samples(self) -> int:
        """How many plain rounds were measured at this context length."""
        return len(self._curve(PLAIN).get(1, ()))

    def widest(self) -> int:
        """Rows of the widest verify pass that was measured; 1 where none was."""
        return max(self._points(VERIFY), default=1)

    def plain_doubt(self) -> float:
        """Relative standard error of a plain round's seconds."""
        return self._doubts(PLAIN).get(1, self._spread)

    def forecast(self, source: str) -> Forecast:
        """Costs of the rounds of `source` at this context length. Plain decoding must have been measured."""
        key = source, self.bucket
        if key not in self._forecasts:
            self._forecasts[key] = self._forecast(source)
        return self._forecasts[key]

    def _forecast(self, source: str) -> Forecast:
        drafting = rising(self._points(_drafting(source)))
        # Until drafting is timed apart, only whole rounds are known.
        name = VERIFY if drafting or not self._points(_whole(source)) else _whole(source)
        passes, once = self._points(PLAIN) | rising(self._points(name)), self._once(name)
        for width in once & passes.keys():
            passes[width] = min(seconds * max(1.0, width / known) for known, seconds in passes.items())
        return Forecast(passes, {0: 0.0} | drafting, self._doubts(name), once)

    def measured(self, source: str | None, depth: int, width: int, pass_s: float, draft_s: float) -> None:
        """Replace figures by a calibration's: seconds of a pass of `width` rows and of drafting `depth` tokens."""
        figures = [(PLAIN, width, pass_s) if source is None else (VERIFY, width, max(pass_s, self.plain() or 0.0))]
        if source is not None:
            figures.append((_drafting(source), depth, draft_s))
        for name, key, seconds in figures:
            samples = _Samples(*[max(seconds, LEAST_S) / self._level] * SAFE)
            self._curves.setdefault((name, self.bucket), {})[key] = samples
        self._anchors = None
        self._last = None
        self._forecasts.clear()

    def borrow(self, other: RoundCosts) -> bool:
        """Take what was measured of the main model's passes beside another drafter; False where nothing was.

        They take about as long beside this one: each counts for as few samples as a figure needs.
        """
        for (name, bucket), curve in other._curves.items():
            if name in (PLAIN, VERIFY):
                self._curves[name, bucket] = {
                    key: _Samples(*[known.typical * other._first_level] * min(len(known), ENOUGH))
                    for key, known in curve.items()
                }
        self._anchors = None if other.anchored or not self._curves else []
        self._forecasts.clear()
        return bool(self._curves)

    def samples(self, source: str | None, width: int) -> int:
        """The number of rounds of `source` (None: plain) of `width` rows measured at this context length."""
        names = (PLAIN,) if source is None else (VERIFY, _whole(source))
        return max(len(self._curve(name).get(width, ())) for name in names)

    def knows(self, source: str | None, depth: int, width: int) -> bool:
        """Whether rounds of `depth` draft tokens and `width` rows were measured as well as a calibration does."""
        timed = source is None or depth in self._curve(_drafting(source))
        return timed and self.samples(source, width) >= SAFE

    def drafting(self, source: str, depth: int) -> float:
        """Seconds that drafting `depth` tokens takes; 0 where it was never timed apart."""
        return self._drafting(source, depth) or 0.0

    def observe_catch_up(self, source: str, tokens: int, seconds: float) -> None:
        """`source` took `seconds` to catch up on `tokens` tokens."""
        if tokens > 0 and seconds > 0:
            samples = self._curves.setdefault((_catch_up(source), self.bucket), {}).setdefault(1, _Samples())
            samples.append(seconds / tokens / self._level)

    def catch_up(self, source: str, tokens: int) -> float:
        """Seconds to catch up on `tokens` tokens; until it is timed, a share of plain decoding's."""
        plain = self._points(PLAIN).get(1, 0.0)
        return tokens * self._points(_catch_up(source)).get(1, UNKNOWN_CATCH_UP * plain)

    def buckets(self) -> list[int]:
        """The ranges of context lengths at which plain decoding was measured."""
        return sorted(bucket for name, bucket in self._curves if name == PLAIN)

    def sources(self) -> list[str]:
        """The proposers whose rounds were measured."""
        kinds = [name.partition(":") for name, _ in self._curves]
        return sorted({source for kind, _, source in kinds if source and kind != CATCH_UP})

    def export(self) -> list[list[object]]:
        """Plain data: [name, context bucket, width or depth, seconds, samples] for each figure."""
        return [
            [name, bucket, key, samples.typical * self._first_level, len(samples)]
            for (name, bucket), curve in self._curves.items()
            for key, samples in curve.items()
        ]

    def load(self, rows: list[list[object]]) -> None:
        """Replace everything by the result of `export`. Raises TypeError or ValueError for other data."""
        curves: dict[tuple[str, int], Curve] = {}
        for name, bucket, key, seconds, samples in rows:
            if not isinstance(name, str) or not isinstance(bucket, int) or not isinstance(key, int):
                raise TypeError(f"not a learned cost: {name!r}, {bucket!r}, {key!r}")
            if not isinstance(seconds, float) or not 0.0 < seconds < 1e6:
                raise ValueError(f"not a duration: {seconds!r}")
            if not isinstance(samples, int) or not 0 < samples <= WINDOW:
                raise ValueError(f"not a number of samples: {samples!r}")
            known = _Samples(*[seconds] * samples)
            curves.setdefault((name, bucket), {})[key] = known
        self._curves = curves
        self._forecasts.clear()
        self._level, self._first_level, self._anchors, self._last = 1.0, 1.0, None, None
        self.renew()

    def _known(self, source: str | None, depth: int, width: int) -> float | None:
        """Seconds of such a round, if its pass was measured."""
        if source is None or self.plain() is None:
            return self.plain()
        forecast = self.forecast(source)
        return forecast.expected(depth, width) if width in forecast.passes else None

    def _settle_anchors(self) -> None:
        """Rescale everything by the anchors if they agree on a change, then learn from each as a round."""
        anchors, self._anchors = self._anchors, None
        if not anchors:
            return
        change = median(anchor.ratio for anchor in anchors)
        if len(anchors) == SAFE and abs(log(change)) > USUAL_CHANGE:
            self._first_level *= change
            self._level *= change
            self._forecasts.clear()
        # Each anchor followed a round of its own kind.
        stay, self._stay = self._stay, 1
        for anchor in anchors:
            self._take_in(anchor.source, anchor.depth, anchor.width, anchor.seconds, anchor.draft_seconds)
        self._stay = stay

    def _learn(self, name: str, key: int, seconds: float) -> None:
        self._forecasts.clear()
        samples = self._samples_to_extend(name, key)
        relative = seconds / self._level
        if self._stay == 0 or not samples:
            # The first round after a change of arm is slower: it counts only where nothing better is known.
            if len(samples) < ENOUGH or relative < samples.typical:
                samples.append(relative)
            return
        deviation = max(-USUAL_CHANGE, min(USUAL_CHANGE, log(relative / samples.typical)))
        self._spread += FOLLOWING * (abs(deviation) - self._spread)
        if self._stay <= WINDOW or name.startswith(DRAFTING):
            samples.append(relative)
        else:
            # With the arm unchanged, the machine or the context has changed, which scales all arms alike.
            self._level *= exp(FOLLOWING * deviation)

    def _samples_to_extend(self, name: str, key: int) -> _Samples:
        curve = self._curves.setdefault((name, self.bucket), {})
        if key not in curve:
            borrowed = self._points(name).get(key)
            known = [] if borrowed is None else [borrowed / self._level] * ENOUGH
            curve[key] = _Samples(*known)
        return curve[key]

    def _drafting(self, source: str, depth: int) -> float | None:
        points = self._points(_drafting(source))
        return interpolate({0: 0.0} | points, depth) if points else None

    def _curve(self, name: str) -> Curve:
        return self._curves.get((name, self.bucket), {})

    def _doubts(self, name: str) -> Points:
        curve = self._curve(name).items()
        return {key: self._spread / sqrt(len(samples)) for key, samples in curve if len(samples) >= ENOUGH}

    def _once(self, name: str) -> frozenset[int]:
        """The widths that were measured less than ENOUGH times, at any context length."""
        most: dict[int, int] = {}
        for (curve, _), known in self._curves.items():
            if curve == name:
                for key, samples in known.items():
                    most[key] = max(most.get(key, 0), len(samples))
        return frozenset(key for key, count in most.items() if count < ENOUGH)

    def _points(self, name: str) -> Points:
        """A curve's figures at this context length; where missing, those at the nearest one."""
        points: Points = {}
        known = [bucket for curve, bucket in self._curves if curve == name]
        for bucket in sorted(known, key=lambda other: -abs(other - self.bucket)):
            for key, samples in self._curves[name, bucket].items():
                points[key] = samples.typical * self._level
        return points


def _whole(source: str) -> str:
    return f"whole:{source}"


def _catch_up(source: str) -> str:
    return f"{CATCH_UP}:{source}"


def _drafting(source: str) -> str:
    return f"{DRAFTING}:{source}"


def _typical(samples: deque[float]) -> float:
    """The mean of the middle third; of two the lesser, because a stall only makes a sample longer."""
    if len(samples) == ENOUGH:
        return min(samples)
    third = len(samples) // 3
    middle = sorted(samples)[third : len(samples) - third]
    return sum(middle) / len(middle)
