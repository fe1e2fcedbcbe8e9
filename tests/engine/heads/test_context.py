"""Contexts stay in time order, lose nothing that a layer sees, and are independent of their copies."""

from __future__ import annotations

from pathlib import Path

import mlx.core as mx
import pytest

from engine.heads.context import LayerContext
from engine.heads.fit import GROWTH, SLACK
from engine.heads.head import Head, HeadContext
from tests.engine.heads.golden import cases
from tests.engine.heads.golden.cases import CASES
from tests.engine.heads.heads_on_disk import extend, head_of, likeliest

WINDOW = 40
ANCHOR = [9]


def rows(start: int, end: int) -> mx.array:
    """Rows that know their position (1, 1, rows, 2)."""
    return mx.arange(start, end, dtype=mx.float32)[None, None, :, None] * mx.ones((1, 1, 1, 2))


def grown(window: int | None, pieces: list[int]) -> LayerContext:
    context = LayerContext([window])
    for piece in pieces:
        end = context.length + piece
        context.layers[0].append(rows(context.length, end), -rows(context.length, end))
    return context


def positions(context: LayerContext) -> list[int]:
    held = context.layers[0].rows()
    return [] if held is None else [int(value) for value in held[0][0, 0, :, 0].tolist()]  # type: ignore[union-attr]


@pytest.mark.parametrize("pieces", [[1] * 700, [512, 3, 1, 500], [700], [100] * 7, [11, 1, 1, 600]])
@pytest.mark.parametrize("window", [None, WINDOW])
def test_rows_stay_in_time_order(pieces: list[int], window: int | None) -> None:
    context, total = grown(window, pieces), sum(pieces)
    assert context.length == total
    assert positions(context) == list(range(context.start, total))
    assert context.start == 0 if window is None else context.start <= total - 2 * WINDOW


def test_a_windowed_layer_does_not_grow_without_bound() -> None:
    context = grown(WINDOW, [5] * 2000)
    assert context.nbytes <= 2 * 4 * 2 * (2 * (WINDOW + min(WINDOW, SLACK)) + 3 * GROWTH)


@pytest.mark.parametrize("length", [650, 699, 661])
def test_rewinding_within_a_window_loses_nothing(length: int) -> None:
    context = grown(WINDOW, [1] * 700)
    context.rewind(length)
    assert context.length == length
    assert context.start <= length - WINDOW
    assert positions(context) == list(range(context.start, length))


def test_rewinding_before_the_oldest_row_leaves_an_empty_context_there() -> None:
    context = grown(WINDOW, [700])
    context.rewind(3)
    assert (context.start, context.length, positions(context)) == (3, 3, [])
    context.layers[0].append(rows(3, 9), rows(3, 9))
    assert positions(context) == list(range(3, 9))


def test_a_copy_and_its_original_do_not_change_each_other() -> None:
    context = grown(None, [10])
    copied = context.copy()
    context.layers[0].append(rows(70, 75), rows(70, 75))
    copied.layers[0].append(rows(20, 22), rows(20, 22))
    assert positions(context) == [*range(10), *range(70, 75)]
    assert positions(copied) == [*range(10), 20, 21]


def proposed(head: Head, context: HeadContext) -> mx.array:
    return head.propose(context, mx.array(ANCHOR, mx.int32), head.max_proposals, likeliest).scores


@pytest.mark.parametrize("name", ["full", "mixed", "dspark_vanilla"])
def test_proposing_leaves_the_context_as_it_was(tmp_path: Path, name: str) -> None:
    head = head_of(tmp_path, CASES[name])
    context = head.new_context()
    extend(head, context, 20)
    state = {key: mx.array(array) for key, array in context.state.items()}
    first, second = proposed(head, context), proposed(head, context)
    assert mx.array_equal(first, second)
    assert all(mx.array_equal(array, context.state[key]) for key, array in state.items())


def test_rewound_and_extended_again_proposes_the_same(tmp_path: Path) -> None:
    head = head_of(tmp_path, CASES["mixed"])
    straight, detour = head.new_context(), head.new_context()
    extend(head, straight, 25)
    for _ in range(2):
        extend(head, detour, 20)
        proposed(head, detour)
        extend(head, detour, 8)
        detour.rewind(20)
        extend(head, detour, 5)
        assert mx.allclose(proposed(head, straight), proposed(head, detour), atol=1e-4)
        detour.rewind(0)


@pytest.mark.parametrize("rows_before", [0, 6, 25])
def test_a_stored_context_proposes_the_same(tmp_path: Path, rows_before: int) -> None:
    head = head_of(tmp_path, CASES["mixed"])
    context = head.new_context()
    if rows_before:
        extend(head, context, rows_before)
    state = context.state
    mx.save_safetensors(str(tmp_path / "state.safetensors"), state)
    restored = head.restore(mx.load(str(tmp_path / "state.safetensors")))  # type: ignore[arg-type]
    assert (restored.start, restored.length) == (0, rows_before)
    for one in (context, restored):
        extend(head, one, 3)
    assert mx.array_equal(proposed(head, context), proposed(head, restored))


@pytest.mark.parametrize("damage", ["spans", "0.keys", "2.values", "shape", "order"])
def test_a_damaged_state_is_refused(tmp_path: Path, damage: str) -> None:
    head = head_of(tmp_path, CASES["mixed"])
    context = head.new_context()
    extend(head, context, 5)
    state = context.state
    if damage == "shape":
        state["1.keys"] = state["1.keys"][:, :1]
    elif damage == "order":
        state["spans"] = mx.array([[0, 5], [0, 4], [0, 5]])
    else:
        del state[damage]
    with pytest.raises(ValueError, match=r"spans|keys|values"):
        head.restore(state)


@pytest.mark.parametrize("name", ["full", "sliding", "dflash2"])
@pytest.mark.parametrize("length", [1, 31, 700])
def test_contexts_take_no_more_memory_than_is_reckoned(tmp_path: Path, name: str, length: int) -> None:
    head = head_of(tmp_path, CASES[name])
    context = head.new_context()
    taps = mx.zeros((1, min(length, 512), len(cases.TAPS) * cases.WIDTH))
    while context.length < length:
        head.extend(context, taps[:, : length - context.length], ())
        proposed(head, context)
    assert 0 < context.nbytes <= head.context_bytes(length)
