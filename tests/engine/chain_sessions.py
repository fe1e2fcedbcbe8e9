"""What a head that chains has kept of a conversation, against what one pass over the text gives."""

from __future__ import annotations

import mlx.core as mx

from engine.heads.head import HeadContext
from engine.scheduler import Scheduler
from engine.speculation.head_session import HeadSession
from engine.speculation.sequence import PREFILL_CHUNK
from tests.engine.heads.heads_on_disk import likeliest


def session_of(scheduler: Scheduler) -> HeadSession:
    """What is kept of the latest conversation."""
    session = scheduler.prefix_cache.latest.head
    assert session is not None
    assert session.unread == 0
    return session


def read_anew(scheduler: Scheduler) -> HeadContext:
    """A context of the latest conversation, from one pass over its text."""
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
    """What the head has cached is what one pass over the text gives, and so is what it proposes, three steps deep.

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
        assert rows >= session.length - waiting
        assert_close(one[:, :, :rows], other[:, :, :rows])


def assert_close(one: mx.array, other: mx.array) -> None:
    assert mx.abs(one - other).max().item() <= 1e-3 * mx.abs(other).max().item()
