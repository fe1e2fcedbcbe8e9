"""Estimates before anything is measured: what the chip's published costs of wider passes allow."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from engine.advice.speedup import estimate_head_speedup, estimate_speedup, is_copy
from engine.model_files.model import Model

GB = 10**9
# An 8B and a mixture of 30B in 4 bits, and a draft model of 0.6B.
DENSE = Model("dense", "cache", weight_bytes=46 * GB // 10, active_bytes=46 * GB // 10, bits=4)
MIXTURE = replace(DENSE, weight_bytes=17 * GB, active_bytes=19 * GB // 10)
DRAFT = replace(DENSE, weight_bytes=GB // 3, active_bytes=GB // 3)
SetChip = Callable[[str], None]


@pytest.mark.parametrize(
    ("chip", "least", "most"),
    [
        ("Apple M1", 0.8, 1.0),
        ("Apple M2 Max", 0.8, 1.0),
        ("Apple M3 Pro", 1.4, 1.8),
        ("Apple M4", 1.3, 1.6),
        ("Apple M5 Max", 1.3, 1.6),
        ("Intel(R) Xeon(R) Processor", 1.8, 1.9),
    ],
)
def test_a_draft_model_is_expected_to_gain_what_was_published_for_the_chip(
    chip: str, least: float, most: float, set_chip: SetChip
) -> None:
    set_chip(chip)
    found = estimate_speedup(DENSE, DRAFT, "same")
    assert least < found.speedup < most
    assert found.bounds is None


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


def test_a_mixture_of_experts_on_an_m5_costs_less_than_if_no_row_shared_an_expert(set_chip: SetChip) -> None:
    elsewhere = estimate_speedup(MIXTURE, DRAFT, "same")
    set_chip("Apple M5 Max")
    found = estimate_speedup(MIXTURE, DRAFT, "same")
    assert found.bounds is None
    assert elsewhere.speedup + 0.1 < found.speedup < 1.05


@pytest.mark.parametrize(("chip", "pays"), [("AMD EPYC", False), ("Apple M4", True)])
def test_a_copy_in_fewer_bits_is_faster_only_where_weights_stay_as_they_are_stored(
    chip: str, *, pays: bool, set_chip: SetChip
) -> None:
    """SmolLM2-135M as float32 and in 4 bits: a CPU computes both with float32."""
    set_chip(chip)
    main = replace(DENSE, weight_bytes=538_000_000, active_bytes=538_000_000, bits=32)
    copy = replace(DENSE, weight_bytes=76_000_000, active_bytes=76_000_000)
    assert is_copy(copy, main)
    assert (estimate_speedup(main, copy, "same").speedup > 1.05) == pays
    assert not is_copy(DENSE, main)
