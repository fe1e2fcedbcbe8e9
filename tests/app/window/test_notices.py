"""The notices of the window: important ones stay until they are read, and none stays longer than its reason."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPointF, Qt
from PySide6.QtGui import QEnterEvent
from PySide6.QtWidgets import QLabel, QToolButton
from pytestqt.qtbot import QtBot

from app.conversations.database.schema import LATEST
from app.system.paths import data_folder
from app.text.file_texts import NotAttachable
from app.widgets.application import Application
from app.widgets.labels import SentenceLabel
from app.window import startup
from app.window.chat_parts.attachment_reader import AttachmentReader
from app.window.main_window import MainWindow
from tests.app.conftest import EACH_LANGUAGE, STARTER, OpenShown, OpenWindow
from tests.app.every_notice import EVERY_NOTICE
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script
from tests.app.shared_window import StartChat
from tests.app.shown_library import DRAFT, path_of
from tests.app.window_driver import WindowDriver
from tests.engine.tiers import by_tier


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
    "restored": (nothing, restored, "Backup restored."),
    "crashed": (nothing, crashed, "quit unexpectedly"),
}


@pytest.mark.parametrize(
    ("before", "tell", "words"), by_tier(STARTS.values(), [STARTS["newer version"], STARTS["restored"]]), ids=STARTS
)
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


def test_every_notice_is_seen_while_a_pair_is_loaded(open_shown: OpenShown) -> None:
    window, library, engine = open_shown()
    session = window.session
    for name, notice in EVERY_NOTICE.items():
        engine.load_gate = threading.Event()
        session.models.load(path_of(DRAFT), None)
        notice.tell(window, library)
        window.wait(lambda notice=notice: notice.words in window.banner_text)
        engine.load_gate.set()
        window.wait(lambda: not session.models.pair.loading)
        window.settle()
        assert notice.words in window.banner_text, name
        if name != "unsaved":
            window.close_notice(notice.words)
    # What cannot be closed is still there, and nothing else.
    assert [EVERY_NOTICE["unsaved"].words in words for words in window.notices] == [True]


def test_further_notices_wait_until_others_are_closed(open_window: OpenWindow) -> None:
    newer_version()
    window = open_window(ScriptedEngine([Script("One.")]))
    window.ask_and_wait("First")
    crashed(window.window)
    restored(window.window)
    window.notifications.show_error(None)
    window.notifications.show_backup(data_folder())
    # The newest is on top; what cannot be closed is always there.
    expected = ["reset", "unexpected happened", "Backup restored", "quit unexpectedly", "not saved"]
    for closed in range(4):
        shown = [*expected[closed : closed + 2], "not saved"][: 5 - closed]
        for words, notice in zip(shown, window.notices, strict=True):
            assert words in notice
        waiting = max(0, 2 - closed)
        said = [one.text() for one in window.banner.findChildren(QLabel) if one.isVisible() and "more" in one.text()]
        assert said == ([f"{waiting} more notice{'s' if waiting > 1 else ''}"] if waiting else [])
        window.close_notice()
    assert "not saved" in window.banner_text
    window.close("Quit")


@pytest.mark.parametrize("code", EACH_LANGUAGE)
def test_no_notice_is_cut_off_in_the_smallest_window(open_shown: OpenShown, qapp: Application, code: str) -> None:
    window, library, _ = open_shown()
    qapp.language.choose(code)
    window.resize(560, 420)
    window.settle()
    for name in ("damaged", "crash"):
        EVERY_NOTICE[name].tell(window, library)
    window.settle()
    assert len(window.notices) == 1
    for label in window.banner.findChildren(SentenceLabel):
        if label.isVisible():
            assert label.height() >= label.heightForWidth(label.width()), label.text()
    window.resize(1100, 800)
    window.settle()
    assert len(window.notices) == 2


def test_a_notice_given_again_does_not_pile_up_and_newer_information_replaces_older(open_window: OpenWindow) -> None:
    window = opened(open_window)
    for tell in (crashed, restored, crashed):
        tell(window.window)
    assert ["unexpectedly" in words for words in window.notices] == [True, False]
    window.notifications.show_trashed("First")
    window.notifications.show_trashed("Second")
    assert len(window.notices) == 3
    assert "Second" in window.banner_text


@pytest.fixture
def short_notices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.widgets.banner.SHOWN_MS", 1)


def opened(start_chat: StartChat) -> WindowDriver:
    window = start_chat(ScriptedEngine([Script("One.")]))
    window.activateWindow()
    window.wait(window.isActiveWindow)
    return window


@pytest.mark.usefixtures("short_notices")
def test_information_leaves_by_itself_and_what_a_person_has_to_know_stays(open_shown: OpenShown, qtbot: QtBot) -> None:
    window, library, _ = open_shown()
    window.activateWindow()
    window.wait(window.isActiveWindow)
    for name, notice in EVERY_NOTICE.items():
        notice.tell(window, library)
        if notice.passes:
            window.wait(lambda notice=notice: not any(notice.words in words for words in window.notices))
            continue
        window.wait(lambda notice=notice: notice.words in window.banner_text)
        qtbot.wait(20)
        assert notice.words in window.banner_text, name
        if name != "unsaved":
            window.close_notice()


@pytest.mark.usefixtures("short_notices")
def test_nothing_leaves_under_the_hand(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = opened(open_window)
    window.notifications.show_archived("First")
    held = window.banner.shown[0]
    middle = QPointF(held.rect().center())
    QCoreApplication.sendEvent(held, QEnterEvent(middle, middle, middle))
    qtbot.wait(20)
    assert "First" in window.banner_text
    QCoreApplication.sendEvent(held, QEvent(QEvent.Type.Leave))
    qtbot.waitUntil(lambda: window.banner_text == "")
    window.notifications.show_archived("First")
    window.banner.shown[0].findChild(QToolButton).setFocus(Qt.FocusReason.TabFocusReason)
    for tell in (crashed, restored):
        tell(window.window)
    window.notifications.show_error(None)
    qtbot.wait(20)
    # It is where it was: the newer ones are above it.
    assert "First" in window.notices[-1]
    assert len(window.notices) == 3
    window.edit.setFocus()
    qtbot.waitUntil(lambda: not any("First" in words for words in window.notices))


def refused(window: MainWindow) -> None:
    window.findChild(AttachmentReader).show_reason(NotAttachable("notes.bin", "not-text"))


def test_why_a_file_was_refused_leaves_with_its_chat(start_chat: StartChat) -> None:
    window = start_chat(ScriptedEngine([Script("One.")]))
    window.ask_and_wait("First")
    refused(window.window)
    window.trigger("new-chat")
    assert window.banner_text == ""


def test_an_unexpected_error_stays_with_its_chat_and_names_its_file(start_chat: StartChat) -> None:
    window = start_chat(ScriptedEngine([Script("One.")]))
    window.ask_and_wait("First")
    window.window.notifications.show_error(data_folder() / "last-error.txt")
    assert "the details are in last-error.txt." in window.banner_text
    window.trigger("new-chat")
    assert window.banner_text == ""


def test_an_error_while_a_chat_is_opened_is_seen_there(start_chat: StartChat) -> None:
    window = start_chat(ScriptedEngine([Script("One.")]))
    # What follows the chat after that raised is told that it is open.
    window.window.notifications.show_error(None)
    window.session.chats.opened.emit(window.session.chat)
    assert "Something unexpected happened." in window.banner_text
