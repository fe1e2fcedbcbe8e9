"""Rows of a cached prompt are read again for a head where the measured costs say that this pays."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import mlx.core as mx
import pytest

from engine.speculation.choosing.controller import Controller
from engine.speculation.conversation import CachedConversation
from engine.speculation.drafters.sources import HeadSource
from engine.speculation.rereading import ENOUGH_ROWS, rows_to_read_again
from engine.speculation.rounds.sequence import CachedSequence
from engine.speculation.rounds.taps import Taps
from tests.engine.speculation.families import build, fresh_caches
from tests.engine.speculation.oracle_head import OracleHead

LONG = 100


def drafter(blind_rounds: float = 2.0) -> HeadSource:
    """Return the source of a head of at most 4 draft tokens."""
    source = SimpleNamespace(head=SimpleNamespace(blind_rounds=blind_rounds), source="head", max_proposals=4)
    return cast("HeadSource", source)


def measured(accepted: int, *, pass_of_8: float) -> Controller:
    """Return a controller of a head that keeps `accepted` of 4 draft tokens; a plain round takes 20 ms.

    A round of 4 draft tokens takes 40 ms, and a pass of 8 rows as many plain rounds as `pass_of_8`.
    """
    controller = Controller()
    answer = controller.begin()
    for _ in range(40):
        controller.costs.observe(1, 0.02)
        controller.costs.observe(5, 0.04, ("head", 4), 0.01)
        controller.costs.observe(8, 0.02 * pass_of_8)
        answer.observe("head", min(4, accepted + 1), accepted)
    return controller


@pytest.mark.parametrize(
    ("accepted", "pass_of_8", "blind_rounds", "rows"),
    [(4, 1.7, 2.0, ENOUGH_ROWS), (4, 4.5, 2.0, 0), (4, 1.7, 0.5, 0), (0, 1.7, 2.0, 0)],
    ids=["pays", "a wide pass is dear", "it loses little", "it drafts badly"],
)
def test_rows_are_read_again_where_the_rounds_that_they_save_take_longer(
    accepted: int, pass_of_8: float, blind_rounds: float, rows: int
) -> None:
    controller = measured(accepted, pass_of_8=pass_of_8)
    assert rows_to_read_again(controller, drafter(blind_rounds), 0, LONG) == rows


def test_only_missing_rows_of_answers_that_are_long_enough_are_read_again() -> None:
    controller = measured(4, pass_of_8=1.7)
    assert rows_to_read_again(controller, drafter(), ENOUGH_ROWS, LONG) == 0
    assert rows_to_read_again(controller, drafter(), 0, ENOUGH_ROWS) == 0
    # Half of the rows save half of the rounds.
    assert rows_to_read_again(measured(4, pass_of_8=1.2), drafter(), 4, LONG) == 4


def test_before_anything_was_measured_it_pays_for_heads_that_lose_more_than_a_round() -> None:
    assert rows_to_read_again(Controller(), drafter(2.0), 0, LONG) == ENOUGH_ROWS
    assert rows_to_read_again(Controller(), drafter(0.5), 0, LONG) == 0


def cached(name: str, tokens: list[int]) -> CachedConversation:
    """Return a conversation whose main model has read all but the last of `tokens` without a head."""
    main = CachedSequence(build(name), fresh_caches(name))
    main.append(tokens)
    while main.prefill(64):
        pass
    return CachedConversation(main)


@pytest.mark.parametrize(("name", "start"), [("llama", 11), ("qwen3_next", 19)])
def test_the_head_begins_earlier_where_caches_can_go_back(name: str, start: int) -> None:
    tokens = [(11 * index + 5) % 96 for index in range(20)]
    conversation = cached(name, tokens)
    head = conversation.attach_head(OracleHead((0, 1), 32, 96), Taps(conversation.main.model, (0, 1)))
    assert conversation.rows_of_head == 0
    logits = mx.array(conversation.main.verify())
    conversation.main.abort()

    conversation.read_again(8)

    assert conversation.main.position == head.start == start
    assert conversation.rows_of_head == 19 - start
    while conversation.main.prefill(64):
        pass
    assert head.length == 19
    assert cast("Any", head.context.start) == start
    assert mx.allclose(conversation.main.verify(), logits, atol=1e-4)


def test_the_rows_of_pending_tokens_count() -> None:
    conversation = cached("llama", list(range(1, 13)))
    conversation.main.append([20] * 5)
    conversation.attach_head(OracleHead((0, 1), 32, 96), Taps(conversation.main.model, (0, 1)))
    assert conversation.rows_of_head == 5
