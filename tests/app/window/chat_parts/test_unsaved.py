"""Chats that cannot be saved: the notice that stays, what helps, the question before they are lost, the next start."""

from __future__ import annotations

import shutil
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest
from PySide6.QtWidgets import QToolButton
from pytestqt.qtbot import QtBot

from app.conversations.database.schema import LATEST
from app.conversations.opening import open_store
from app.system.paths import data_folder
from tests.app.conftest import OpenWindow
from tests.app.picture_files import RULES, picture
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import STORY, Script
from tests.app.window_driver import WindowDriver

HELP = ["Choose another folder…", "Export all chats…", "Try again"]


def forbid() -> None:
    """Put a file where the folder of the chats belongs."""
    if data_folder().is_dir():
        data_folder().rename(data_folder().with_name("elsewhere"))
    data_folder().parent.mkdir(parents=True, exist_ok=True)
    data_folder().write_text("")


def allow() -> None:
    data_folder().unlink()
    before = data_folder().with_name("elsewhere")
    if before.exists():
        before.rename(data_folder())


def recovered_store() -> Path:
    return data_folder().with_name("Tandem Unsaved")


@pytest.fixture
def unsaved(open_window: OpenWindow) -> WindowDriver:
    """A window whose chats cannot be saved, with one chat."""
    forbid()
    window = open_window(ScriptedEngine([Script("One."), Script("Two.")]))
    window.ask_and_wait("first")
    return window


def test_the_notice_stays_with_what_helps_and_quitting_asks_once(unsaved: WindowDriver) -> None:
    window = unsaved
    for _ in range(4):
        window.notifications.show_error(None)
        window.notifications.show_crash_report(data_folder())
    notice = window.banner.shown[-1]
    assert "this window are not saved" in notice.text
    assert [close.isHidden() for close in notice.findChildren(QToolButton)] == [True]
    for _ in range(2):
        window.close_notice()
    assert [window.banner_text] == window.notices == [notice.text]
    assert window.banner_buttons == HELP
    window.close()
    assert window.isVisible()
    box = window.question
    assert box is not None
    assert "1 chat in this window is not saved." in box.text()
    window.close()
    assert window.question is box
    window.answer_question("Cancel")
    assert window.isVisible()
    window.close("Quit")


def test_a_window_without_chats_closes_unasked_and_leaves_nothing(open_window: OpenWindow) -> None:
    forbid()
    window = open_window(ScriptedEngine())
    assert window.banner_buttons == HELP
    window.close()
    assert not recovered_store().exists()


def test_exporting_before_quitting_keeps_the_chats(unsaved: WindowDriver, tmp_path: Path) -> None:
    unsaved.close()
    with unsaved.file_dialog(tmp_path / "kept.json"):
        unsaved.answer_question("Export all chats…")
    unsaved.wait(lambda: (tmp_path / "kept.json").exists())
    unsaved.wait(lambda: "1 chat exported." in unsaved.notices)
    unsaved.close("Quit")
    assert "One." in (tmp_path / "kept.json").read_text()


def test_trying_again_adds_the_chats_to_the_users_own(open_window: OpenWindow, tmp_path: Path) -> None:
    before = open_window(ScriptedEngine([Script("Zero.")]))
    before.ask_and_wait("earlier")
    before.close()
    forbid()
    window = open_window(ScriptedEngine([Script("One."), Script("Two.")], pictures=RULES))
    window.ask_and_wait("first")
    window.write("half a thought")
    (tmp_path / "red.png").write_bytes(picture())
    window.paste(tmp_path / "red.png")
    window.wait(lambda: window.attached == ["red.png"])
    window.press_banner("Try again")
    window.wait(lambda: window.session.answers.ready)
    assert "not saved" in window.banner_text
    allow()
    window.press_banner("Try again")
    window.wait(lambda: window.titles == ["first", "earlier"])
    assert (window.unsent, window.attached) == ("half a thought", ["red.png"])
    assert not any("not saved" in words for words in window.notices)
    window.wait(lambda: not recovered_store().exists())
    window.open_chat("first")
    window.ask_and_wait("second")
    assert [file.read_bytes() for file in window.session.store.pictures.iterdir()] == [picture()]
    window.close()
    assert window.question is None
    store, _ = open_store(data_folder() / "chats.db")
    assert [chat.title for chat in store.conversations.view("active") if chat.title] == ["first", "earlier"]
    assert store.messages.path(2)[-1].content == "Two."
    store.close()


def test_nothing_of_a_temporary_chat_is_stored_with_the_others(unsaved: WindowDriver) -> None:
    window = unsaved
    window.trigger("new-temporary-chat")
    window.write("zanzibar thought")
    allow()
    window.press_banner("Try again")
    window.wait(lambda: window.titles == ["first"])
    assert window.session.chat.temporary
    assert window.unsent == "zanzibar thought"
    window.write("zanzibar thought goes on")
    window.settle()
    files = [path for path in data_folder().rglob("*") if path.is_file()]
    assert [path.name for path in files if b"zanzibar" in path.read_bytes()] == []
    window.open_chat("first")
    assert [bool(chat.unsent) for chat in (window.session.chats.blank, window.session.chat)] == [False, False]


def test_the_store_is_not_changed_while_an_answer_is_written(open_window: OpenWindow) -> None:
    forbid()
    engine = ScriptedEngine([Script(STORY)], gate=threading.Semaphore(5))
    window = open_window(engine)
    window.ask("first")
    window.wait(lambda: len(window.answer().text) > 10)
    enabled = {
        button.text(): button.isEnabled() for button in window.banner.shown[0].findChildren(type(window.banner_button))
    }
    assert [enabled[words] for words in HELP] == [False, True, False]
    window.trigger("stop")
    assert engine.gate is not None
    engine.gate.release(9)
    window.wait_until_answered()
    window.settle()
    assert window.banner_button.isEnabled()
    window.close("Quit")


def test_another_folder_keeps_the_chats(unsaved: WindowDriver, open_window: OpenWindow, tmp_path: Path) -> None:
    with unsaved.file_dialog(tmp_path):
        unsaved.press_banner("Choose another folder…")
    kept = tmp_path / "Tandem Chats"
    unsaved.wait(lambda: str(kept) in unsaved.banner_text)
    unsaved.wait(lambda: unsaved.session.answers.ready)
    unsaved.ask_and_wait("second")
    unsaved.close_notice()
    unsaved.close()
    assert unsaved.question is None
    assert not unsaved.isVisible()
    # The same chats while the user's own cannot be opened.
    window = open_window(ScriptedEngine([Script("Three.")]))
    window.wait(lambda: window.turns == [("first", "One."), ("second", "Two.")])
    assert str(kept) in window.banner_text
    window.close()
    allow()
    window = open_window(ScriptedEngine())
    window.wait(lambda: "1 chat from a time" in window.banner_text)
    window.press_banner("Add to my chats")
    window.wait(lambda: window.titles == ["first"])
    assert not kept.exists()


def test_a_folder_that_cannot_take_them_is_told(unsaved: WindowDriver, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with unsaved.file_dialog(tmp_path / "file"):
        unsaved.press_banner("Choose another folder…")
    unsaved.wait(lambda: "Not moved" in unsaved.banner_text)
    assert "not saved" in unsaved.notices[-1]
    unsaved.ask_and_wait("second")
    assert len(unsaved.turns) == 2
    unsaved.close("Quit")


def test_the_next_start_offers_what_a_window_could_not_save(unsaved: WindowDriver, open_window: OpenWindow) -> None:
    unsaved.close("Quit")
    allow()
    for _ in range(2):
        # Closing the notice leaves it for the next start.
        window = open_window(ScriptedEngine())
        window.wait(lambda window=window: "1 chat from a time" in window.banner_text)
        window.close_notice()
        window.close()
    window = open_window(ScriptedEngine())
    window.wait(lambda: bool(window.notices))
    window.press_banner("Add to my chats")
    window.wait(lambda: window.titles == ["first"])
    window.wait(lambda: not recovered_store().exists())
    window.close()
    window = open_window(ScriptedEngine())
    window.settle()
    assert window.titles == ["first"]
    assert window.notices == []


@pytest.mark.expects_log
def test_what_was_added_and_could_not_be_removed_is_removed_after_a_later_start(
    unsaved: WindowDriver, open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    unsaved.close("Quit")
    allow()
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "rmtree", lambda *_, **__: None)
        window = open_window(ScriptedEngine())
        window.wait(lambda: bool(window.notices))
        window.press_banner("Add to my chats")
        window.wait(lambda: window.titles == ["first"])
        window.settle()
        window.close()
    assert recovered_store().exists()
    window = open_window(ScriptedEngine())
    window.wait(lambda: bool(window.notices))
    window.press_banner("Add to my chats")
    window.wait(lambda: not recovered_store().exists())
    assert window.titles == ["first"]


@pytest.mark.parametrize("left", ["its pictures", "a store without chats"])
def test_the_rest_of_a_store_that_was_removed_in_part_goes_at_the_next_start(
    open_window: OpenWindow, left: str
) -> None:
    if left == "its pictures":
        (recovered_store() / "pictures").mkdir(parents=True)
        (recovered_store() / "pictures" / "a").write_bytes(picture())
    else:
        recovered_store().mkdir(parents=True)
        open_store(recovered_store() / "chats.db")[0].close()
    window = open_window(ScriptedEngine())
    window.wait(lambda: not recovered_store().exists())
    assert window.notices == []


@pytest.mark.parametrize("kind", ["newer", "no folder beside it"])
def test_other_reasons_and_places(open_window: OpenWindow, qtbot: QtBot, kind: str) -> None:
    data_folder().mkdir(parents=True)
    with closing(sqlite3.connect(data_folder() / "chats.db")) as connection:
        connection.execute(f"PRAGMA user_version = {LATEST + 1}")
    if kind != "newer":
        recovered_store().write_text("")
    window = open_window(ScriptedEngine([Script("One.")]))
    window.ask_and_wait("first")
    window.close()
    box = window.question
    assert box is not None
    assert ("the next time it starts" in box.informativeText()) == (kind == "newer")
    window.answer_question("Quit")
    qtbot.waitUntil(lambda: not window.isVisible())
    if kind == "newer":
        shutil.rmtree(data_folder())
        window = open_window(ScriptedEngine())
        window.wait(lambda: "1 chat from a time" in window.banner_text)
