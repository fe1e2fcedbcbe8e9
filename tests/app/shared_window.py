"""One window for the tests of a module that can begin with a new chat: to open it is most of what they cost.

Import both fixtures in a conftest. A test opens a window of its own with `open_window` if it closes the window, needs
settings or a fake system before its start, controls a load, calls tools, whose threads stay, or leaves something in the
session: what was compared, or a slot that acts.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.conversations.conversation_list import ACTIVE, ARCHIVED, TRASHED, ConversationList
from app.conversations.store import ConversationStore
from app.session.session import Session
from app.settings.declarations import SettingsValues
from app.widgets.overlay import Overlay
from app.window.main_window import MainWindow
from app.window.quick_entry import QuickEntry
from tests.app.conftest import STARTER
from tests.app.scripted_engine import ScriptedEngine
from tests.app.window_driver import WindowDriver
from tests.conftest import live_in
from tests.patience import PATIENCE_S

if TYPE_CHECKING:
    from app.conversations.database.records import Conversation
    from app.widgets.application import Application

Wait = Callable[[Callable[[], bool]], object]
StartChat = Callable[[ScriptedEngine], WindowDriver]


class EngineOfTest:
    """The engine of a shared session, which passes each call on to the one that the current test has brought.

    Between two tests, it is an idle one.
    """

    def __init__(self) -> None:
        self._idle = self._engine = ScriptedEngine()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    def begin(self, engine: ScriptedEngine) -> None:
        """Let this engine answer from now on, with the settings of the session."""
        self.end()
        engine.settings = self._idle.settings
        self._engine = engine

    def end(self) -> None:
        """End the engine of the test and its answers."""
        if self._engine is not self._idle:
            self._engine.close()
            self._engine = self._idle

    def close(self) -> None:
        self.end()
        self._idle.close()


class SharedWindow:
    """A window with its session, and the user's files in `home`."""

    def __init__(self, application: Application, home: Path) -> None:
        self.home = home
        self._engine = EngineOfTest()
        engine: Any = self._engine
        self._session = Session(lambda: engine, STARTER)
        self._window = MainWindow(self._session, application)
        self._window.show()
        self._size = self._window.size()
        self._session.models.load_starter()
        _wait(lambda: self._session.store.ready and not self._session.models.pair.loading)

    def start_chat(self, engine: ScriptedEngine, wait: Wait) -> WindowDriver:
        """Load the pair of the start in this engine, which answers from now on, and come to the window."""
        self._engine.begin(engine)
        models = self._session.models
        models.load_starter()
        self._window.activateWindow()
        wait(lambda: not models.pair.loading and self._window.isActiveWindow())
        return WindowDriver(self._window, self._session, wait)

    def start_over(self, wait: Wait) -> None:
        """Bring the window back to an empty chat, as a person would.

        What is written is stopped, what is open is closed, all chats and folders are deleted, and all settings are the
        usual ones again.
        """
        driver = WindowDriver(self._window, self._session, wait)
        self._engine.end()
        self._close_cards(driver)
        driver.settle()
        self._window.preferences.change(**asdict(SettingsValues()))
        self._delete_chats(driver)
        driver.trigger("new-chat")
        driver.write("")
        driver.composer.files.show_files(())
        while driver.notices:
            driver.close_notice()
        self._window.showNormal()
        self._window.resize(self._size)
        driver.settle()
        assert (driver.turns, driver.titles, driver.unsent, driver.waiting) == ([], [], "", [])

    def _close_cards(self, driver: WindowDriver) -> None:
        """Close what stands over the window or beside it."""
        for card in self._window.findChildren(Overlay):
            card.close_overlay()
        entry = driver.find(QuickEntry)
        entry.edit.clear()
        entry.files.show_files(())
        for beside in QApplication.topLevelWidgets():
            if beside is not self._window and beside.isVisible():
                beside.close()
        driver.find_bar.close_bar()
        driver.sidebar.search.clear()

    def _delete_chats(self, driver: WindowDriver) -> None:
        session = self._session

        def chats(store: ConversationStore) -> list[Conversation]:
            return [chat for view in (ACTIVE, ARCHIVED, TRASHED) for chat in store.conversations.view(view)]

        session.store.show_view(ACTIVE)
        for chat in session.store.wait_for(chats):
            session.chats.purge(chat.id)
        for folder in session.list.folders:
            session.list.change(ConversationList.delete_folder, folder.id)
        driver.settle()

    def close(self) -> None:
        self._window.quit()
        self._window.deleteLater()
        for _ in range(3):
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
            QCoreApplication.processEvents()


def _wait(condition: Callable[[], bool]) -> None:
    """Wait as `QtBot.waitUntil`, which only a test has."""
    patience = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < patience, "the window does not open"
        QTest.qWait(3)


@pytest.fixture(scope="module")
def shared_window(qapp: Application, homes: Iterator[Path], request: pytest.FixtureRequest) -> Iterator[SharedWindow]:
    """The window of a module. As in `nothing_is_left`, no other thread may collect what belongs to Qt."""
    request.getfixturevalue("short_pauses")
    with pytest.MonkeyPatch.context() as patch:
        home = next(homes)
        home.mkdir()
        live_in(home, patch)
        gc.disable()
        shared = SharedWindow(qapp, home)
        gc.enable()
        yield shared
        gc.disable()
        shared.close()
        gc.collect()
        gc.enable()


@pytest.fixture
def start_chat(shared_window: SharedWindow, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot) -> Iterator[StartChat]:
    """A function that begins a new chat in the window of the module, whose questions an engine answers."""
    live_in(shared_window.home, monkeypatch)
    yield lambda engine: shared_window.start_chat(engine, qtbot.waitUntil)
    shared_window.start_over(qtbot.waitUntil)
