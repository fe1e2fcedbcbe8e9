"""The notices of the window: important ones stay until they are read, and none stays longer than its reason."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPointF, Qt
from PySide6.QtGui import QAction, QEnterEvent
from PySide6.QtWidgets import QToolButton
from pytestqt.qtbot import QtBot

from app.conversations.schema import LATEST
from app.settings.updates import Release
from app.system.paths import data_folder
from app.widgets.application import Application
from app.window import startup
from app.window.attachment_reader import AttachmentReader
from app.window.main_window import MainWindow
from engine.errors import ModelNotUsable
from engine.hub.failures import HubError
from tests.app.conftest import STARTER, OpenShown, OpenWindow
from tests.app.scripted_engine import Script, ScriptedEngine
from tests.app.shown_library import MAIN, downloading
from tests.app.window_driver import WindowDriver


def newer_version() -> None:
    data_folder().mkdir(parents=True)
    with closing(sqlite3.connect(data_folder() / "chats.db")) as connection:
        connection.execute(f"PRAGMA user_version = {LATEST + 1}")


def damaged() -> None:
    data_folder().mkdir(parents=True)
    (data_folder() / "chats.db").write_bytes(b"this is no database" * 400)


def forbidden() -> None:
    data_folder().parent.mkdir(parents=True, exist_ok=True)
    # No folder can be made where there is a file.
    data_folder().write_text("")


def nothing(_: MainWindow | None = None) -> None:
    pass


def crashed(window: MainWindow) -> None:
    window.notifications.show_crash_report(data_folder() / "crash.txt")


def restored(window: MainWindow) -> None:
    window.notifications.show_restored(data_folder() / "chats-before.db")


# What to prepare before the start, what to show after it, and the words of the notice.
STARTS: dict[str, tuple[Callable[[], None], Callable[[MainWindow], None], str]] = {
    "newer version": (newer_version, nothing, "by a newer version of Tandem"),
    "forbidden": (forbidden, nothing, "this window are not saved"),
    "damaged": (damaged, nothing, "was damaged"),
    "restored": (nothing, restored, "chats of the backup are back"),
    "crashed": (nothing, crashed, "quit unexpectedly"),
}


@pytest.mark.parametrize(("before", "tell", "words"), STARTS.values(), ids=STARTS)
def test_what_a_start_tells_stays_while_the_pair_is_loaded(
    before: Callable[[], None],
    tell: Callable[[MainWindow], None],
    words: str,
    qapp: Application,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before()
    loads: list[Callable[[], object]] = []
    monkeypatch.setattr(startup, "Engine", ScriptedEngine)
    monkeypatch.setattr(startup, "starter_pair", lambda: STARTER)
    monkeypatch.setattr(startup, "_FirstPaint", lambda _window, load: loads.append(load))
    monkeypatch.setattr("app.library.library.Library.start", lambda _: None)
    made, session = startup.open_window(qapp)
    window = WindowDriver(made, session, qtbot.waitUntil)
    tell(made)
    qtbot.waitUntil(lambda: words in window.banner_text)
    loads[0]()
    qtbot.waitUntil(lambda: session.models.pair.main is not None and not session.models.pair.loading)
    window.settle()
    assert words in window.banner_text
    window.close()
    made.deleteLater()


def test_notices_wait_for_each_other(open_window: OpenWindow) -> None:
    newer_version()
    window = open_window(ScriptedEngine([Script("One.")]))
    crashed(window.window)
    window.ask_and_wait("First")
    window.trigger("delete-chat")
    window.settle()
    seen = []
    while window.banner_text:
        seen.append(window.banner_text)
        window.banner.findChild(QToolButton).click()
    # The newest notice comes first.
    for words, notice in zip(("Trash", "unexpectedly", "newer"), seen, strict=True):
        assert words in notice


def test_a_notice_given_again_does_not_pile_up_and_newer_information_replaces_older(open_window: OpenWindow) -> None:
    window = opened(open_window)
    for tell in (crashed, restored, crashed):
        tell(window.window)
    window.banner.findChild(QToolButton).click()
    assert "backup" in window.banner_text
    window.notifications.show_trashed("First")
    window.notifications.show_trashed("Second")
    assert "Second" in window.banner_text
    for words in ("backup", ""):
        window.banner.findChild(QToolButton).click()
        assert words in window.banner_text
    assert window.banner_text == ""


def test_loading_a_pair_takes_away_why_the_last_one_could_not_be(open_window: OpenWindow) -> None:
    window = open_window(ScriptedEngine(loads=[ModelNotUsable("models/big", "incomplete", "model.safetensors")]))
    restored(window.window)
    crashed(window.window)
    window.session.models.load_starter()
    window.wait(lambda: window.session.answers.ready)
    for words in ("unexpectedly", "backup", ""):
        assert words in window.banner_text
        window.banner.findChild(QToolButton).click()


def test_a_download_that_goes_on_has_not_failed(open_shown: OpenShown) -> None:
    window, library, _ = open_shown()
    library.show(downloading(MAIN))
    library.show(downloading(MAIN, "failed", error=HubError("disk-full", MAIN)))
    assert "disk" in window.banner_text
    library.show(downloading(MAIN))
    assert window.banner_text == ""


def refused(window: MainWindow) -> None:
    window.findChild(AttachmentReader).refuse_picture()


def update(window: MainWindow) -> None:
    window.notifications.show_update(Release("99.0.0", "https://example.org/99", {}), QAction(window))


INFORMATION: dict[str, Callable[[MainWindow], None]] = {
    "trashed": lambda window: window.notifications.show_trashed("First"),
    "archived": lambda window: window.notifications.show_archived("First"),
    "branched": lambda window: window.notifications.show_branched(),
    "messages deleted": lambda window: window.notifications.show_deleted(2),
    "up to date": lambda window: window.notifications.show_no_update("newest"),
}
NEWS: dict[str, Callable[[MainWindow], None]] = {
    "crashed": crashed,
    "restored": restored,
    "refused": refused,
    "update": update,
    "offline": lambda window: window.notifications.show_no_update("offline"),
}


@pytest.fixture
def short_notices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.widgets.banner.SHOWN_MS", 1)


def opened(open_window: OpenWindow) -> WindowDriver:
    window = open_window(ScriptedEngine([Script("One.")]))
    window.activateWindow()
    window.wait(window.isActiveWindow)
    return window


@pytest.mark.usefixtures("short_notices")
def test_information_leaves_by_itself(open_window: OpenWindow) -> None:
    window = opened(open_window)
    for name, tell in INFORMATION.items():
        tell(window.window)
        assert window.banner_text, name
        window.wait(lambda: window.banner_text == "")


@pytest.mark.usefixtures("short_notices")
def test_what_a_person_has_to_know_stays(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = opened(open_window)
    for name, tell in NEWS.items():
        tell(window.window)
        words = window.banner_text
        window.notifications.show_archived("First")
        assert window.banner_text != words, name
        qtbot.waitUntil(lambda words=words: window.banner_text == words)
        qtbot.wait(20)
        assert window.banner_text == words, name


@pytest.mark.usefixtures("short_notices")
def test_nothing_leaves_or_comes_under_the_hand(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = opened(open_window)
    window.notifications.show_archived("First")
    middle = QPointF(window.banner.rect().center())
    QCoreApplication.sendEvent(window.banner, QEnterEvent(middle, middle, middle))
    qtbot.wait(20)
    assert "First" in window.banner_text
    QCoreApplication.sendEvent(window.banner, QEvent(QEvent.Type.Leave))
    qtbot.waitUntil(lambda: window.banner_text == "")
    window.notifications.show_archived("First")
    window.banner.findChild(QToolButton).setFocus(Qt.FocusReason.TabFocusReason)
    window.notifications.show_archived("Second")
    crashed(window.window)
    qtbot.wait(20)
    assert "First" in window.banner_text
    window.edit.setFocus()
    qtbot.waitUntil(lambda: "unexpectedly" in window.banner_text)


def test_why_a_file_was_refused_leaves_with_its_chat(open_window: OpenWindow) -> None:
    window = open_window(ScriptedEngine([Script("One.")]))
    window.ask_and_wait("First")
    refused(window.window)
    window.trigger("new-chat")
    assert window.banner_text == ""
