"""What rounds of a batch cost: their passes, and drafting with a model for several requests at once.

A pass is as wide as the longest proposal, for every request; its figures are kept by context bucket, requests and
width, and serve other numbers of requests with as many rows in all. Each is the middle of a few recent samples. When
the pass in use becomes slower or faster while nothing else has changed, the machine has: all figures are scaled alike,
as in `engine.speculation.round_cost`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from math import exp, log
from statistics import median

from engine.speculation.controllers import Controllers
from engine.speculation.cost_forecast import rising
from engine.speculation.proposers.registry import PROPOSERS, sources_without_drafter
from engine.speculation.round_cost import ENOUGH, FOLLOWING, LEAST_S, USUAL_CHANGE, WINDOW


@dataclass(frozen=True, slots=True)
class BatchRound:
    """A round to learn from: a pass of `width` tokens for each of `requests`, which took `seconds` with its drafting.

    `drafting` is (source, requests, depth) for the drafting with a model, if there was any; `draft_seconds` of the
    time went into it, None where that was not timed apart.
    """

    requests: int
    width: int
    tokens: int
    seconds: float
    drafting: tuple[str, int, int] | None = None
    draft_seconds: float | None = None


class _Curve:
    """Figures by width or depth, with what lies between them."""

    def __init__(self, points: Mapping[int, float]) -> None:
        self.keys = sorted(points)
        self._values = [points[key] for key in self.keys]

    def at(self, key: float) -> float:
        """Piecewise linear between known points; past the last one in proportion to it."""
        keys, values = self.keys, self._values
        index = bisect_left(keys, key)
        if index == len(keys):
            return values[-1] * key / keys[-1] if keys[-1] else values[-1]
        if keys[index] == key or index == 0:
            return values[index]
        below, above = keys[index - 1], keys[index]
        return values[index - 1] + (key - below) / (above - below) * (values[index] - values[index - 1])


class BatchCosts:
    """Learns and predicts seconds; `solo` know what the passes for one request cost."""

    def __init__(self, solo: Controllers) -> None:
        self.bucket = 0
        self._solo = solo
        # By (context bucket, requests), then by width; by (source, requests), then by depth. In seconds at level 1.
        self._passes: dict[tuple[int, int], dict[int, deque[float]]] = {}
        self._drafting: dict[tuple[str, int], dict[int, deque[float]]] = {}
        # What they come to, until something new is learned.
        self._curves: dict[tuple[int | str, int], _Curve] = {}
        self._level = 1.0
        self._last: tuple[int, int, int] | None = None
        self._stay = 0

    def observe(self, measured: BatchRound) -> None:
        """Learn from a round whose duration is typical of its kind."""
        requests, width, seconds = measured.requests, measured.width, measured.seconds
        drafted = 0.0
        if measured.drafting is not None:
            source, drafting, depth = measured.drafting
            drafted = self.drafting_s(source, drafting, depth) or 0.0
            if measured.draft_seconds is not None:
                drafted = min(measured.draft_seconds, seconds)
                curve = self._drafting.setdefault((source, drafting), {})
                curve.setdefault(depth, deque(maxlen=WINDOW)).append(drafted / self._level)
        self._learn(requests, width, max(seconds - drafted, 0.1 * seconds, LEAST_S))
        self._curves.clear()

    def samples(self, requests: int, width: int) -> int:
        """How many passes of this kind were measured."""
        return len(self._passes.get((self.bucket, requests), {}).get(width, ()))

    def timed(self, source: str, requests: int) -> bool:
        """Whether drafting for so many requests was timed apart."""
        return (source, requests) in self._drafting

    def drafting_s(self, source: str, requests: int, depth: int) -> float | None:
        """Seconds that `source` takes to draft `depth` tokens for each of `requests`; None where never timed.

        Until it is timed for so many requests, as long as for another number of them where a pass drafts for all, else
        in proportion.
        """
        curve = self._curves.get((source, requests))
        if curve is None:
            timed = [known for name, known in self._drafting if name == source]
            if not timed:
                return None
            nearest = min(timed, key=lambda known: abs(known - requests))
            scale = 1.0 if PROPOSERS[source].joint else requests / nearest
            points = {depth: scale * _typical(samples) for depth, samples in self._drafting[source, nearest].items()}
            curve = self._curves[source, requests] = _Curve({0: 0.0, **points})
        return self._level * curve.at(depth)

    def pass_s(self, requests: int, width: float) -> float | None:
        """Seconds of a pass; where it was not measured, what passes of as many rows took. None before any was."""
        own = self._curves.get((self.bucket, requests))
        if own is None:
            measured = self._measured(requests)
            if not measured and self._by_rows() is None:
                return None
            own = _Curve(measured or {1: self._rows_s(requests)})
            self._curves[self.bucket, requests] = own
        nearest = min(max(width, own.keys[0]), own.keys[-1])
        seconds = self._level * own.at(nearest)
        if nearest == width:
            return seconds
        return seconds * self._rows_s(requests * width) / self._rows_s(requests * nearest)

    def reaches(self, requests: int, width: int) -> bool:
        """Whether passes of as many rows, or more, were measured, so that nothing is extended."""
        rows = self._by_rows()
        return rows is not None and requests * width <= rows.keys[-1]

    def widest(self) -> int:
        """The widest pass that was measured, of any number of requests; 1 where none was."""
        return max((max(curve) for (bucket, _), curve in self._passes.items() if bucket == self.bucket), default=1)

    def _measured(self, requests: int) -> dict[int, float]:
        """Seconds at level 1 by width, without those that a single stall can decide."""
        curve = self._passes.get((self.bucket, requests), {})
        return {width: _typical(samples) for width, samples in curve.items() if len(samples) >= ENOUGH}

    def _by_rows(self) -> _Curve | None:
        """Passes by their rows in all, whoever they belong to: the products of a pass do not tell."""
        known = self._curves.get((self.bucket, 0))
        if known is None:
            points: dict[int, list[float]] = {}
            for bucket, requests in self._passes:
                for width, seconds in self._measured(requests).items() if bucket == self.bucket else ():
                    points.setdefault(requests * width, []).append(seconds)
            if not points:
                return None
            known = _Curve(rising({rows: sum(values) / len(values) for rows, values in points.items()}))
            self._curves[self.bucket, 0] = known
        return known

    def _rows_s(self, rows: float) -> float:
        """Seconds at level 1 of a pass of so many rows; beyond what was measured as passes for one request grow."""
        known, solo = self._by_rows(), self._solo.current.costs
        assert known is not None
        nearest = min(max(rows, known.keys[0]), known.keys[-1])
        if nearest == rows or solo.plain() is None:
            return known.at(nearest)
        grown = solo.forecast(sources_without_drafter("auto")[0])
        before, after = sorted((grown.expected(0, round(nearest)), grown.expected(0, round(rows))))
        return known.at(nearest) * (after / before if rows > nearest else before / after)

    def _learn(self, requests: int, width: int, seconds: float) -> None:
        kind = (self.bucket, requests, width)
        self._stay = self._stay + 1 if kind == self._last else 0
        self._last = kind
        samples = self._passes.setdefault((self.bucket, requests), {}).setdefault(width, deque(maxlen=WINDOW))
        relative = seconds / self._level
        if len(samples) > ENOUGH:
            deviation = max(-USUAL_CHANGE, min(USUAL_CHANGE, log(relative / _typical(samples))))
            self._level *= exp(FOLLOWING * deviation)
        if self._stay <= WINDOW:
            samples.append(relative)


def _typical(samples: deque[float]) -> float:
    """The middle; of two the lesser, because a stall only makes a sample longer."""
    return min(samples) if len(samples) == ENOUGH else median(samples)
