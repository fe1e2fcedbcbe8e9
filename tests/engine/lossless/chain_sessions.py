"""Heads with given proposals, and checks of their contexts against one pass over the text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import mlx.core as mx
import pytest

from engine.heads.assistant_network import AssistantHead
from engine.heads.chain_head import ChainHead
from engine.heads.context import HeadContext
from engine.heads.head import Draw, Head, HeadProposal
from engine.serving.scheduler import Scheduler
from engine.speculation.drafters.head_session import HeadSession
from engine.speculation.rounds.sequence import PREFILL_CHUNK
from tests.engine.heads.heads_on_disk import likeliest


class Told:
    """Makes every chaining head propose `answers[position]` if it knows that id; its network runs nevertheless."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.answers: Sequence[int] = ()
        for kind in (ChainHead, AssistantHead):
            monkeypatch.setattr(kind, "propose", self._proposing(kind.propose))

    def _proposing(self, propose: Callable[..., HeadProposal]) -> Callable[..., HeadProposal]:
        def told(head: Head, context: HeadContext, anchor: mx.array, count: int, draw: Draw) -> HeadProposal:
            places = range(context.length + 1, context.length + 1 + count)
            wanted = mx.array([self.answers[at] if at < len(self.answers) else 0 for at in places])

            def scored(first: int, scores: mx.array, ids: mx.array | None) -> mx.array:
                columns = mx.arange(scores.shape[-1])[None] if ids is None else ids
                return mx.where(columns == wanted[first : first + len(scores), None], 30.0, 0.0 * scores)

            def draw_told(first: int, scores: mx.array, ids: mx.array | None) -> mx.array:
                return draw(first, scored(first, scores, ids), ids)

            made = propose(head, context, anchor, count, draw_told)
            return replace(made, scores=scored(0, made.scores, made.ids))

        return told


def session_of(scheduler: Scheduler) -> HeadSession:
    """Return the session of the latest conversation in the prefix cache."""
    session = scheduler.prefix_cache.latest.head
    assert session is not None
    assert session.unread == 0
    return session


def read_anew(scheduler: Scheduler) -> HeadContext:
    """Return a new context of the latest conversation, from one pass over its text."""
    conversation, session, main = scheduler.prefix_cache.latest, session_of(scheduler), scheduler.models.main
    tokens = conversation.main.tokens[: session.length]
    context, caches = session.head.new_context(session.start), main.new_caches()
    for start in range(0, len(tokens), PREFILL_CHUNK):
        chunk = tokens[start : start + PREFILL_CHUNK]
        with session.taps.record() as outputs:
            mx.eval(main.model(mx.array([chunk], mx.uint32), cache=caches))
        skip = max(0, session.start - start)
        session.head.extend(context, mx.concatenate(outputs, axis=-1)[:, skip:], chunk[skip:])
    return context


def assert_as_read_anew(scheduler: Scheduler, waiting: int = 1) -> None:
    """Assert that the head's cache and its proposals, three steps deep, are those after one pass over the text.

    At most `waiting` states are not in the cache yet.
    """
    session, anew = session_of(scheduler), read_anew(scheduler)
    assert session.length > 20
    kept = session.context.copy()
    proposed = [
        session.head.propose(context, mx.array([9], mx.int32), 3, likeliest)
        for context in (kept, anew)
        if context.ready
    ]
    assert_close(proposed[0].scores, proposed[-1].scores)
    names = [name for name in anew.state if name.endswith((".keys", ".values"))]
    assert len(names) >= 2
    for name in names:
        one, other = kept.state[name], anew.state[name]
        rows = min(one.shape[2], other.shape[2])
        assert rows >= session.length - session.start - waiting
        assert_close(one[:, :, :rows], other[:, :, :rows])


def assert_close(one: mx.array, other: mx.array) -> None:
    # A sum in bfloat16 may round to its neighbour.
    step = 1e-3 if other.dtype == mx.float32 else 2**-7
    assert mx.abs(one - other).max().item() <= step * mx.abs(other).max().item()
