"""Estimates for heads are near what was published for such a chip, kind of head and width of weights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from engine.advice.published_gains import (
    USUAL_CONTEXT,
    WIDEST_RANGE,
    GainRange,
    PublishedGain,
    points_of,
    published_gains,
    published_range,
)
from engine.advice.speedup import SpeedupEstimate, estimate_speedup
from engine.machine.row_costs import family_of_chip
from engine.model_files.head_kinds import can_run
from engine.model_files.model import Model

GB = 10**9
POINTS = published_gains()


@pytest.mark.parametrize("point", POINTS, ids=lambda point: f"{point.chip}-{point.kind}-{point.model}-{point.source}")
def test_an_estimate_is_within_a_quarter_of_each_published_point(point: PublishedGain) -> None:
    """A point is the middle of its kinds of text; reports contradict each other, so not all are inside a range."""
    context = point.context or USUAL_CONTEXT
    found = published_range(point.kind, point.bits, mixture=point.mixture, chip=point.chip, context=context)
    assert found is not None
    assert found.most <= WIDEST_RANGE * found.least * 1.001
    assert found.least / 1.25 <= point.middle <= found.most * 1.25
    assert can_run(point.kind)


def estimate(point: PublishedGain) -> SpeedupEstimate:
    """Estimate the speed-up of the head of a point, for a 27B or a mixture of 35B with 3B active."""
    active = 17 * GB // 10 if point.mixture else 15 * GB
    main = Model("org/main", "cache", weight_bytes=15 * GB, active_bytes=active, bits=round(point.bits))
    return estimate_speedup(main, Model("org/head", "cache", weight_bytes=GB, active_bytes=GB, head=point.kind), "same")


@pytest.mark.parametrize(
    ("chip", "kind", "bits", "measured"),
    [("Apple M3 Max", "dflash2", 4, 2.05), ("Apple M4", "dspark", 16, 2.4), ("Apple M5 Max", "mtp", 4, 2.0)],
)
def test_no_head_is_talked_down_that_others_measured_at_twice_the_speed(
    chip: str, kind: str, bits: int, measured: float, set_chip: Callable[[str], None]
) -> None:
    set_chip(chip)
    expected = estimate(replace_point(chip=chip, kind=kind, bits=bits))
    assert expected.most >= measured


def replace_point(**changes: object) -> PublishedGain:
    fields = {"chip": "Apple M4", "kind": "mtp", "model": "", "bits": 4, "mixture": False, "least": 1.0, "most": 1.0}
    return PublishedGain(**{**fields, "source": "test", **changes})  # type: ignore[arg-type]


def expected_range(
    points: list[PublishedGain], kind: str, bits: float, chip: str = "Apple M4", context: int = USUAL_CONTEXT
) -> GainRange | None:
    return published_range(kind, bits, mixture=False, chip=chip, context=context, points=points)


def test_between_two_widths_the_logarithm_of_the_bits_is_interpolated() -> None:
    points = [replace_point(kind="dspark", bits=bits, least=gain, most=gain) for bits, gain in ((4, 2.0), (16, 3.0))]
    assert [expected_range(points, "dspark", bits) for bits in (2, 4, 8, 16, 32)] == [
        GainRange(gain, gain) for gain in (2.0, 2.0, 2.5, 3.0, 3.0)
    ]


def test_nearly_equal_bits_count_as_the_same_width() -> None:
    points = [
        replace_point(bits=bits, least=gain, most=gain) for bits, gain in ((3.5, 1.0), (4, 1.2), (6, 2.0), (8, 2.2))
    ]
    for bits in (3, 3.5, 4, 5):
        assert expected_range(points, "mtp", bits) == GainRange(1.0, 1.2)
    for bits in (6, 8):
        assert expected_range(points, "mtp", bits) == GainRange(2.0, 2.2)


def test_a_gain_by_context_counts_with_what_lies_between_the_next_two() -> None:
    points = [
        replace_point(context=context, least=gain, most=gain)
        for context, gain in ((512, 2.0), (2048, 1.5), (8192, 1.1))
    ]
    expected = ((128, 2.0), (512, 2.0), (1024, 1.75), (2048, 1.5), (4096, 1.3), (8192, 1.1), (32768, 1.1))
    for context, gain in expected:
        found = expected_range(points, "mtp", 4, context=context)
        assert found is not None
        assert (found.least, found.most) == pytest.approx((gain, gain))
    assert expected_range(points, "mtp", 4) == GainRange(1.5, 1.5)
    # Others count as they are, and so does the same pair where its context is not known.
    points.append(replace_point(least=1.6, most=1.6))
    assert expected_range(points, "mtp", 4, context=512) == GainRange(1.6, 2.0)


def test_a_chip_without_pro_max_or_ultra_has_its_own_points_where_it_has_some() -> None:
    points = [replace_point(chip="Apple M4 Max", least=2.0, most=2.0)]
    assert expected_range(points, "mtp", 4, "Apple M4") == GainRange(2.0, 2.0)
    points.append(replace_point(chip="Apple M4", least=1.2, most=1.2))
    for chip, gain in (("Apple M4", 1.2), ("Apple M3", 1.2), ("Apple M4 Pro", 2.0), ("Apple M3 Max", 2.0)):
        assert expected_range(points, "mtp", 4, chip) == GainRange(gain, gain)
    assert expected_range(points[1:], "mtp", 4, "Apple M4 Max") == GainRange(1.2, 1.2)


def test_a_bare_m5_is_promised_no_more_than_was_measured_on_one(set_chip: Callable[[str], None]) -> None:
    for chip, least, most in (("Apple M5", 1.07, 1.14), ("Apple M5 Max", 1.92, 1.97)):
        set_chip(chip)
        found = estimate(replace_point(kind="dflash", bits=8))
        assert found.bounds == pytest.approx((least, most), abs=0.01)


def test_heads_that_draft_a_block_share_their_points() -> None:
    points = [
        replace_point(kind="dflash", least=2.0, most=2.0),
        replace_point(kind="dspark", least=2.5, most=2.5),
        replace_point(kind="mtp", least=1.5, most=1.5),
    ]
    for kind in ("dflash", "dflash2", "dspark", "domino"):
        assert expected_range(points, kind, 4) == GainRange(2.0, 2.5)
    assert expected_range(points, "mtp", 4) == GainRange(1.5, 1.5)
    assert expected_range(points, "eagle3", 4) is None


@pytest.mark.parametrize(("older", "newer"), [("Apple M1 Max", "Apple M2 Pro"), ("Apple M4 Max", "Apple M5 Pro")])
def test_a_chip_has_an_older_ones_points_until_it_has_some(older: str, newer: str) -> None:
    points = [replace_point(chip=older, least=1.5, most=1.5)]
    assert expected_range(points, "mtp", 4, newer) == GainRange(1.5, 1.5)
    points.append(replace_point(chip=newer, least=2.0, most=2.0))
    assert expected_range(points, "mtp", 4, newer) == GainRange(2.0, 2.0)
    assert expected_range(points, "mtp", 4, older) == GainRange(1.5, 1.5)
    assert expected_range(points[1:], "mtp", 4, older) is None
    assert expected_range(points, "mtp", 4, "Xeon") is None


def test_reports_that_contradict_each_other_make_a_range_that_still_helps() -> None:
    points = [replace_point(least=gain, most=gain) for gain in (1.0, 4.0)]
    wide = expected_range(points, "mtp", 4)
    assert wide is not None
    assert wide.most / wide.least == pytest.approx(WIDEST_RANGE)
    assert wide.least * wide.most == pytest.approx(4.0)


def test_the_gain_is_said_with_bounds_only_where_reports_differ(set_chip: Callable[[str], None]) -> None:
    set_chip("Apple M5 Max")
    main = Model("org/main", "cache", weight_bytes=28 * GB, active_bytes=28 * GB, bits=8)
    head = Model("org/head", "cache", weight_bytes=GB, active_bytes=GB, head="mtp")
    assert estimate_speedup(main, head, "same").bounds is None
    differing = estimate_speedup(main, replace(head, head="dspark"), "same")
    assert differing.bounds is not None
    assert differing.bounds[0] < differing.speedup < differing.bounds[1]


@pytest.mark.parametrize(
    "damage",
    [
        {"chip": "Xeon"},
        {"least": 3.0},
        {"least": -1.0},
        {"most": 10.0**9},
        {"bits": 0},
        {"kind": 5},
        {"context": 0},
        {"script": "rm"},
    ],
)
def test_a_wrong_point_is_refused(damage: dict[str, object]) -> None:
    fields = {"chip": "Apple M4", "kind": "mtp", "model": "a", "bits": 4, "mixture": False, "least": 1.0, "most": 2.0}
    assert len(points_of({"format": 1, "points": [{**fields, "source": "a"}]})) == 1
    with pytest.raises(ValueError):  # noqa: PT011 - the library words it
        points_of({"format": 1, "points": [{**fields, "source": "a", **damage}]})


def test_another_format_is_refused() -> None:
    with pytest.raises(ValueError, match="format"):
        points_of({"format": 2, "points": []})


def test_chips_of_one_family_share_their_points() -> None:
    names = ("Apple M1", "Apple M2 Ultra", "Apple M3 Ultra", "Apple M3 Pro", "Apple M4", "Apple M5", "Apple M9", "Xeon")
    assert [family_of_chip(name) for name in names] == ["M1", "M2", "M3 Ultra", "M3", "M3", "M5", "", ""]
