"""Requests to a scheduler that drafts with an `OracleHead`, and checks of the rows that the head has read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from engine.events import Finished
from engine.requests import ChatRequest, SpeculationSettings
from engine.serving.scheduler import Scheduler
from tests.engine.lossless.chain_sessions import read_anew, session_of
from tests.engine.serving_requests import plain
from tests.engine.speculation.oracle_head import KeptRows

HEAD = SpeculationSettings(method="draft", depth=3)


class Teachable(Protocol):
    """A head, or a substitute for one, that proposes `answers`."""

    answers: Sequence[int] | Any


def teach(scheduler: Scheduler, head: Teachable, asked: ChatRequest) -> Finished:
    """Return the plain answer, and let the head propose it from now on."""
    finished = plain(scheduler, asked)
    head.answers = [*scheduler.models.main.prompt_ids(asked.messages), *finished.ids]
    return finished


def assert_read_all(scheduler: Scheduler) -> None:
    """Assert that the head has read the rows of one pass over the whole latest conversation."""
    session, anew = session_of(scheduler), read_anew(scheduler)
    context = session.context
    assert isinstance(context, KeptRows)
    assert isinstance(anew, KeptRows)
    assert session.length == scheduler.prefix_cache.latest.main.position
    assert context.tokens == anew.tokens
    expected = np.array(anew.rows[0])
    assert np.abs(np.array(context.rows[0]) - expected).max() <= 1e-3 * np.abs(expected).max()
