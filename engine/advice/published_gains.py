"""What heads gained on Macs, as published: estimates before anything is measured are interpolated from these points.

`resources/published_gains.json` has the points with their sources. A chip has the points of its family (see
`engine.machine.row_costs.chip_family`), as its members differ less than two kinds of text do; but those of its own sort
come first: a bare M5, without Pro, Max or Ultra, gained less than an M5 Max.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import log2, sqrt
from typing import Annotated, Any

from msgspec import Meta, Struct, convert

from engine.files.bounded_json import CONFIG, read_object
from engine.files.paths import resources
from engine.machine.row_costs import family_of_chip
from engine.model_files.head_kinds import is_chained

GAINS_FORMAT = 1
# The largest quotient of a range's ends that still helps a person to decide. Contradicting reports can be further
# apart: then the range lies in their middle.
WIDEST_RANGE = 1.5
# The tokens of context for which a gain is told before a chat begins: a few turns. Callers know only the most that has
# to fit into memory, which few chats reach: at 8,192 tokens one source has 1.77, not 1.55, and another 1.28, not 1.57.
USUAL_CONTEXT = 2048
# A chip family without points gets the points of an older one whose kernels work in the same way.
_OLDER_FAMILY = {"M2": "M1", "M5": "M3"}

Gain = Annotated[float, Meta(gt=0.1, lt=20)]


class PublishedGain(Struct, frozen=True, forbid_unknown_fields=True):
    """One measurement: a head of some kind for one model on one Mac, as a speed-up over plain decoding.

    `least` and `most` are the gains of its worst and best kind of text. `bits` are the bits of the main model's
    weights, 16 for bfloat16; `kind` is a name of `engine.model_files.head_kinds.HEAD_KINDS`. `context` is the length in
    tokens of the prompt or, after a short one, of the answer; None if the source does not say it.
    """

    chip: str
    kind: str
    model: str
    bits: Annotated[float, Meta(ge=1, le=32)]
    mixture: bool
    least: Gain
    most: Gain
    source: str
    context: Annotated[int, Meta(gt=0)] | None = None

    @property
    def middle(self) -> float:
        """The geometric mean of its ends."""
        return sqrt(self.least * self.most)


@dataclass(frozen=True, slots=True)
class GainRange:
    """The least and the most speed-up that published points let expect; equal where only one was published."""

    least: float
    most: float


@cache
def published_gains() -> tuple[PublishedGain, ...]:
    """Read the points. Raises `ValueError`, which names what is wrong."""
    return points_of(read_object(resources() / "published_gains.json", CONFIG))


def points_of(content: dict[str, Any]) -> tuple[PublishedGain, ...]:
    """Return the points of a file's content. Raises `ValueError` for an unknown format or a point that is not one."""
    if content.get("format") != GAINS_FORMAT:
        raise ValueError("unknown format of published gains")
    points = convert(content["points"], tuple[PublishedGain, ...])
    for point in points:
        if not family_of_chip(point.chip) or point.least > point.most:
            raise ValueError(f"{point.model} on {point.chip}: chip or range")
    return points


def published_range(
    kind: str,
    bits: float,
    *,
    mixture: bool,
    chip: str,
    context: int = USUAL_CONTEXT,
    points: Sequence[PublishedGain] | None = None,
) -> GainRange | None:
    """Return what heads of a kind gained on such a chip with weights of so many bits; None if nothing was published.

    A source that has a gain for several contexts counts with what lies between those next to `context`. Bits count by
    the power of two that is nearest, as reports of 3.5 and of 4 bits differ no less than those of 4; what lies between
    two such widths is interpolated too. Beyond the last point, that one counts. Heads that draft a block in one pass
    have the points of all such kinds: their reports differ no more than the reports of one kind.
    """
    everything = published_gains() if points is None else points
    alike = [point for point in everything if point.mixture is mixture and _drafts_alike(point.kind, kind)]
    gains_by_width: dict[float, list[float]] = defaultdict(list)
    for own_bits, gain in _gains_at(context, _nearest(alike, chip)):
        gains_by_width[_width(own_bits)].append(gain)
    if not gains_by_width:
        return None
    least, most = (
        _interpolated({width: end(gains) for width, gains in gains_by_width.items()}, _width(bits))
        for end in (min, max)
    )
    return _narrowed(GainRange(least, most))


def _drafts_alike(kind: str, other: str) -> bool:
    return kind == other or not (is_chained(kind) or is_chained(other))


def _nearest(points: Sequence[PublishedGain], chip: str) -> list[PublishedGain]:
    """Return the points of this sort of chip, else of its whole family, else of an older one."""
    family = family_of_chip(chip)
    of_family = [point for point in points if family_of_chip(point.chip) == family]
    of_sort = [point for point in of_family if _is_bare(point.chip) is _is_bare(chip)]
    older = _OLDER_FAMILY.get(family)
    return of_sort or of_family or [point for point in points if family_of_chip(point.chip) == older]


def _is_bare(chip: str) -> bool:
    """Whether a chip is no Pro, Max or Ultra."""
    return not chip.endswith((" Pro", " Max", " Ultra"))


def _gains_at(context: int, points: Sequence[PublishedGain]) -> Iterator[tuple[float, float]]:
    """Yield the bits and the gain of each measured pair, one that was measured at several contexts at this one."""
    series: dict[tuple[float, str, str, str, str], dict[float, float]] = defaultdict(dict)
    for point in points:
        if point.context is None:
            yield point.bits, point.middle
        else:
            pair = point.bits, point.chip, point.kind, point.model, point.source
            series[pair][log2(point.context)] = point.middle
    for (bits, *_), gains in series.items():
        yield bits, _interpolated(gains, log2(context))


def _width(bits: float) -> float:
    return float(round(log2(bits)))


def _interpolated(values: Mapping[float, float], place: float) -> float:
    """Return the value at a place from those at the next places; beyond the last, that one's."""
    below = max((known for known in values if known <= place), default=min(values))
    above = min((known for known in values if known >= place), default=max(values))
    share = (place - below) / (above - below) if below < above else 0.0
    return values[below] + (values[above] - values[below]) * share


def _narrowed(wide: GainRange) -> GainRange:
    """Return a range with the same geometric mean that is no wider than `WIDEST_RANGE`."""
    if wide.most <= WIDEST_RANGE * wide.least:
        return wide
    middle = sqrt(wide.least * wide.most)
    reach = sqrt(WIDEST_RANGE)
    return GainRange(middle / reach, middle * reach)
