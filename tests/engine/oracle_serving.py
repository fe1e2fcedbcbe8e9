"""Requests to a scheduler that drafts with an `OracleHead`, and checks of the rows that the head has read."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import mlx.core as mx
import numpy as np

from engine.events import Finished
from engine.requests import ChatRequest, SpeculationSettings
from engine.serving.scheduler import Scheduler
from engine.speculation.rounds.sequence import PREFILL_CHUNK
from tests.engine.serving_requests import PLAIN, alone
from tests.engine.speculation.oracle_head import KeptRows, OracleHead

HEAD = SpeculationSettings(method="draft", depth=3)


def plain(scheduler: Scheduler, asked: ChatRequest) -> Finished:
    return alone(scheduler, replace(asked, speculation=PLAIN))


def teach(scheduler: Scheduler, head: OracleHead, asked: ChatRequest) -> Finished:
    """Return the plain answer, and let the head propose it from now on."""
    finished = plain(scheduler, asked)
    head.answers = [*prompt_of(scheduler, asked), *finished.ids]
    return finished


def prompt_of(scheduler: Scheduler, asked: ChatRequest) -> list[int]:
    ids: list[int] = scheduler.models.main.tokenizer.apply_chat_template(
        list(asked.messages), add_generation_prompt=True, tokenize=True, return_dict=False
    )
    return ids


def kept(scheduler: Scheduler) -> Any:
    """Return the session of the latest conversation in the prefix cache."""
    session = scheduler.prefix_cache.latest.head
    assert session is not None
    return session


def assert_read_all(scheduler: Scheduler) -> None:
    """Assert that the head has read the rows of one pass over the whole latest conversation."""
    conversation = scheduler.prefix_cache.latest
    session, tokens = kept(scheduler), conversation.main.tokens[: conversation.main.position]
    context = session.context
    assert isinstance(context, KeptRows)
    assert session.unread == 0
    assert context.tokens == tokens[context.start :]
    main = scheduler.models.main
    caches, rows = main.new_caches(), []
    for start in range(0, len(tokens), PREFILL_CHUNK):
        with session.taps.record() as outputs:
            mx.eval(main.model(mx.array([tokens[start : start + PREFILL_CHUNK]], mx.uint32), cache=caches))
        rows.append(mx.concatenate(outputs, axis=-1))
    expected = np.array(mx.concatenate(rows, axis=1)[0, context.start :])
    assert np.abs(np.array(context.rows[0]) - expected).max() <= 1e-3 * np.abs(expected).max()
