"""The notices of the window: none is lost that a person has to know, and none outlives its reason."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from PySide6.QtWidgets import QToolButton

from app.conversations.schema import LATEST
from app.system.paths import data_folder
from app.window import startup
from engine.errors import ModelNotUsable
from engine.hub.failures import HubError
from tests.app.conftest import STARTER
from tests.app.scripted_engine import Script, ScriptedEngine
from tests.app.shown_library import MAIN, downloading
from tests.app.window_driver import WindowDriver

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from app.widgets.application import Application
    from app.window.main_window import MainWindow
    from tests.app.conftest import OpenShown, OpenWindow


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


# What was there before the start, what the start itself tells, and the words.
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
    # The newest first: it is about what was done just now.
    for words, notice in zip(("Trash", "unexpectedly", "newer"), seen, strict=True):
        assert words in notice


def test_a_notice_that_is_given_again_does_not_pile_up(open_window: OpenWindow) -> None:
    window = open_window(ScriptedEngine())
    crashed(window.window)
    restored(window.window)
    crashed(window.window)
    window.banner.findChild(QToolButton).click()
    assert "backup" in window.banner_text
    window.banner.findChild(QToolButton).click()
    assert window.banner_text == ""


def test_loading_a_pair_takes_away_why_the_last_one_could_not_be(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine(loads=[ModelNotUsable("models/big", "incomplete", "model.safetensors")]))
    restored(window.window)
    crashed(window.window)
    window.session.models.load_starter()
    qtbot.waitUntil(lambda: window.session.answers.ready)
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
