"""Contexts stay in time order, keep every row that a layer sees, and are independent of their copies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest

from engine.heads.chain_head import MAX_WAITING
from engine.heads.context import HeadContext
from engine.heads.fit import GROWTH, SLACK
from engine.heads.head import Attended, Head
from tests.engine.heads.golden import mtp_cases
from tests.engine.heads.heads_on_disk import HEADS, OnDisk, likeliest

pytestmark = pytest.mark.usefixtures("without_compilation")

WINDOW = 40


def rows(start: int, end: int) -> mx.array:
    """Return rows (1, 1, rows, 2) whose numbers are their positions."""
    return mx.arange(start, end, dtype=mx.float32)[None, None, :, None] * mx.ones((1, 1, 1, 2))


def grown(window: int | None, pieces: list[int]) -> HeadContext:
    context = HeadContext([window])
    for piece in pieces:
        end = context.length + piece
        context.layers[0].append(rows(context.length, end), -rows(context.length, end))
    return context


def positions(context: HeadContext) -> list[int]:
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


def further(*values: str | int) -> list[Any]:
    """Return parameters of the full tier."""
    return [pytest.param(value, marks=pytest.mark.full) for value in values]


NAMES = ["mixed", "eagle_llama", "mtp_qwen3", "assistant_gemma4"]
BY_DEPTH = ["mtp_step3p5", "mtp_mimo_v2_flash"]
each_kind = pytest.mark.parametrize("name", [*NAMES, *further("full", "eagle_two_layers", "assistant_gemma4_ordered")])


def following(folder: Path, name: str) -> tuple[OnDisk, Head, HeadContext]:
    """Return a case, its head, and a context of eleven rows of its text."""
    head = (case := HEADS[name]).bound(folder)
    case.extend(head, context := head.new_context(), 11)
    return case, head, context


@pytest.mark.parametrize(
    "name", [*NAMES, *further("full", "laguna", "eagle_qwen3", "eagle_3_1", "eagle_sliding", "mtp_qwen3_5_moe")]
)
def test_a_text_read_anew_leaves_what_rounds_leave(tmp_path: Path, name: str) -> None:
    case = HEADS[name]
    head = case.bound(tmp_path)
    rounds, anew = head.new_context(), head.new_context()
    last = case.proposals(head, rounds)[-1]
    case.extend(head, anew, sum(case.rounds))
    assert mx.allclose(last.scores, case.propose(head, anew).scores, atol=5e-5)
    assert rounds.length == anew.length == sum(case.rounds)
    assert rounds.state.keys() == anew.state.keys()
    for key, array in rounds.state.items():
        assert mx.allclose(array, anew.state[key], rtol=1e-4, atol=1e-5), key


@each_kind
def test_proposing_leaves_the_context_as_it_was(tmp_path: Path, name: str) -> None:
    case, head, context = following(tmp_path, name)
    first, second = case.propose(head, context), case.propose(head, context)
    assert mx.allclose(first.scores, second.scores, atol=5e-5)
    assert context.length == 11


@each_kind
@pytest.mark.parametrize("length", [0, 9, 11, 12, *further(1, 5, 14)])
def test_a_rewound_context_that_reads_on_proposes_the_same(tmp_path: Path, name: str, length: int) -> None:
    """Some heads need one more row first."""
    case, head, context = following(tmp_path, name)
    straight = head.new_context()
    case.propose(head, context)
    # In chains, the next 3 rows wait for the next proposal.
    case.extend(head, context, 3)
    context.rewind(length)
    assert context.length == length
    if not context.ready:
        with pytest.raises(ValueError, match="state"):
            case.propose(head, context)
    if length == 0 or not context.ready:
        case.extend(head, context, 1)
    case.extend(head, straight, context.length)
    # The text continues as before, so the token of a chain's last cached pair is right.
    assert mx.allclose(case.propose(head, context).scores, case.propose(head, straight).scores, atol=1e-4)


@each_kind
def test_a_copy_goes_its_own_way(tmp_path: Path, name: str) -> None:
    case, head, context = following(tmp_path, name)
    twin, expected = context.copy(), case.propose(head, context.copy()).scores
    case.extend(head, twin, 3)
    case.propose(head, twin)
    assert mx.array_equal(case.propose(head, context).scores, expected)
    assert (context.length, twin.length) == (11, 14)


@each_kind
@pytest.mark.parametrize("rows", [0, 1, 14])
def test_a_stored_context_goes_on_where_it_was(tmp_path: Path, name: str, rows: int) -> None:
    case = HEADS[name]
    head = case.bound(tmp_path)
    context = head.new_context()
    if rows:
        case.extend(head, context, rows)
        case.propose(head, context)
    mx.save_safetensors(str(tmp_path / "state.safetensors"), context.state)
    restored = head.restore(mx.load(str(tmp_path / "state.safetensors")))  # type: ignore[arg-type]
    assert (restored.start, restored.length) == (0, rows)
    for one in (context, restored):
        case.extend(head, one, 3)
    one, other = (case.propose(head, each).scores for each in (context, restored))
    assert mx.allclose(one, other, atol=1e-5)


def test_a_stored_chain_that_begins_later_and_waits_goes_on_where_it_was(tmp_path: Path) -> None:
    case, rows = HEADS["mtp_qwen3"], MAX_WAITING + 9
    head = case.bound(tmp_path)
    context = head.new_context(start=3)
    head.extend(context, mx.random.normal((1, rows, mtp_cases.WIDTH), key=mx.random.key(1)), list(range(rows)))
    again = head.restore({name: mx.array(array) for name, array in context.state.items()})
    assert (again.start, again.length) == (3, 3 + rows)
    anchor = mx.array([7], mx.int32)
    one, other = (head.propose(each, anchor, 2, likeliest).scores for each in (context, again))
    assert mx.allclose(one, other, atol=1e-5)


# The head, the damaged array, and the damage; None removes the array.
DAMAGES: list[tuple[str, str, Callable[[mx.array], mx.array] | None]] = [
    *(("mixed", array, None) for array in ("spans", "0.keys", "2.values")),
    ("mixed", "spans", lambda _: mx.array([[0, 14], [0, 13], [0, 14]])),
    *(("mtp_qwen3", array, None) for array in ("spans", "0.keys", "0.values", "states", "tokens")),
    ("mtp_qwen3", "spans", lambda _: mx.array([[-1, 11]])),
    *(("assistant_gemma4", array, None) for array in ("spans", "0.keys")),
    ("assistant_gemma4", "states", lambda states: states[:, :, 1:]),
    *((name, "0.values", lambda rows: rows[:, :1, 1:]) for name in ("mixed", "mtp_qwen3", "assistant_gemma4")),
]


@pytest.mark.parametrize(("name", "array", "damage"), DAMAGES)
def test_a_damaged_state_is_refused(
    tmp_path: Path, name: str, array: str, damage: Callable[[mx.array], mx.array] | None
) -> None:
    case, head, context = following(tmp_path, name)
    case.propose(head, context)
    case.extend(head, context, 3)
    state = context.state
    found = state.pop(array)
    state |= {} if damage is None else {array: damage(found)}
    with pytest.raises(ValueError, match=r"spans|\d\.|states"):
        head.restore(state)


@pytest.mark.parametrize("name", ["sliding", "eagle_two_layers", "mtp_qwen3", "assistant_gemma4"])
@pytest.mark.parametrize("length", [1, 32, 700])
def test_contexts_take_no_more_memory_than_is_reckoned(tmp_path: Path, name: str, length: int) -> None:
    case = HEADS[name]
    # Golden keys and values end with the text, which is shorter.
    attended = {kind: replace(one, read=rows_of(one)) for kind, one in case.ports.attended.items()}
    head = replace(case, ports=replace(case.ports, attended=attended)).bound(tmp_path)
    context = head.new_context()
    taps = mx.zeros((1, 512, case.taps.shape[-1]))
    while context.length < length:
        rows = min(512, length - context.length)
        head.extend(context, taps[:, :rows], [1] * rows)
        head.propose(context, mx.array([1], mx.int32), head.max_proposals, likeliest)
    assert 0 < context.nbytes <= head.context_bytes(length)


def rows_of(one: Attended) -> Callable[[mx.array, int], tuple[mx.array, mx.array]]:
    return lambda rows, _: (mx.zeros((1, one.heads, rows.shape[1], one.size)),) * 2


@pytest.mark.parametrize("name", BY_DEPTH)
def test_layers_for_later_tokens_have_all_rows_also_after_rounds_that_asked_for_fewer(
    tmp_path: Path, name: str
) -> None:
    case = HEADS[name]
    head = case.bound(tmp_path)
    context, straight = head.new_context(), head.new_context()
    for count, rows in zip((1, 2, 1, 3), case.rounds, strict=True):
        case.extend(head, context, rows)
        made = case.propose(head, context, count)
    assert mx.allclose(made.scores, case.proposals(head, straight)[-1].scores, atol=5e-5)


@pytest.mark.parametrize("name", BY_DEPTH)
def test_a_prompt_read_at_once_has_the_rows_of_one_read_in_pieces(tmp_path: Path, name: str) -> None:
    """Rows beyond those that wait for the next proposal are read by all layers at once."""
    case = HEADS[name]
    head = case.bound(tmp_path)
    states, tokens = mx.concatenate([case.taps] * 3, axis=1), [*case.tokens[:-1]] * 3
    whole, pieces = head.new_context(), head.new_context()
    head.extend(whole, states, tokens)
    assert whole.state["spans"].tolist()[0] == [0, len(tokens) - mtp_cases.STEP_LAYERS]
    anchor = mx.array([7], mx.int32)
    for start in range(0, len(tokens), 5):
        head.extend(pieces, states[:, start : start + 5], tokens[start : start + 5])
        one = head.propose(pieces, anchor, 2, likeliest)
    assert mx.allclose(one.scores, head.propose(whole, anchor, 2, likeliest).scores, atol=5e-5)
    assert all(mx.allclose(whole.state[key], pieces.state[key], rtol=1e-4, atol=1e-5) for key in whole.state)
