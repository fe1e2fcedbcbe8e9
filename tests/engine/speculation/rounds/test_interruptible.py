"""A prompt that is cancelled in the middle of a pass leaves the sequence as before the pass."""

from __future__ import annotations

import mlx.core as mx
import pytest

from engine.speculation.caches.cache_rules import flatten, leaves
from engine.speculation.rounds.interruptible import PrefillPass
from engine.speculation.rounds.sequence import CachedSequence
from tests.engine.endurance.counting import graph_nodes
from tests.engine.speculation.cache_state import largest_difference
from tests.engine.speculation.families import EVERY_KIND, build, fresh_caches
from tests.engine.tiers import by_tier

FEW = ("llama", "llama:window", "llama4", "deepseek_v41", "falcon_h1")
TOKENS = [(11 * index + 5) % 96 for index in range(40)]


def reading(name: str, position: int) -> CachedSequence:
    sequence = CachedSequence(build(name), fresh_caches(name))
    sequence.append(TOKENS)
    if position:
        sequence.prefill(position)
    return sequence


def assert_same(one: CachedSequence, other: CachedSequence) -> None:
    assert (one.tokens, one.position) == (other.tokens, other.position)
    for cache, expected in zip(one.caches, other.caches, strict=True):
        assert largest_difference(cache, expected) == 0.0


@pytest.mark.parametrize("position", [0, 9])
@pytest.mark.parametrize("name", by_tier(EVERY_KIND, FEW))
def test_a_pass_that_is_given_up_leaves_the_sequence_as_before(name: str, position: int) -> None:
    sequence, other = reading(name, position), reading(name, position)
    if sequence.plain_only is not None:
        pytest.skip("prefilled at once")

    begun = PrefillPass(sequence, 8)
    assert not begun.evaluate(begun.layers // 2)
    begun.undo()

    arrays = [*leaves([vars(cache) for cache in flatten(sequence.caches)])]
    # A handle of an array is a node itself.
    assert graph_nodes(arrays) <= len(arrays)
    assert sequence.position == position
    assert sequence.prefill(8) == other.prefill(8)
    assert_same(sequence, other)
    assert mx.array_equal(sequence.verify(), other.verify())


def test_a_part_that_fails_leaves_the_sequence_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("out of memory")

    for until in (1, 2):
        sequence, other = reading("llama", 9), reading("llama", 9)
        begun = PrefillPass(sequence, 8)
        assert until in (1, begun.layers)
        with monkeypatch.context() as patch:
            patch.setattr(mx, "eval", fail)
            with pytest.raises(RuntimeError):
                begun.evaluate(until)
        assert sequence.position == 9
        assert sequence.prefill(8) == other.prefill(8)
        assert_same(sequence, other)
