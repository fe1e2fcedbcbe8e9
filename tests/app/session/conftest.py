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


@pytest.fixture
def open_session(tmp_path: Path, qtbot: QtBot) -> Iterator[OpenSession]:
    """Open sessions one after the other, all with the same store."""
    opened: list[Session] = []

    def open_on(engine: ScriptedEngine | None = None, load: bool = True) -> Session:
        # Made only when needed: otherwise nothing would end its thread.
        session = Session(lambda: engine or ScriptedEngine(), STARTER, tmp_path / "chats.db")
        opened.append(session)
        if load:
            session.models.load_starter()
        qtbot.waitUntil(lambda: not session.busy)
        return session

    yield open_on
    for session in opened:
        session.close()


@pytest.fixture
def fakes(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeClusters]:
    with fake_clusters(monkeypatch) as made:
        yield made
