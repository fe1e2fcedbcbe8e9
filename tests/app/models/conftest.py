"""A window whose library knows what a test gives it, and one on a fake Hub."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.application import Application
from app.main_window import MainWindow
from app.models.shelf import Inventory
from app.session import Session
from tests.app.conftest import STARTER
from tests.app.models.shown_library import DRAFT, MAIN, ShownLibrary, path_of
from tests.app.scripted_engine import Script, ScriptedEngine

OpenShown = Callable[..., tuple[MainWindow, ShownLibrary, ScriptedEngine]]


@pytest.fixture
def open_shown(qapp: Application, qtbot: QtBot, tmp_path: Path) -> Iterator[OpenShown]:
    """Opens the window on a library of given answers, with Qwen3 8B and its draft loaded."""
    opened: list[MainWindow] = []

    def open_on(
        inventory: Inventory | None = None, pair: tuple[str, str | None] = (path_of(MAIN), path_of(DRAFT))
    ) -> tuple[MainWindow, ShownLibrary, ScriptedEngine]:
        engine, library = ScriptedEngine([Script("Hello.")]), ShownLibrary(tmp_path, inventory)
        session = Session(lambda: engine, STARTER)  # type: ignore[arg-type, return-value]
        window = MainWindow(session, qapp, library)
        opened.append(window)
        window.show()
        session.load(*pair)
        qtbot.waitUntil(lambda: not session.pair.loading)
        return window, library, engine

    yield open_on
    for window in opened:
        window.close()
        window.deleteLater()
