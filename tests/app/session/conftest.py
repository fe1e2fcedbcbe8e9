"""Sessions without a window, with scripted engines and their own stores."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import pytest
from pytestqt.qtbot import QtBot

from app.session.session import Session
from tests.app.conftest import STARTER
from tests.app.fake_cluster import FakeClusters, fake_clusters
from tests.app.scripted_engine import ScriptedEngine


class OpenSession(Protocol):
    """Opens a session; with `load`, waits until its pair is loaded."""

    def __call__(self, engine: ScriptedEngine | None = None, load: bool = True) -> Session: ...


class Settle(Protocol):
    """Waits until no session has pending work. The argument is the result of the call that caused the work."""

    def __call__(self, result: object = None) -> None: ...


@pytest.fixture
def opened() -> list[Session]:
    return []


@pytest.fixture
def settle(opened: list[Session], qtbot: QtBot) -> Settle:
    return lambda result=None: qtbot.waitUntil(lambda: not any(session.busy for session in opened))  # noqa: ARG005


@pytest.fixture
def open_session(opened: list[Session], tmp_path: Path, settle: Settle) -> Iterator[OpenSession]:
    """Open sessions one after the other, all with the same store."""

    def open_on(engine: ScriptedEngine | None = None, load: bool = True) -> Session:
        # Made only when needed: otherwise nothing would end its thread.
        session = Session(lambda: engine or ScriptedEngine(), STARTER, tmp_path / "chats.db")
        opened.append(session)
        if load:
            session.models.load_starter()
        settle()
        return session

    yield open_on
    for session in opened:
        session.close()


@pytest.fixture
def fakes(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeClusters]:
    with fake_clusters(monkeypatch) as made:
        yield made
