"""Estimates before anything is measured: what the chip's published costs of wider passes allow."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from statistics import fmean

import pytest

from engine.advice.speedup import estimate_head_speedup, estimate_speedup
from engine.model_files.model import Model

GB = 10**9
# An 8B and a mixture of 30B in 4 bits, and a draft model of 0.6B.
DENSE = Model("dense", "cache", weight_bytes=46 * GB // 10, active_bytes=46 * GB // 10, bits=4)
MIXTURE = replace(DENSE, weight_bytes=17 * GB, active_bytes=19 * GB // 10)
DRAFT = replace(DENSE, weight_bytes=GB // 3, active_bytes=GB // 3)
SetChip = Callable[[str], None]


# A 27B in 4 and in 8 bits, a mixture, and the bytes of their MTP heads and of a head that drafts a round at once.
B27, B27_8 = (
    replace(DENSE, weight_bytes=size, active_bytes=size, bits=bits) for size, bits in ((15 * GB, 4), (28 * GB, 8))
)
B35_A3B = replace(DENSE, weight_bytes=19 * GB, active_bytes=17 * GB // 10)
MTP, EXPERTS_MTP, DFLASH = GB, GB // 10, 3 * GB


@pytest.mark.parametrize(
    ("chip", "main", "drafter", "published", "source"),
    [
        ("Apple M1 Max", B27, MTP, (0.86, 1.05), "MTPLX#68"),
        ("Apple M2 Max", DENSE, DRAFT, (0.86, 1.05), "MTPLX#68"),
        ("Intel(R) Xeon(R) Processor", DENSE, DRAFT, (1.85, 1.85), "a CPU reads the weights once for all rows"),
        ("Apple M3 Ultra", DENSE, DRAFT, (1.3, 1.3), "mlx-examples#1281"),
        ("Apple M4 Max", DENSE, DRAFT, (1.56, 1.56), "mlx-examples#1281"),
        ("Apple M4 Max", B27_8, MTP, (1.93, 1.93), "mlx-examples#1281"),
        ("Apple M5 Pro", B27, MTP, (1.31, 1.31), "mlx-lm#990"),
        ("Apple M5 Max", B27, DFLASH, (1.52, 1.75), "mlx-vlm#2014"),
        ("Apple M5 Max", B27_8, DFLASH, (1.92, 1.92), "mlx-vlm#2014"),
        ("Apple M3 Max", B35_A3B, EXPERTS_MTP, (1.59, 1.59), "omlx#1779"),
        ("Apple M3 Ultra", B35_A3B, EXPERTS_MTP, (1.18, 1.57), "vllm-mlx#245, omlx#2113"),
        ("Apple M4 Max", B35_A3B, EXPERTS_MTP, (1.37, 1.37), "mere-run#348"),
        ("Apple M4 Pro", B35_A3B, EXPERTS_MTP, (1.05, 1.7), "mlx-dspark 0.20.3"),
        ("Apple M5 Max", B35_A3B, EXPERTS_MTP, (1.6, 1.8), "omlx#3601, vllm-mlx#763"),
    ],
)
def test_estimates_are_near_what_was_published(
    chip: str, main: Model, drafter: Model | int, published: tuple[float, float], source: str, set_chip: SetChip
) -> None:
    """Within a quarter of their middle, as acceptance differs by text; a range contains them."""
    set_chip(chip)
    if isinstance(drafter, Model):
        found = estimate_speedup(main, drafter, "same")
    else:
        found = estimate_head_speedup(main, drafter, chained=drafter != DFLASH)
    if found.bounds is None:
        assert found.speedup == pytest.approx(fmean(published), rel=0.25), source
    else:
        assert found.bounds[0] <= published[0] <= published[1] <= found.bounds[1], source


@pytest.mark.parametrize("chip", ["Apple M3", "Apple M3 Ultra", "Apple M4 Pro", "Apple M5"])
def test_8_bits_gain_more_than_4_where_rows_are_computed_and_not_read_again(chip: str, set_chip: SetChip) -> None:
    set_chip(chip)
    four, eight = (estimate_head_speedup(main, MTP, chained=True) for main in (B27, B27_8))
    assert eight.speedup > four.speedup + 0.1


def test_an_m3_is_expected_to_gain_no_more_than_an_m4(set_chip: SetChip) -> None:
    found = []
    for chip in ("Apple M3 Max", "Apple M4 Max"):
        set_chip(chip)
        found.append([estimate_speedup(main, DRAFT, "same").most for main in (DENSE, MIXTURE, B27_8)])
    assert all(older <= newer for older, newer in zip(*found, strict=True))


@pytest.mark.parametrize(("chip", "main"), [("Apple M9", DENSE), ("Apple M3 Ultra", DENSE), ("Apple M4", MIXTURE)])
def test_where_nothing_or_a_contradiction_was_published_it_is_a_range(
    chip: str, main: Model, set_chip: SetChip
) -> None:
    set_chip(chip)
    for found in (estimate_speedup(main, DRAFT, "same"), estimate_head_speedup(main, DRAFT.weight_bytes, chained=True)):
        assert found.bounds is not None
        least, most = found.bounds
        assert least < min(1.0, found.speedup)
        assert most > max(found.speedup, least + 0.1)


def test_an_unknown_chip_may_be_as_slow_as_any_known_one(set_chip: SetChip) -> None:
    speeds = []
    for chip in ("Apple M1", "Apple M3", "Apple M4", "Apple M5", "Apple M9"):
        set_chip(chip)
        speeds.append(estimate_speedup(DENSE, DRAFT, "same"))
    *known, unknown = speeds
    assert unknown.bounds == (min(one.speedup for one in known), max(one.speedup for one in known))


def test_plain_weights_have_their_own_costs(set_chip: SetChip) -> None:
    """On an M3 Ultra, a pass of bfloat16 costs twice one row, however many rows it has."""
    set_chip("Apple M3 Ultra")
    plain = estimate_head_speedup(replace(DENSE, weight_bytes=16 * GB, active_bytes=16 * GB, bits=16), GB // 2)
    assert plain.bounds is None
    assert 1.2 < plain.speedup < 1.5


def test_a_mixture_of_experts_may_gain_what_was_published_for_any(set_chip: SetChip) -> None:
    """On an M5 it costs less than if no row shared an expert; an M1 and an M2 read the weights for each row."""
    ranges = {}
    for chip in ("Apple M2", "Apple M4", "Apple M5 Max"):
        set_chip(chip)
        ranges[chip] = estimate_speedup(MIXTURE, DRAFT, "same")
    assert not ranges["Apple M2"].gains
    assert ranges["Apple M4"].most == ranges["Apple M5 Max"].most == 1.8
    assert ranges["Apple M4"].bounds < ranges["Apple M5 Max"].bounds  # type: ignore[operator]
