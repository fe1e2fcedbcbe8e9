"""A pass in parts begins on the device before it is built, and is the whole pass in every bit."""

from __future__ import annotations

import mlx.core as mx
import pytest

from engine.speculation.rounds.passes import model_pass
from engine.speculation.rounds.taps import Taps, layers_of
from tests.engine.speculation.families import EVERY_KIND, FAMILIES, ONE_OF_A_KIND, build, fresh_caches
from tests.engine.tiers import by_tier

IDS = mx.array([[3, 14, 15, 92]], mx.uint32)


@pytest.mark.parametrize("name", by_tier(sorted(FAMILIES), ONE_OF_A_KIND))
def test_a_pass_in_parts_has_the_bits_of_a_whole_pass(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model, launched, launch = build(name), [], mx.async_eval
    own = [type(layer) for layer in layers_of(model)]
    monkeypatch.setattr(mx, "async_eval", lambda *arrays: launched.append(arrays) or launch(*arrays))
    # Some families cannot be tapped.
    taps = Taps(model, (0,)) if name in EVERY_KIND else None
    whole = model_pass(model, IDS, fresh_caches(name), taps)
    assert not launched
    parts = model_pass(model, IDS, fresh_caches(name), taps, in_parts=True)
    assert all(
        mx.array_equal(one, other) for one, other in zip([parts[0], *parts[1]], [whole[0], *whole[1]], strict=True)
    )
    assert launched or name == "iquestloopcoder"  # runs parts of its layers by itself
    assert [type(layer) for layer in layers_of(model)] == own
