"""Contexts stay in time order, keep every row that a layer sees, and are independent of their copies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest

from engine.advice.fit import ModelSize
from engine.files.steps import run_to_completion
from engine.heads.chain_head import ChainHead
from engine.heads.context import HeadContext
from engine.heads.fit import memory_config
from engine.heads.folder import inspect_head
from engine.heads.head import AttendedLayer, Head
from engine.heads.loading import load_head
from engine.upkeep.memory import cache_bytes
from tests.engine.heads.heads_on_disk import HEADS, OnDisk, likeliest


def further(*values: str | int) -> list[Any]:
    """Return parameters of the full tier."""
    return [pytest.param(value, marks=pytest.mark.full) for value in values]


NAMES = ["mixed", "eagle_llama", "mtp_qwen3", "assistant_gemma4"]
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


@pytest.mark.parametrize("name", ["mtp_step3p5", "mtp_mimo_v2_flash"])
@pytest.mark.parametrize("count", [1, 2])
def test_proposals_shorter_than_the_depths_leave_rows_in_each_depth(tmp_path: Path, name: str, count: int) -> None:
    """Depths that propose nothing read the committed pairs all the same; longer proposals need them later."""
    case = HEADS[name]
    head = case.bound(tmp_path)
    assert isinstance(head, ChainHead)
    assert count < head.depths
    rounds, anew = head.new_context(), head.new_context()
    for rows in case.rounds:
        case.extend(head, rounds, rows)
        case.propose(head, rounds, count)
    case.extend(head, anew, sum(case.rounds))
    assert mx.allclose(case.propose(head, rounds).scores, case.propose(head, anew).scores, atol=5e-5)


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


# Text that is longer than any case's: its length, and the last rows that a head sees of it.
LONG, SEEN = 700, 6


def reading(case: OnDisk, folder: Path, rows: int) -> Head:
    """Return the head of a case if it sees `rows` rows; golden keys and values end with the short text."""
    attended = {kind: replace(one, read=rows_of(one)) for kind, one in case.ports.attended.items()}
    content = inspect_head(case.write(folder))
    head = run_to_completion(load_head(replace(content, config=replace(content.config, context_rows=rows))))
    head.bind(replace(case.ports, attended=attended))
    return head


def rows_of(one: AttendedLayer) -> Callable[[mx.array, int], tuple[mx.array, mx.array]]:
    def read(rows: mx.array, _: int) -> tuple[mx.array, mx.array]:
        made = mx.repeat(rows, one.heads * one.size, axis=-1)[..., : one.heads * one.size]
        return (made.reshape(1, -1, one.heads, one.size).transpose(0, 2, 1, 3),) * 2

    return read


def follow(head: Head, context: HeadContext, case: OnDisk, length: int, piece: int = 512) -> None:
    """Let the context follow a long random text."""
    taps = mx.random.normal((1, LONG, case.taps.shape[-1]), key=mx.random.key(3))
    while context.length < length:
        rows = slice(context.length, min(context.length + piece, length))
        head.extend(context, taps[:, rows], [index % 7 for index in range(rows.start, rows.stop)])


@pytest.mark.parametrize("name", ["full", "sliding", "eagle_llama", "mtp_qwen3", "assistant_gemma4"])
def test_only_the_last_rows_of_a_long_text_count(tmp_path: Path, name: str) -> None:
    """Positions stay right where rows were dropped, and a rewound context has what queries see."""
    case = HEADS[name]
    head = reading(case, tmp_path, SEEN)
    context, late = head.new_context(), head.new_context(LONG - 40)
    follow(head, context, case, LONG - 9)
    kept = context.copy()
    follow(head, context, case, LONG)
    context.rewind(LONG - 5)
    follow(head, late, case, LONG)
    mx.save_safetensors(str(tmp_path / "state.safetensors"), kept.state)
    stored = head.restore(mx.load(str(tmp_path / "state.safetensors")))  # type: ignore[arg-type]
    anchor, wanted = mx.array([1], mx.int32), None
    for one in (late, context, kept, stored):
        follow(head, one, case, LONG, 3)
        assert 0 < one.start <= LONG - SEEN
        scores = head.propose(one, anchor, head.max_proposals, likeliest).scores
        wanted = scores if wanted is None else wanted
        assert mx.allclose(scores, wanted, atol=1e-4)
    whole = reading(case, tmp_path / "whole", LONG)
    follow(whole, context := whole.new_context(), case, LONG)
    more = whole.propose(context, anchor, head.max_proposals, likeliest).scores
    assert wanted is not None
    assert bool(mx.allclose(more, wanted, atol=1e-4)) is (name == "sliding")


@pytest.mark.parametrize("name", ["full", "sliding", "eagle_two_layers", "mtp_qwen3", "assistant_gemma4"])
@pytest.mark.parametrize("length", [1, 32, LONG])
def test_contexts_take_no_more_memory_than_is_reckoned(tmp_path: Path, name: str, length: int) -> None:
    case = HEADS[name]
    head = reading(case, tmp_path, SEEN)
    context = head.new_context()
    follow(head, context, case, length)
    head.propose(context, mx.array([1], mx.int32), head.max_proposals, likeliest)
    states = 0 if context.states is None else context.states.nbytes
    size = ModelSize("head", 0, memory_config(head.config), head.dtype.size)
    assert context.nbytes > 0
    assert context.nbytes - states <= cache_bytes(size, length, drafts=True)
    assert cache_bytes(size, 10**6, drafts=True) == cache_bytes(size, 10**5, drafts=True)
