"""Sessions without a window, on scripted engines and stores of their own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import pytest
from pytestqt.qtbot import QtBot

from app.session.session import Session
from tests.app.conftest import STARTER
from tests.app.scripted_engine import ScriptedEngine


class OpenSession(Protocol):
    """Opens a session; with `load`, waits until its pair is loaded."""

    def __call__(self, engine: ScriptedEngine | None = None, load: bool = True) -> Session: ...


@pytest.fixture
def open_session(tmp_path: Path, qtbot: QtBot) -> Iterator[OpenSession]:
    """Every session of a test has the same store, one after the other."""
    opened: list[Session] = []

    def open_on(engine: ScriptedEngine | None = None, load: bool = True) -> Session:
        # An engine that no test needs is not made: nobody would end its thread.
        session = Session(lambda: engine or ScriptedEngine(), STARTER, tmp_path / "chats.db")
        opened.append(session)
        if load:
            session.models.load_starter()
        qtbot.waitUntil(lambda: not session.busy)
        return session

    yield open_on
    for session in opened:
        session.close()
