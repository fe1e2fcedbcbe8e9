"""Forecasts of rounds: seconds of passes and of drafting that were not measured, from those that were."""

from __future__ import annotations

from bisect import bisect
from dataclasses import dataclass
from math import inf

# The most that drafting a token is taken to cost before any was timed, in plain rounds.
UNKNOWN_DRAFTING = 0.5

Points = dict[int, float]


@dataclass(frozen=True, slots=True)
class Forecast:
    """Seconds of a proposer's rounds: `passes` by width (plain decoding is width 1), `drafting` by depth.

    `doubts` are the relative standard errors of passes that were measured at this context length, by width. The figures
    of `once` rest on fewer than ENOUGH rounds, of which each may have been disturbed.
    """

    passes: Points
    drafting: Points
    doubts: Points
    once: frozenset[int] = frozenset()

    def reaches(self, width: int) -> bool:
        """Whether a pass at least as wide was measured, and a cheaper one, so that nothing is extended."""
        return width <= max(self.passes)

    def expected(self, depth: int, width: int) -> float:
        """Measured, interpolated, or extended along the mean slope so far."""
        return interpolate(self.passes, width) + interpolate(self.drafting, depth)

    def drafting_of(self, depth: int) -> float:
        """The part of `expected` that is drafting."""
        return interpolate(self.drafting, depth)

    def at_least(self, depth: int, width: int) -> float:
        """A lower bound: a wider pass does not cost less than a narrower one that was measured."""
        return self._bounds(width)[0] + interpolate(self.drafting, depth)

    def at_most(self, depth: int, width: int) -> float:
        """An upper bound: cost grows at most in proportion to the rows."""
        known = len(self.drafting) > 1
        drafting = interpolate(self.drafting, depth) if known else UNKNOWN_DRAFTING * depth * self.passes[1]
        return self._bounds(width)[1] + drafting

    def _bounds(self, width: int) -> tuple[float, float]:
        """Nothing but noise makes a pass too short, while anything may have made one too long."""
        passes, once = self.passes, self.once
        narrowest = min(passes)
        if width <= narrowest:
            # A pipelined round carries no row: the width of what may follow it can come out as 0.
            return passes[narrowest], passes[narrowest]
        if width in passes and width not in once:
            return passes[width], passes[width]
        narrower = [known for known in passes if known < width]
        not_narrower = [seconds for known, seconds in passes.items() if known >= width]
        least = passes[max((known for known in narrower if known not in once), default=narrowest)]
        in_proportion = min(passes[known] * width / known for known in narrower)
        return min([least, *not_narrower]), min([in_proportion, *not_narrower])


def rising(points: Points) -> Points:
    """The figures, each at most the next one: what took longer than something larger was disturbed."""
    least = inf
    lowered: Points = {}
    for key in sorted(points, reverse=True):
        lowered[key] = least = min(least, points[key])
    return lowered


def interpolate(points: Points, at: int) -> float:
    """Piecewise linear between known points; past the last one along the line from the first to the last."""
    if at in points:
        return points[at]
    known = sorted(points)
    index, first, last = bisect(known, at), known[0], known[-1]
    if index == 0:
        return points[first]
    if index == len(known):
        slope = (points[last] - points[first]) / (last - first) if last > first else 0.0
        return points[last] + max(slope, 0.0) * (at - last)
    below, above = known[index - 1], known[index]
    share = (at - below) / (above - below)
    return points[below] + share * (points[above] - points[below])
