"""The context of a chain head: rewound, copied, stored and counted like what the text says it must hold."""

from __future__ import annotations

from pathlib import Path

import mlx.core as mx
import pytest

from engine.heads.chain_head import MAX_WAITING
from engine.heads.context import ChainContext
from tests.engine.heads.golden import mtp_cases
from tests.engine.heads.golden.mtp_cases import CASES
from tests.engine.heads.mtp_on_disk import bound, extend, proposals, propose

CASE = CASES["mtp_qwen3"]


@pytest.mark.parametrize("length", [12, 14, 15, 18])
def test_states_that_wait_are_cut_and_come_again(tmp_path: Path, length: int) -> None:
    head = bound(tmp_path, CASE)
    context, straight = head.new_context(), head.new_context()
    extend(head, context, 11)
    propose(head, context)
    # Of the 8 rows from here on, all wait for the next proposal.
    extend(head, context, 8)
    context.rewind(length)
    assert (context.length, context.ready) == (length, True)
    extend(head, straight, length)
    assert mx.allclose(propose(head, context).scores, propose(head, straight).scores, atol=1e-5)


@pytest.mark.parametrize("length", [1, 5, 9])
def test_a_row_more_makes_a_rewound_context_ready_again(tmp_path: Path, length: int) -> None:
    head = bound(tmp_path, CASE)
    context, straight = head.new_context(), head.new_context()
    extend(head, context, 11)
    propose(head, context)
    context.rewind(length)
    assert (context.length, context.ready) == (length, False)
    with pytest.raises(ValueError, match="state"):
        propose(head, context)
    extend(head, context, 1)
    extend(head, straight, length + 1)
    # The same text follows, so that the token of the last cached pair is right.
    assert mx.allclose(propose(head, context).scores, propose(head, straight).scores, atol=1e-5)


def test_a_context_rewound_to_nothing_starts_anew(tmp_path: Path) -> None:
    head = bound(tmp_path, CASE)
    context = head.new_context()
    proposals(head, context)
    context.rewind(0)
    assert (context.length, context.ready) == (0, False)
    extend(head, context, 4)
    straight = head.new_context()
    extend(head, straight, 4)
    assert mx.allclose(propose(head, context).scores, propose(head, straight).scores, atol=1e-5)


def test_a_copy_goes_its_own_way(tmp_path: Path) -> None:
    head = bound(tmp_path, CASE)
    context = head.new_context()
    extend(head, context, 11)
    twin = context.copy()
    expected = propose(head, context.copy()).scores
    extend(head, twin, 3)
    propose(head, twin)
    assert mx.array_equal(propose(head, context).scores, expected)
    assert (context.length, twin.length) == (11, 14)


@pytest.mark.parametrize("rows", [1, 4, MAX_WAITING + 9])
def test_a_stored_context_goes_on_where_it_was(tmp_path: Path, rows: int) -> None:
    head = bound(tmp_path, CASE)
    context = head.new_context(start=3)
    states = mx.random.normal((1, rows, mtp_cases.WIDTH), key=mx.random.key(1))
    head.extend(context, states, list(range(rows)))
    again = head.restore({name: mx.array(array) for name, array in context.state.items()})
    assert (again.start, again.length) == (3, 3 + rows)
    anchor = mx.array([7], mx.int32)
    one, other = (head.propose(each, anchor, 2, lambda *_: anchor).scores for each in (context, again))
    assert mx.allclose(one, other, atol=1e-5)


@pytest.mark.parametrize("damage", ["span", "0.keys", "0.values", "states", "tokens", "start"])
def test_a_damaged_state_is_refused(tmp_path: Path, damage: str) -> None:
    head = bound(tmp_path, CASE)
    context = head.new_context()
    extend(head, context, 11)
    propose(head, context)
    extend(head, context, 3)
    state = context.state
    if damage == "start":
        state["span"] = mx.array([-1, 11])
    elif damage == "0.values":
        state[damage] = state[damage][:, :1]
    else:
        del state[damage]
    with pytest.raises(ValueError, match=r"span|0\.|states"):
        head.restore(state)


@pytest.mark.parametrize("length", [1, 31, 700])
def test_contexts_take_no_more_memory_than_is_reckoned(tmp_path: Path, length: int) -> None:
    head = bound(tmp_path, CASE)
    context = head.new_context()
    assert isinstance(context, ChainContext)
    rows = mx.zeros((1, min(length, 512), mtp_cases.WIDTH))
    while context.length < length:
        some = rows[:, : length - context.length]
        head.extend(context, some, [0] * some.shape[1])
        head.propose(context, mx.array([0]), head.max_proposals, lambda *_: mx.array([0]))
    assert context.waiting == 1
    state_bytes = mtp_cases.WIDTH * 4
    assert state_bytes <= context.nbytes <= head.context_bytes(length) + state_bytes
