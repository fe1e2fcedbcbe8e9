"""The window's session on two real ranks of this machine."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from app.session.answer import State
from app.session.cluster_service import OFF, ON
from engine import starter_pair
from tests.app.session.conftest import OpenSession

SECONDS_MS = 120_000


@pytest.mark.full
def test_the_starter_pair_answers_on_two_ranks(
    open_session: OpenSession, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    # So that no rank builds fused kernels with a C++ compiler.
    monkeypatch.setenv("MLX_DISABLE_COMPILE", "1")
    session = open_session()
    session.cluster.configure("127.0.0.1, 127.0.0.1")
    main, draft = starter_pair()
    session.cluster.start(str(main), str(draft))
    qtbot.waitUntil(lambda: session.cluster.state != "starting", timeout=SECONDS_MS)
    assert (session.cluster.state, session.cluster.problem) == (ON, None)
    qtbot.waitUntil(lambda: session.models.pair.draft is not None and not session.busy, timeout=SECONDS_MS)
    turn = session.answers.ask("What is a draft model?")
    qtbot.waitUntil(lambda: turn.answer.ended, timeout=SECONDS_MS)
    assert turn.answer.state is State.DONE
    assert turn.answer.stats.accepted > 0
    session.cluster.stop()
    qtbot.waitUntil(lambda: session.cluster.state == OFF and not session.busy, timeout=SECONDS_MS)
