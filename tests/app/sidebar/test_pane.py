"""The list of chats: its actions, the trash, marks, and finding in one chat or in all."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtTest import QTest

from tests.app.chats_shown import change_store, settle, titles, turns, view
from tests.app.scripted_engine import Script, ScriptedEngine
from tests.app.window.test_main_window import STORY, ask, wait_for_end

if TYPE_CHECKING:
    import pytest
    from PySide6.QtWidgets import QWidget
    from pytestqt.qtbot import QtBot

    from app.window.main_window import MainWindow
    from tests.app.conftest import OpenWindow


def test_the_list_renames_pins_duplicates_and_archives(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine([Script("One.")]))
    for question in ("Apples", "Bananas"):
        window._actions["new-chat"].trigger()
        ask(window, question)
        wait_for_end(window, qtbot)
        settle(window, qtbot)
    assert titles(window) == ["Bananas", "Apples"]
    model = window._chats.model
    apples = next(chat.id for chat in window._session.list.chats if chat.title == "Apples")
    window._operations.pin(apples)
    qtbot.waitUntil(lambda: model.rows[0] == "pinned")
    assert model.data(model.index(1)) == "Apples"
    model.setData(model.index(1), "Pears")
    qtbot.waitUntil(lambda: "Pears" in titles(window))
    window._operations.duplicate(apples)
    qtbot.waitUntil(lambda: sorted(titles(window)) == ["Bananas", "Pears", "Pears 2"])
    window._operations.archive(apples)
    qtbot.waitUntil(lambda: len(titles(window)) == 2)
    window._chats.show_view("archived")
    qtbot.waitUntil(lambda: titles(window) == ["Pears"])


def test_pins_are_reordered_by_dragging(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine([Script("One.")]))
    session, model = window._session, window._chats.model

    def three(store):  # type: ignore[no-untyped-def]
        for title in ("a", "b", "c"):
            store.conversations.pin(store.conversations.create(title=title))

    change_store(session, three)
    qtbot.waitUntil(lambda: titles(window) == ["a", "b", "c"])
    data = model.mimeData([model.index(3)])
    model.dropMimeData(data, Qt.DropAction.MoveAction, 1, 0, model.index(-1))
    qtbot.waitUntil(lambda: titles(window) == ["c", "a", "b"])


def test_a_deleted_chat_comes_back_with_undo(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine([Script("One.")]))
    ask(window, "first")
    wait_for_end(window, qtbot)
    settle(window, qtbot)
    window._actions["delete-chat"].trigger()
    qtbot.waitUntil(lambda: window._banner.isVisible())
    assert "First" in window._banner.text
    assert turns(window) == []
    assert titles(window) == []
    window._banner._button.click()
    qtbot.waitUntil(lambda: turns(window) == [("first", "One.")])
    assert titles(window) == ["First"]
    assert not window._actions["restore-chat"].isEnabled()
    assert not window._banner.isVisible()


def test_a_chat_that_is_deleted_for_good_leaves_the_screen(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine([Script("One.")]))
    ask(window, "first")
    wait_for_end(window, qtbot)
    settle(window, qtbot)
    chat = window._session.chat.id
    assert chat is not None
    window._actions["delete-chat"].trigger()
    settle(window, qtbot)
    window._chats.show_view("trashed")
    qtbot.waitUntil(lambda: titles(window) == ["First"])
    window._chats._activated(window._chats.model.index(0))
    qtbot.waitUntil(lambda: turns(window) == [("first", "One.")])
    window._operations.purge(chat)
    qtbot.waitUntil(lambda: titles(window) == [])
    assert turns(window) == []
    assert not window._actions["restore-chat"].isEnabled()


def test_a_chat_that_streams_has_its_mark_in_the_list(open_window: OpenWindow, qtbot: QtBot) -> None:
    engine = ScriptedEngine([Script(STORY)], gate=threading.Semaphore(5))
    window = open_window(engine)
    ask(window, "Tell me a story")
    model = window._chats.model
    qtbot.waitUntil(lambda: bool(model._streaming))
    window._actions["new-chat"].trigger()
    assert model._streaming
    engine.gate.release(1000)  # type: ignore[union-attr]
    qtbot.waitUntil(lambda: not model._streaming)


def test_a_search_over_all_chats_jumps_to_the_message(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine([Script("초안 모델이 먼저 제안해요."), Script("Two.")]))
    for question in ("추측이 뭐예요?", "second"):
        window._actions["new-chat"].trigger()
        ask(window, question)
        wait_for_end(window, qtbot)
        settle(window, qtbot)
    assert turns(window) == [("second", "Two.")]
    window._chats.search.setText("초안")
    model = window._chats.model
    qtbot.waitUntil(lambda: model.rows[0] == "messages-found")
    window._chats._activated(model.index(1))
    qtbot.waitUntil(lambda: bool(turns(window)) and turns(window)[0][0] == "추측이 뭐예요?")
    qtbot.waitUntil(lambda: window._find.isVisible())
    (prose,) = view(window).body.text_views
    marks = prose.extraSelections()  # type: ignore[attr-defined]
    assert [mark.cursor.selectedText() for mark in marks] == ["초안"]


def test_find_in_a_chat_counts_and_steps(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine([Script("A draft."), Script("Nothing."), Script("Another draft 🙂 draft.")]))
    for question in ("one", "two", "three"):
        ask(window, question)
        wait_for_end(window, qtbot)
    window._actions["find-in-chat"].trigger()
    window._find.edit.setText("draft")
    assert window._find._count.text() == "3 of 3"
    (prose,) = view(window).body.text_views
    assert [mark.cursor.selectedText() for mark in prose.extraSelections()] == ["draft", "draft"]  # type: ignore[attr-defined]
    QTest.keyClick(window._find.edit, Qt.Key.Key_Return)
    assert window._find._count.text() == "2 of 3"
    QTest.keyClick(window._find.edit, Qt.Key.Key_Escape)
    assert not window._find.isVisible()
    assert window._composer.edit.hasFocus()
    assert prose.extraSelections() == []  # type: ignore[attr-defined]


def in_trash(window: MainWindow, qtbot: QtBot, *titled: str) -> list[int]:
    """Show the trash with chats of these titles; their ids."""
    chats: list[int] = []

    def fill(store):  # type: ignore[no-untyped-def]
        for title in titled:
            chats.append(store.conversations.create(title=title))
            store.conversations.trash(chats[-1])

    change_store(window._session, fill)
    window._chats.show_view("trashed")
    qtbot.waitUntil(lambda: sorted(titles(window)) == sorted(titled))
    window._chats.list.setFocus()
    return chats


def test_deleting_a_chat_for_good_asks_in_place(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine())
    pane, button = window._chats, window._chats.empty
    gone, stays = in_trash(window, qtbot, "Taxes & <b>more</b>", "Letters")
    pane.row_menu.purge_wanted.emit(gone)
    assert button.accessibleName() == "Delete permanently? Taxes & <b>more</b>"
    assert button.hasFocus()
    settle(window, qtbot)
    assert len(titles(window)) == 2
    QTest.keyClick(button, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: titles(window) == ["Letters"])
    assert button.text() == "Empty the trash"
    assert window._session.list.chats[0].id == stays


def test_a_question_about_the_trash_is_taken_back(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine())
    pane, button = window._chats, window._chats.empty
    (chat,) = in_trash(window, qtbot, "Letters")
    pane.row_menu.purge_wanted.emit(chat)
    QTest.keyClick(button, Qt.Key.Key_Escape)
    assert (button.text(), pane.list.hasFocus()) == ("Empty the trash", True)
    button.click()
    assert button.text() == "Delete permanently?\n1 chat"
    window._composer.setFocus()
    assert button.text() == "Empty the trash"
    settle(window, qtbot)
    assert titles(window) == ["Letters"]


def test_the_delete_key_asks_in_the_trash(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine())
    (chat,) = in_trash(window, qtbot, "Letters")
    window._chats.list.setCurrentIndex(window._chats.model.row_of(chat))
    QTest.keyClick(window._chats.list, Qt.Key.Key_Delete)
    assert window._chats.empty.text() == "Delete permanently?\nLetters"
    QTest.keyClick(window._chats.empty, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: titles(window) == [])


def test_a_question_stays_while_other_chats_change(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine())
    (chat,) = in_trash(window, qtbot, "Letters")
    window._chats.row_menu.purge_wanted.emit(chat)
    change_store(window._session, lambda store: store.conversations.create(title="another"))
    settle(window, qtbot)
    assert window._chats.empty.text() == "Delete permanently?\nLetters"


def test_a_chat_of_the_trash_comes_out_when_it_goes_on(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine([Script("One.")]))
    ask(window, "first")
    wait_for_end(window, qtbot)
    settle(window, qtbot)
    chat = window._session.chat.id
    window._actions["delete-chat"].trigger()
    settle(window, qtbot)
    window._session.chats.open_id(chat)  # type: ignore[arg-type]
    settle(window, qtbot)
    assert titles(window) == []
    ask(window, "second")
    wait_for_end(window, qtbot)
    qtbot.waitUntil(lambda: titles(window) == ["First"])
    assert not window._actions["restore-chat"].isEnabled()


def two_chats(window: MainWindow, qtbot: QtBot) -> None:
    for question in ("Apples", "Bananas"):
        window._actions["new-chat"].trigger()
        ask(window, question)
        wait_for_end(window, qtbot)
        settle(window, qtbot)


def test_what_was_found_is_chosen_with_the_keys(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine([Script("One.")]))
    two_chats(window, qtbot)
    window._actions["search-chats"].trigger()
    search, rows = window._chats.search, window._chats.list
    QTest.keyClicks(search, "apples")
    settle(window, qtbot)
    QTest.keyClick(search, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: turns(window) == [("Apples", "One.")])
    search.setFocus()
    QTest.keyClick(search, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(search, "bananas")
    settle(window, qtbot)
    QTest.keyClick(search, Qt.Key.Key_Down)
    assert rows.hasFocus()
    QTest.keyClick(rows, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: turns(window) == [("Bananas", "One.")])
    search.setFocus()
    QTest.keyClick(search, Qt.Key.Key_Escape)
    assert search.text() == ""
    assert len(titles(window)) == 2


def compose(field: QWidget, preedit: str, commit: str = "") -> None:
    event = QInputMethodEvent(preedit, [])
    event.setCommitString(commit)
    QCoreApplication.sendEvent(field, event)


def test_a_syllable_that_is_being_composed_is_looked_for(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine([Script("초안 모델이 먼저 제안해요.")]))
    ask(window, "뭐예요?")
    wait_for_end(window, qtbot)
    settle(window, qtbot)
    search, model = window._chats.search, window._chats.model
    compose(search, "초")
    compose(search, "안", "초")
    qtbot.waitUntil(lambda: model.rows[0] == "messages-found")
    assert search.words == "초안"
    compose(search, "", "안")
    assert (search.text(), search.words) == ("초안", "초안")
    window._actions["find-in-chat"].trigger()
    compose(window._find.edit, "초")
    assert window._find._count.text() == "1 of 1"
    # What stands for a Chinese word until it is chosen is not looked for.
    compose(search, "cao gao")
    assert search.words == "초안"
    compose(search, "")


def test_days_are_counted_anew_when_the_person_comes_back(
    open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_window(ScriptedEngine([Script("One.")]))
    ask(window, "first")
    wait_for_end(window, qtbot)
    settle(window, qtbot)
    assert window._chats.model.rows[0] == "today"
    tomorrow = time.time() + 86_400
    monkeypatch.setattr("app.sidebar.list_model.time.time", lambda: tomorrow)
    window._application.applicationStateChanged.emit(Qt.ApplicationState.ApplicationActive)
    assert window._chats.model.rows[0] == "yesterday"


def test_days_are_those_of_the_time_zone_that_holds_now(
    open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "UTC")
    window = open_window(ScriptedEngine([Script("One.")]))
    ask(window, "first")
    wait_for_end(window, qtbot)
    settle(window, qtbot)
    chat = window._session.list.chats[0].id
    # 2026-03-10 12:00 in UTC, and a chat of half past one in that night.
    monkeypatch.setattr("app.sidebar.list_model.time.time", lambda: 1_773_144_000.0)
    used_at = 1_773_144_000.0 - 10.5 * 3600
    change_store(
        window._session,
        lambda store: store.database.execute("UPDATE conversations SET updated_at = ? WHERE id = ?", (used_at, chat)),
    )
    window._chats.show_view("active")
    settle(window, qtbot)
    assert window._chats.model.rows[0] == "today"
    monkeypatch.setenv("TZ", "PST8")
    window._application.applicationStateChanged.emit(Qt.ApplicationState.ApplicationActive)
    assert window._chats.model.rows[0] == "yesterday"
    monkeypatch.undo()
    time.tzset()
