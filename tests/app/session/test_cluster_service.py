"""Several machines as the window drives them: they start, answer, are lost, and this machine goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from pytestqt.qtbot import QtBot

from app.session import cluster_service
from app.session.cluster_service import OFF, ON, STARTING, ClusterChoice, Findings
from app.session.session import Session
from engine.cluster.errors import ClusterError
from engine.errors import EngineError
from tests.app.fake_cluster import LOST, FakeClusters, fake_clusters
from tests.app.session.conftest import OpenSession


@pytest.fixture
def fakes(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeClusters]:
    with fake_clusters(monkeypatch) as made:
        yield made


@pytest.fixture
def session(open_session: OpenSession) -> Session:
    session = open_session()
    session.cluster.configure(ClusterChoice("studio"))
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


def test_a_machine_that_is_lost_is_told_and_nothing_is_loaded_by_itself(
    session: Session, fakes: FakeClusters, qtbot: QtBot
) -> None:
    ended: list[EngineError] = []
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


def test_going_on_alone_loads_what_was_there_before(session: Session, fakes: FakeClusters, qtbot: QtBot) -> None:
    alone = session.models.pair.names[0]
    session.cluster.start("large", None)
    qtbot.waitUntil(settled(session, ON, "large"))
    fakes.made[0].lose()
    qtbot.waitUntil(settled(session, OFF, ""))
    session.cluster.go_on_alone()
    qtbot.waitUntil(settled(session, OFF, alone))


def test_a_start_that_fails_leaves_the_pair_that_was_there(session: Session, fakes: FakeClusters, qtbot: QtBot) -> None:
    before = session.models.pair.names
    fakes.problem = ClusterError("unreachable", "studio", "timed out")
    session.cluster.start("large", None)
    qtbot.waitUntil(lambda: session.cluster.state == OFF)
    assert session.cluster.problem is fakes.problem
    assert session.models.pair.names == before


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
    found = Findings((), None)
    monkeypatch.setattr(cluster_service, "look_at_machines", lambda *_: found)
    session.cluster.check(None, 4096)
    qtbot.waitUntil(lambda: session.cluster.findings is found)
    session.cluster.configure(ClusterChoice("studio, mini"))
    assert session.cluster.findings is None
