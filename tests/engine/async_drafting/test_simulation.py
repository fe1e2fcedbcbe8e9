"""What asynchronous drafting can gain, by acceptance and device."""

from __future__ import annotations

import pytest

from tests.engine.async_drafting.simulation import World, asynchronous, best, synchronous


@pytest.mark.parametrize("acceptance", [0.5, 0.95])
def test_a_device_of_its_own_makes_drafting_ahead_faster(acceptance: float) -> None:
    plain, ahead = best(World(acceptance, draft=0.1))
    assert 1.1 < ahead / plain < 2.0


def test_a_shared_device_makes_it_slower() -> None:
    plain, ahead = best(World(0.8, draft=0.1, shared=True))
    assert ahead < plain


def test_nothing_is_gained_where_drafting_is_free() -> None:
    world = World(0.8, draft=0.0, handover=0.0)
    assert asynchronous(world, 4, 5) == pytest.approx(synchronous(world, 4), rel=0.03)
