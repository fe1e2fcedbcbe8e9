"""Several machines as the window drives them: they start, answer, are lost, and this machine continues."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pytestqt.qtbot import QtBot

from app.session import cluster_service
from app.session.answer import State
from app.session.cluster_service import OFF, ON, STARTING, CheckResults
from app.session.session import Session
from engine import starter_pair
from engine.computers.errors import ClusterError
from engine.computers.hosts import Machines
from engine.errors import EngineError
from engine.settings import EngineSettings
from tests.app.fake_cluster import LOST, FakeCluster, FakeClusters
from tests.app.session.conftest import OpenSession


@pytest.fixture
def session(open_session: OpenSession) -> Session:
    session = open_session()
    session.cluster.configure("studio")
    return session


def settled(session: Session, state: str, main: str) -> Callable[[], bool]:
    return lambda: session.cluster.state == state and session.models.pair.names[0] == main and not session.busy


def test_the_machines_answer_until_they_are_stopped(session: Session, fakes: FakeClusters, qtbot: QtBot) -> None:
    alone = session.models.pair.names[0]
    session.cluster.start("large", None)
    assert session.cluster.state == STARTING
    qtbot.waitUntil(settled(session, ON, "large"))
    assert session.cluster.hosts == ("127.0.0.1", "studio")
    assert session.models.engine is fakes.made[0].engine
    session.cluster.stop()
    qtbot.waitUntil(settled(session, OFF, alone))
    qtbot.waitUntil(lambda: fakes.made[0].stopped == 1)
    assert session.cluster.hosts == ()
    assert session.models.engine is not fakes.made[0].engine


def test_a_lost_machine_is_reported_and_nothing_is_loaded_until_the_user_chooses(
    session: Session, fakes: FakeClusters, qtbot: QtBot
) -> None:
    alone, ended = session.models.pair.names[0], []
    session.cluster.ended.connect(ended.append)
    session.cluster.start("large", None)
    qtbot.waitUntil(settled(session, ON, "large"))
    fakes.made[0].lose()
    qtbot.waitUntil(lambda: ended == [LOST])
    qtbot.waitUntil(settled(session, OFF, ""))
    assert session.cluster.problem is LOST
    session.cluster.start_again()
    qtbot.waitUntil(settled(session, ON, "large"))
    assert len(fakes.made) == 2
    fakes.made[1].lose()
    qtbot.waitUntil(settled(session, OFF, ""))
    session.cluster.load_local_models()
    qtbot.waitUntil(settled(session, OFF, alone))


def test_a_start_that_fails_leaves_the_pair_that_was_there(session: Session, fakes: FakeClusters, qtbot: QtBot) -> None:
    before = session.models.pair.names
    fakes.problem = ClusterError("unreachable", "studio", "timed out")
    session.cluster.start("large", None)
    qtbot.waitUntil(lambda: session.cluster.state == OFF)
    assert session.cluster.problem is fakes.problem
    assert session.models.pair.names == before


def test_a_cluster_that_ends_by_itself_is_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[FakeCluster] = []

    def start(machines: Machines, _settings: object, on_end: Callable[[EngineError], None]) -> FakeCluster:
        assert machines.labels == ("127.0.0.1 (0)", "127.0.0.1 (1)")
        on_end(LOST)
        made.append(FakeCluster(lambda _cluster, error: on_end(error)))
        return made[0]

    monkeypatch.setattr("engine.cluster.cluster.Cluster", start)
    lost: list[tuple[object, EngineError]] = []
    choice = "127.0.0.1, 127.0.0.1"
    found: object = cluster_service.start_machines(choice, EngineSettings(), lambda *found: lost.append(found))
    made[0].lost(None, LOST)
    assert (found, lost) == (made[0], [(None, LOST), (found, LOST)])
    made[0].stop()


def test_a_start_that_was_stopped_ends_the_machines_when_they_come(
    session: Session, fakes: FakeClusters, qtbot: QtBot
) -> None:
    before = session.models.pair.names
    fakes.gate.clear()
    session.cluster.start("large", None)
    session.cluster.stop()
    assert session.cluster.state == OFF
    fakes.gate.set()
    qtbot.waitUntil(lambda: bool(fakes.made) and fakes.made[0].stopped == 1)
    assert (session.models.pair.names, session.cluster.hosts) == (before, ())


def test_closing_the_session_ends_the_machines(session: Session, fakes: FakeClusters, qtbot: QtBot) -> None:
    session.cluster.start("large", None)
    qtbot.waitUntil(settled(session, ON, "large"))
    session.close()
    assert fakes.made[0].stopped == 1


def test_a_check_is_forgotten_when_other_machines_are_named(
    session: Session, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    found = CheckResults((), None)
    monkeypatch.setattr(cluster_service, "check_machines", lambda *_: found)
    session.cluster.check(None, 4096)
    qtbot.waitUntil(lambda: session.cluster.findings is found)
    session.cluster.configure("studio, mini")
    assert session.cluster.findings is None


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
