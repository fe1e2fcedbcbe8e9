"""Folders of the list: made, filled by menu and by dragging, closed, shown alone, renamed, deleted; and the trash."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest

from app.conversations.records import Conversation, Folder
from app.sidebar.list_model import COUNT, FOLDERS, INSIDE
from tests.app.chats_shown import change_store, settle, titles
from tests.app.scripted_engine import Script, ScriptedEngine

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from app.conversations.store import ConversationStore
    from app.window.main_window import MainWindow
    from tests.app.conftest import OpenWindow


@pytest.fixture
def window(open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> MainWindow:
    """Chats a, b and c; a is in the folder Work. It stays the day on which they were made, even at midnight."""
    made = time.time()
    clock = SimpleNamespace(time=lambda: made, localtime=time.localtime, tzset=time.tzset)
    monkeypatch.setattr("app.sidebar.list_model.time", clock)
    window = open_window(ScriptedEngine([Script("One.")]))

    def fill(store: ConversationStore) -> None:
        chats = [store.conversations.create(title=title) for title in ("a", "b", "c")]
        store.conversations.move_to_folder(chats[0], store.conversations.create_folder("Work"))

    change_store(window._session, fill)
    settle(window, qtbot)
    return window


def rows(window: MainWindow) -> list[str]:
    """The list as it reads: headings, folders in brackets, chats in a folder with a dash."""
    model, found = window._chats.model, []
    for place, row in enumerate(model.rows):
        if isinstance(row, Folder):
            found.append(f"[{row.name}]")
        elif isinstance(row, Conversation):
            found.append(("-" if model.index(place).data(INSIDE) else "") + row.title)
        else:
            found.append(str(row))
    return found


def chat(window: MainWindow, title: str) -> int:
    return next(chat.id for chat in window._session.list.chats if chat.title == title)


def drag(window: MainWindow, title: str, onto: str) -> None:
    model = window._chats.model
    data = model.mimeData([model.row_of(chat(window, title))])
    model.dropMimeData(data, Qt.DropAction.MoveAction, -1, -1, model.index(rows(window).index(onto)))


def test_a_chat_stands_below_its_folder(window: MainWindow) -> None:
    assert rows(window) == [FOLDERS, "[Work]", "-a", "today", "c", "b"]
    assert window._chats.model.index(1).data(COUNT) == 1


def test_a_chat_moves_by_its_menu(window: MainWindow, qtbot: QtBot) -> None:
    pane = window._chats
    pane.fill_menu(next(row for row in window._session.list.chats if row.title == "b"))
    folders = next(action.menu() for action in pane.row_menu.actions() if action.text() == "Move to folder")
    next(action for action in folders.actions() if action.text() == "Work").trigger()
    settle(window, qtbot)
    assert rows(window) == [FOLDERS, "[Work]", "-b", "-a", "today", "c"]


def test_a_new_folder_takes_the_chat_and_wants_a_name(window: MainWindow, qtbot: QtBot) -> None:
    window._operations.move_to_new_folder(chat(window, "c"))
    settle(window, qtbot)
    assert rows(window) == [FOLDERS, "[Work]", "-a", "[New folder]", "-c", "today", "b"]
    qtbot.waitUntil(lambda: window._chats.list.state() == window._chats.list.State.EditingState)
    model = window._chats.model
    model.setData(model.index(3), "Home")
    settle(window, qtbot)
    assert [folder.name for folder in window._session.list.folders] == ["Work", "Home"]


def test_dragging_puts_chats_into_folders_and_takes_them_out(window: MainWindow, qtbot: QtBot) -> None:
    drag(window, "b", "[Work]")
    settle(window, qtbot)
    assert rows(window) == [FOLDERS, "[Work]", "-b", "-a", "today", "c"]
    drag(window, "a", "c")
    settle(window, qtbot)
    assert rows(window) == [FOLDERS, "[Work]", "-b", "today", "c", "a"]
    drag(window, "c", "-b")
    settle(window, qtbot)
    assert rows(window) == [FOLDERS, "[Work]", "-c", "-b", "today", "a"]


def test_dragging_among_the_pins_pins_a_chat_and_into_a_folder_unpins_it(window: MainWindow, qtbot: QtBot) -> None:
    window._operations.pin(chat(window, "b"))
    settle(window, qtbot)
    drag(window, "c", "b")
    settle(window, qtbot)
    assert rows(window) == ["pinned", "c", "b", FOLDERS, "[Work]", "-a"]
    drag(window, "b", "[Work]")
    settle(window, qtbot)
    assert rows(window) == ["pinned", "c", FOLDERS, "[Work]", "-b", "-a"]


def test_the_keyboard_closes_and_opens_a_folder_and_it_stays_so(
    window: MainWindow, qtbot: QtBot, open_window: OpenWindow
) -> None:
    pane = window._chats
    pane.list.setFocus()
    pane.list.setCurrentIndex(pane.model.index(1))
    QTest.keyClick(pane.list, Qt.Key.Key_Left)
    settle(window, qtbot)
    assert rows(window) == [FOLDERS, "[Work]", "today", "c", "b"]
    window.close()
    window = open_window(ScriptedEngine())
    settle(window, qtbot)
    assert rows(window) == [FOLDERS, "[Work]", "today", "c", "b"]
    window._chats.list.activated.emit(window._chats.model.index(1))
    settle(window, qtbot)
    assert "-a" in rows(window)


def test_one_folder_is_shown_alone(window: MainWindow, qtbot: QtBot) -> None:
    pane = window._chats
    pane._fill_views()
    next(action for action in pane._views_menu.actions() if action.text() == "Work").trigger()
    settle(window, qtbot)
    assert rows(window) == ["today", "a"]
    assert pane._back.isVisible()
    assert pane._back.text() == "Work"
    pane._back.click()
    settle(window, qtbot)
    assert rows(window)[0] == FOLDERS


def folders(window: MainWindow) -> list[str]:
    return [row for row in rows(window) if row.startswith("[")]


@pytest.fixture
def three(window: MainWindow, qtbot: QtBot) -> MainWindow:
    """The folders Work, Home and Travel, in this order."""

    def fill(store: ConversationStore) -> None:
        for name in ("Home", "Travel"):
            store.conversations.create_folder(name)

    change_store(window._session, fill)
    settle(window, qtbot)
    return window


def drag_folder(window: MainWindow, name: str, onto: str = "", between: int = -1) -> None:
    model = window._chats.model
    place = rows(window).index(f"[{name}]")
    assert model.flags(model.index(place)) & Qt.ItemFlag.ItemIsDragEnabled
    target = model.index(rows(window).index(onto)) if onto else QModelIndex()
    model.dropMimeData(model.mimeData([model.index(place)]), Qt.DropAction.MoveAction, between, 0, target)


def test_dragging_a_folder_puts_it_in_another_place_for_good(
    three: MainWindow, qtbot: QtBot, open_window: OpenWindow
) -> None:
    assert folders(three) == ["[Work]", "[Home]", "[Travel]"]
    drag_folder(three, "Travel", onto="[Work]")
    settle(three, qtbot)
    assert folders(three) == ["[Travel]", "[Work]", "[Home]"]
    drag_folder(three, "Travel", onto="-a")
    settle(three, qtbot)
    assert folders(three) == ["[Work]", "[Travel]", "[Home]"]
    drag_folder(three, "Work", between=rows(three).index("[Home]"))
    settle(three, qtbot)
    assert folders(three) == ["[Travel]", "[Work]", "[Home]"]
    drag_folder(three, "Travel")
    settle(three, qtbot)
    assert folders(three) == ["[Work]", "[Home]", "[Travel]"]
    drag_folder(three, "Home", between=0)
    settle(three, qtbot)
    three.close()
    window = open_window(ScriptedEngine())
    settle(window, qtbot)
    assert folders(window) == ["[Home]", "[Work]", "[Travel]"]
    assert "-a" in rows(window)


def test_the_keys_move_a_folder_and_stay_on_it(three: MainWindow, qtbot: QtBot) -> None:
    pane = three._chats
    pane.list.setFocus()
    pane.list.setCurrentIndex(pane.model.index(1))
    for expected in (
        ["[Home]", "[Work]", "[Travel]"],
        ["[Home]", "[Travel]", "[Work]"],
        ["[Home]", "[Travel]", "[Work]"],
    ):
        QTest.keyClick(pane.list, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
        settle(three, qtbot)
        assert folders(three) == expected
        assert pane.list.currentIndex().data() == "Work"
    QTest.keyClick(pane.list, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    settle(three, qtbot)
    assert folders(three) == ["[Home]", "[Work]", "[Travel]"]


def test_a_folder_s_menu_moves_it_where_there_is_room(three: MainWindow, qtbot: QtBot) -> None:
    pane = three._chats
    known = three._session.list.folders
    pane.row_menu.fill_for_folder(known[0], known)
    entries = {action.text(): action for action in pane.row_menu.actions()}
    assert not entries["Move up"].isEnabled()
    entries["Move down"].trigger()
    settle(three, qtbot)
    assert folders(three) == ["[Home]", "[Work]", "[Travel]"]


def test_a_deleted_folder_leaves_its_chats(window: MainWindow, qtbot: QtBot) -> None:
    window._operations.delete_folder(window._session.list.folders[0].id)
    settle(window, qtbot)
    assert rows(window) == ["today", "c", "b", "a"]


def test_a_chat_comes_back_into_its_folder_from_the_trash(window: MainWindow, qtbot: QtBot) -> None:
    window._session.chats.trash(chat(window, "a"))
    settle(window, qtbot)
    assert "-a" not in rows(window)
    window._actions["restore-chat"].trigger()
    settle(window, qtbot)
    assert "-a" in rows(window)


def test_the_trash_is_emptied_by_a_second_press_only(window: MainWindow, qtbot: QtBot) -> None:
    pane = window._chats
    assert pane.empty.isHidden()
    for title in ("a", "b"):
        window._session.chats.trash(chat(window, title))
    settle(window, qtbot)
    pane.show_view("trashed")
    settle(window, qtbot)
    pane.empty.click()
    settle(window, qtbot)
    assert titles(window) == ["b", "a"]
    assert pane.empty.text() == "Delete permanently?\n2 chats"
    pane.empty.click()
    settle(window, qtbot)
    assert titles(window) == []
    assert not window._actions["restore-chat"].isEnabled()
    assert pane.empty.isHidden()


def test_bringing_back_a_chat_does_not_take_a_key_of_the_message_box(window: MainWindow) -> None:
    keys = window._actions["restore-chat"].shortcut()
    taken = [
        QKeySequence("Ctrl+Z"),
        *QKeySequence.keyBindings(QKeySequence.StandardKey.Redo),
        QKeySequence("Ctrl+Shift+Z"),
    ]
    assert keys not in taken
