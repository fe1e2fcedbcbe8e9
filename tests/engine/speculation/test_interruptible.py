"""A prompt that is cancelled in the middle of a pass: nothing of the pass is left, and nothing of the text is lost."""

from __future__ import annotations

import mlx.core as mx
import pytest

from engine.speculation.cache_rules import flatten, leaves
from engine.speculation.interruptible import Interrupted, prefill_in_parts
from engine.speculation.sequence import Sequence
from tests.engine.counting import graph_nodes
from tests.engine.speculation.cache_state import largest_difference
from tests.engine.speculation.families import EVERY_KIND, build, fresh_caches

pytestmark = pytest.mark.usefixtures("without_compilation")

TOKENS = [(11 * index + 5) % 96 for index in range(40)]


def reading(name: str, position: int) -> Sequence:
    sequence = Sequence(build(name), fresh_caches(name))
    sequence.append(TOKENS)
    if position:
        sequence.prefill(position)
    return sequence


def assert_same(one: Sequence, other: Sequence) -> None:
    assert (one.tokens, one.position) == (other.tokens, other.position)
    for cache, expected in zip(one.caches, other.caches, strict=True):
        assert largest_difference(cache, expected) == 0.0


@pytest.mark.parametrize("position", [0, 9])
@pytest.mark.parametrize("name", EVERY_KIND)
def test_an_interrupted_pass_leaves_the_sequence_as_before(name: str, position: int) -> None:
    sequence, other = reading(name, position), reading(name, position)
    if sequence.plain_only is not None:
        pytest.skip("prefilled at once")

    with pytest.raises(Interrupted):
        prefill_in_parts(sequence, 8, 2, lambda: True)

    arrays = [*leaves([vars(cache) for cache in flatten(sequence.caches)])]
    # A handle of what was there before is a node itself.
    assert graph_nodes(arrays) <= len(arrays)
    assert sequence.position == position
    assert sequence.prefill(8) == other.prefill(8)
    assert_same(sequence, other)
    assert mx.array_equal(sequence.verify(), other.verify())


@pytest.mark.parametrize("name", EVERY_KIND)
def test_a_pass_in_parts_is_the_same_pass(name: str) -> None:
    sequence, other = reading(name, 9), reading(name, 9)
    assert prefill_in_parts(sequence, 8, 3, lambda: False) == other.prefill(8)
    assert_same(sequence, other)


def test_it_is_asked_between_the_parts_only() -> None:
    asked = 0

    def stopped() -> bool:
        nonlocal asked
        asked += 1
        return False

    sequence = reading("llama", 0)
    prefill_in_parts(sequence, 8, 1, stopped)
    assert asked == 0
    prefill_in_parts(sequence, 8, 2, stopped)
    assert asked == 1
