"""The list of chats: its actions, the trash, marks, and finding in one chat or in all."""

from __future__ import annotations

import threading
import time
from itertools import product
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.conversations import worker
from app.conversations.backups import back_up_now, copy_daily, finish, list_backups
from app.conversations.store import ConversationStore
from app.widgets.application import Application
from tests.app.conftest import OpenWindow
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import STORY, Script
from tests.app.shared_window import StartChat
from tests.app.window_driver import WindowDriver
from tests.engine.tiers import by_tier
from tests.patience import PATIENCE_S


def two_chats(start_chat: StartChat) -> WindowDriver:
    window = start_chat(ScriptedEngine([Script("One.")]))
    for question in ("Apples", "Bananas"):
        window.trigger("new-chat")
        window.ask_and_wait(question)
    return window


@pytest.mark.first
def test_the_list_renames_pins_duplicates_and_archives(open_window: OpenWindow) -> None:
    window = two_chats(open_window)
    assert window.titles == ["Bananas", "Apples"]
    sidebar = window.sidebar
    sidebar.choose("Apples", "Pin to the top")
    assert sidebar.rows[:2] == ["Pinned", "Apples"]
    sidebar.rename("Apples", "Pears")
    assert "Pears" in window.titles
    sidebar.choose("Pears", "Duplicate")
    assert sorted(window.titles) == ["Bananas", "Pears", "Pears 2"]
    sidebar.choose("Pears", "Archive chat")
    assert len(window.titles) == 2
    sidebar.show_view("Archive")
    assert window.titles == ["Pears"]


def test_pins_are_reordered_by_dragging(start_chat: StartChat) -> None:
    window = start_chat(ScriptedEngine([Script("One.")]))

    def three(store):  # type: ignore[no-untyped-def]
        for title in ("a", "b", "c"):
            store.conversations.pin(store.conversations.create(title=title))

    window.in_store(three)
    assert window.titles == ["a", "b", "c"]
    window.sidebar.drag_between("c", above=1)
    assert window.titles == ["c", "a", "b"]


def test_a_deleted_chat_comes_back_with_undo_or_a_question_and_leaves_the_screen_when_it_is_gone(
    start_chat: StartChat,
) -> None:
    window = start_chat(ScriptedEngine([Script("One.")]))
    window.ask_and_wait("first")

    def delete() -> None:
        window.trigger("delete-chat")
        window.settle()
        assert "first" in window.banner_text
        assert (window.turns, window.titles) == ([], [])

    delete()
    window.press_banner()
    window.wait(lambda: window.turns == [("first", "One.")])
    assert window.titles == ["first"]
    assert not window.is_enabled("restore-chat")
    assert window.banner.isHidden()
    delete()
    window.sidebar.show_view("Trash")
    window.open_chat("first")
    window.sidebar.show_view("Chats")
    assert window.titles == []
    window.ask_and_wait("second")
    window.wait(lambda: window.titles == ["first"])
    assert not window.is_enabled("restore-chat")
    delete()
    window.sidebar.show_view("Trash")
    window.open_chat("first")
    window.wait(lambda: window.turns == [("first", "One."), ("second", "One.")])
    window.sidebar.choose("first", "Delete permanently")
    window.sidebar.empty_button.click()
    window.wait(lambda: window.titles == [])
    assert window.turns == []
    assert not window.is_enabled("restore-chat")


@pytest.mark.parametrize(
    ("chosen", "one"), by_tier(product((True, False), (True, False)), [(True, True), (False, False)])
)
def test_a_person_chooses_whether_deleted_chats_leave_the_backups_too(
    open_window: OpenWindow, one: bool, chosen: bool
) -> None:
    window = two_chats(open_window)
    pane, path = window.sidebar.pane, window.session.store.path
    backup = window.in_store(lambda store: back_up_now(store, path))
    broken = backup.with_name(f"{path.stem}-v1-broken{path.suffix}")
    broken.write_bytes(b"no database")
    window.sidebar.choose("Apples", "Delete")
    window.sidebar.show_view("Trash")
    if chosen:
        QTest.mouseClick(pane.from_backups, Qt.MouseButton.LeftButton)
    if one:
        window.sidebar.choose("Apples", "Delete permanently")
    else:
        window.sidebar.empty_button.click()
    window.sidebar.empty_button.click()
    window.wait(lambda: window.titles == [])
    assert [found.chats for found in list_backups(path)] == [1 if chosen else 2]
    assert (str(broken) in window.banner_text) is chosen
    assert pane.from_backups.isHidden()


def test_deleted_chats_leave_a_backup_too_that_is_being_finished(
    open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    due, copied, goes_on = threading.Event(), threading.Event(), threading.Event()

    def finish_later(unfinished: Path, path: Path) -> Path:
        copied.set()
        goes_on.wait(PATIENCE_S)
        return finish(unfinished, path)

    for pause in ("FIRST_BACKUP_S", "BACKUP_EVERY_S"):
        monkeypatch.setattr(worker, pause, 0.02)
    monkeypatch.setattr(worker, "copy_daily", lambda *given: copy_daily(*given) if due.is_set() else None)
    monkeypatch.setattr(worker, "finish", finish_later)
    window = two_chats(open_window)
    window.sidebar.choose("Apples", "Delete")
    window.sidebar.show_view("Trash")
    due.set()
    window.wait(copied.is_set)
    QTest.mouseClick(window.sidebar.pane.from_backups, Qt.MouseButton.LeftButton)
    window.sidebar.empty_button.click()
    window.sidebar.empty_button.click()
    # A removal that does not wait for the backup has time to miss it.
    QTest.qWait(100)
    goes_on.set()
    window.wait(lambda: window.titles == [] and bool(list_backups(window.session.store.path)))
    [backup] = list_backups(window.session.store.path)
    assert b"apples" not in backup.path.read_bytes().lower()


def test_a_chat_that_streams_has_its_mark_in_the_list(start_chat: StartChat) -> None:
    engine = ScriptedEngine([Script(STORY)], gate=threading.Semaphore(5))
    window = start_chat(engine)
    window.ask("Tell me a story")

    def is_marked() -> bool:
        return any(row.endswith("generating") for row in window.sidebar.spoken)

    window.wait(is_marked)
    window.trigger("new-chat")
    assert is_marked()
    engine.gate.release(1000)  # type: ignore[union-attr]
    window.wait(lambda: not is_marked())


def test_a_search_over_all_chats_jumps_to_the_message(start_chat: StartChat) -> None:
    window = start_chat(ScriptedEngine([Script("초안 모델이 먼저 제안해요."), Script("Two.")]))
    for question in ("추측이 뭐예요?", "second"):
        window.trigger("new-chat")
        window.ask_and_wait(question)
    assert window.turns == [("second", "Two.")]
    window.sidebar.search.setText("초안")
    window.wait(lambda: window.sidebar.rows[0] == "Messages")
    window.sidebar.click_row(window.sidebar.model.index(1))
    window.wait(lambda: bool(window.turns) and window.turns[0][0] == "추측이 뭐예요?")
    window.wait(lambda: window.find_bar.isVisible())
    (prose,) = window.turn().blocks
    marks = prose.extraSelections()
    assert [mark.cursor.selectedText() for mark in marks] == ["초안"]


def test_deleting_a_chat_for_good_asks_in_place(start_chat: StartChat) -> None:
    window = start_chat(ScriptedEngine())
    sidebar, button = window.sidebar, window.sidebar.empty_button

    def fill(store: ConversationStore) -> None:
        for title in ("Taxes & <b>more</b>", "Letters"):
            store.conversations.trash(store.conversations.create(title=title))

    window.in_store(fill)
    sidebar.show_view("Trash")
    sidebar.select("Letters")
    sidebar.press(Qt.Key.Key_Delete)
    assert button.text() == "Delete permanently?\nLetters"
    # The question stays while other chats change.
    window.in_store(lambda store: store.conversations.create(title="another"))
    assert button.text() == "Delete permanently?\nLetters"
    QTest.keyClick(button, Qt.Key.Key_Escape)
    assert (button.text(), sidebar.list.hasFocus()) == ("Empty Trash", True)
    button.click()
    assert button.text() == "Delete permanently?\n2 chats"
    window.composer.setFocus()
    assert button.text() == "Empty Trash"
    sidebar.choose("Taxes & <b>more</b>", "Delete permanently")
    assert button.accessibleName() == "Delete permanently? Taxes & <b>more</b>"
    assert button.hasFocus()
    window.settle()
    assert len(window.titles) == 2
    QTest.keyClick(button, Qt.Key.Key_Return)
    window.wait(lambda: window.titles == ["Letters"])
    assert button.text() == "Empty Trash"
    sidebar.select("Letters")
    sidebar.press(Qt.Key.Key_Delete)
    QTest.keyClick(button, Qt.Key.Key_Space)
    window.wait(lambda: window.titles == [])


def test_what_was_found_is_chosen_with_the_keys(open_window: OpenWindow) -> None:
    window = two_chats(open_window)
    window.trigger("search-chats")
    search, rows = window.sidebar.search, window.sidebar.list
    QTest.keyClicks(search, "apples")
    window.settle()
    QTest.keyClick(search, Qt.Key.Key_Return)
    window.wait(lambda: window.turns == [("Apples", "One.")])
    search.setFocus()
    QTest.keyClick(search, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(search, "bananas")
    window.settle()
    QTest.keyClick(search, Qt.Key.Key_Down)
    assert rows.hasFocus()
    QTest.keyClick(rows, Qt.Key.Key_Return)
    window.wait(lambda: window.turns == [("Bananas", "One.")])
    search.setFocus()
    QTest.keyClick(search, Qt.Key.Key_Escape)
    assert search.text() == ""
    assert len(window.titles) == 2


def test_a_syllable_that_is_being_composed_is_looked_for(start_chat: StartChat) -> None:
    window = start_chat(ScriptedEngine([Script("초안 모델이 먼저 제안해요.")]))
    window.ask_and_wait("뭐예요?")
    search = window.sidebar.search
    window.compose("초", search)
    window.compose("안", search, commit="초")
    window.wait(lambda: window.sidebar.rows[0] == "Messages")
    assert search.words == "초안"
    window.compose("", search, commit="안")
    assert (search.text(), search.words) == ("초안", "초안")
    window.trigger("find-in-chat")
    window.compose("초", window.find_bar.edit)
    window.wait(lambda: window.found_text == "1 of 1")
    # What stands for a Chinese word until it is chosen is not looked for.
    window.compose("cao gao", search)
    assert search.words == "초안"
    window.compose("", search)


def test_days_are_those_of_the_time_zone_that_holds_now(
    start_chat: StartChat, qapp: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "UTC")
    window = start_chat(ScriptedEngine([Script("One.")]))
    window.ask_and_wait("first")
    chat = window.chat_id("first")
    # 2026-03-10 12:00 in UTC, and a chat of half past one in that night.
    monkeypatch.setattr("app.sidebar.list_model.time.time", lambda: 1_773_144_000.0)
    used_at = 1_773_144_000.0 - 10.5 * 3600
    window.in_store(
        lambda store: store.database.execute("UPDATE conversations SET updated_at = ? WHERE id = ?", (used_at, chat))
    )
    window.sidebar.show_view("Chats")
    window.settle()
    assert window.sidebar.rows[0] == "Today"
    monkeypatch.setenv("TZ", "PST8")
    qapp.applicationStateChanged.emit(Qt.ApplicationState.ApplicationActive)
    assert window.sidebar.rows[0] == "Yesterday"
    monkeypatch.undo()
    time.tzset()
