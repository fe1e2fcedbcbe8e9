"""Head sessions: after all kinds of rounds the head has each committed row once, in order, with the right outputs."""

from __future__ import annotations

import random
from typing import cast

import mlx.core as mx
import numpy as np
import pytest

from engine.speculation.drafters import head_session as module
from engine.speculation.drafters.head_session import HeadSession
from engine.speculation.rounds.sequence import CachedSequence
from engine.speculation.rounds.taps import Taps
from tests.engine.speculation.families import build, fresh_caches
from tests.engine.speculation.oracle_head import KeptRows, OracleHead
from tests.engine.tiers import by_tier

FAMILIES = ["llama", "llama:window", "gemma3_text", "qwen3_next", "falcon_h1", "llama4"]
TOKENS = [(11 * index + 5) % 96 for index in range(96)]
WIDTH = 32


# More often than any test here asks a session for its length.
MOST_LOOKS = 10_000


@pytest.fixture(autouse=True)
def _endless_rewinding_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a session that asks for its length for ever fail, because a test that hangs names nothing."""
    length: property = vars(HeadSession)["length"]
    looks = 0

    def counted(session: HeadSession) -> int:
        nonlocal looks
        looks += 1
        assert looks < MOST_LOOKS, "the session never ends"
        return cast("int", length.__get__(session))

    monkeypatch.setattr(HeadSession, "length", property(counted))


def started(name: str, tokens: list[int], *, taps: tuple[int, ...] = (0, 1)) -> tuple[CachedSequence, HeadSession]:
    """Return a sequence that has read all but the last of `tokens` in chunks of 4, and the session that followed it."""
    sequence = CachedSequence(build(name), fresh_caches(name))
    session = HeadSession(OracleHead(taps, WIDTH, 96), Taps(sequence.model, taps))
    sequence.listener = session
    sequence.append(tokens)
    while sequence.prefill(4):
        pass
    return sequence, session


def rows_of(session: HeadSession) -> np.ndarray:
    session.read_all()
    context = session.context
    assert isinstance(context, KeptRows)
    return np.array(context.rows[0])


def assert_same_rows(session: HeadSession, name: str, tokens: list[int]) -> None:
    """Assert that the session has the rows of one reading of the whole text."""
    fresh, expected = started(name, [*tokens, 0])
    found, wanted = rows_of(session), rows_of(expected)
    assert session.length == expected.length == len(tokens)
    assert isinstance(session.context, KeptRows)
    assert session.context.tokens == tokens[session.start :]
    assert np.abs(found - wanted[session.start :]).max() <= 1e-3 * np.abs(wanted).max()
    assert fresh.position == len(tokens)


@pytest.mark.full
@pytest.mark.parametrize("name", by_tier(FAMILIES, ("llama", "llama:window", "qwen3_next")))
def test_rounds_of_every_outcome_leave_the_rows_of_one_reading(name: str) -> None:
    sequence, session = started(name, TOKENS[:9])
    outcomes = random.Random(4)
    for _ in range(12):
        depth, at = outcomes.randrange(6), len(sequence.tokens)
        accepted = outcomes.randint(0, depth)
        drafts = [*TOKENS[at : at + accepted], *[(TOKENS[at + accepted] + 1) % 96] * (depth - accepted)]
        mx.eval(sequence.verify(drafts))
        sequence.commit(accepted, TOKENS[at : at + accepted + 1])
        assert session.length == len(sequence.tokens) - 1
        if outcomes.random() < 0.4:
            session.read_some(3)

    assert_same_rows(session, name, sequence.tokens[:-1])


@pytest.mark.parametrize("read_first", [0, 6, 20])
def test_a_rewound_session_goes_on_with_other_tokens(read_first: int) -> None:
    sequence, session = started("llama", TOKENS[:14])
    session.read_some(read_first)
    sequence.rewind(8)
    session.rewind(8)
    other = [*TOKENS[:8], 7, 7, 7]
    sequence.tokens = [*other, 0]
    while sequence.prefill(4):
        pass

    assert_same_rows(session, "llama", other)


def test_pieces_that_lose_all_their_rows_are_given_up_with_their_bytes() -> None:
    _, session = started("llama", TOKENS[:14])
    session.rewind(3)
    assert session.length == session.unread == 3
    session.rewind(0)
    assert session.unread == 0
    assert session.bytes == session.context.nbytes


@pytest.mark.first
def test_rows_that_were_missed_make_the_context_shorter_never_wrong() -> None:
    sequence, session = started("llama", TOKENS[:6])
    sequence.listener = None
    sequence.append(TOKENS[6:10])
    while sequence.prefill(4):
        pass
    sequence.listener = session
    sequence.append(TOKENS[10:14])
    while sequence.prefill(2):
        pass

    assert session.start == 9
    assert_same_rows(session, "llama", TOKENS[:13])


def test_no_more_than_so_much_waits_to_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_UNREAD_BYTES", 6 * 2 * WIDTH * 4)
    sequence, session = started("llama", TOKENS[:5])
    assert session.unread == 4
    sequence.append(TOKENS[5:9])
    sequence.prefill(4)

    assert session.unread == 0
    assert_same_rows(session, "llama", TOKENS[:8])
