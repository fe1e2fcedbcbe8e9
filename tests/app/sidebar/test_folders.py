"""Folders of the list: made, filled by menu and by dragging, closed, shown alone, renamed, deleted; and the trash."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence

from app.sidebar.list_model import COUNT
from tests.app.scripted_engine import Script, ScriptedEngine
from tests.app.window_parts import entry

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from app.conversations.store import ConversationStore
    from tests.app.conftest import OpenWindow
    from tests.app.window_driver import WindowDriver


@pytest.fixture
def window(open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch) -> WindowDriver:
    """Chats a, b and c; a is in the folder Work. It stays the day on which they were made, even at midnight."""
    made = time.time()
    clock = SimpleNamespace(time=lambda: made, localtime=time.localtime, tzset=time.tzset)
    monkeypatch.setattr("app.sidebar.list_model.time", clock)
    window = open_window(ScriptedEngine([Script("One.")]))

    def fill(store: ConversationStore) -> None:
        chats = [store.conversations.create(title=title) for title in ("a", "b", "c")]
        store.conversations.move_to_folder(chats[0], store.conversations.create_folder("Work"))

    window.in_store(fill)
    return window


def test_a_chat_stands_below_its_folder(window: WindowDriver) -> None:
    assert window.sidebar.rows == ["Folders", "[Work]", "-a", "Today", "c", "b"]
    assert window.sidebar.model.index(1).data(COUNT) == 1


def test_a_chat_moves_by_its_menu(window: WindowDriver) -> None:
    window.sidebar.choose("b", "Move to folder", "Work")
    assert window.sidebar.rows == ["Folders", "[Work]", "-b", "-a", "Today", "c"]


def test_a_new_folder_takes_the_chat_and_wants_a_name(window: WindowDriver, qtbot: QtBot) -> None:
    window.sidebar.choose("c", "Move to folder", "New folder…")
    assert window.sidebar.rows == ["Folders", "[Work]", "-a", "[New folder]", "-c", "Today", "b"]
    qtbot.waitUntil(lambda: window.sidebar.list.state() == window.sidebar.list.State.EditingState)
    window.sidebar.rename("New folder", "Home")
    assert window.in_store(lambda store: [folder.name for folder in store.conversations.folders()]) == ["Work", "Home"]


def test_dragging_puts_chats_into_folders_and_takes_them_out(window: WindowDriver) -> None:
    window.sidebar.drag("b", "[Work]")
    assert window.sidebar.rows == ["Folders", "[Work]", "-b", "-a", "Today", "c"]
    window.sidebar.drag("-a", "c")
    assert window.sidebar.rows == ["Folders", "[Work]", "-b", "Today", "c", "a"]
    window.sidebar.drag("c", "-b")
    assert window.sidebar.rows == ["Folders", "[Work]", "-c", "-b", "Today", "a"]


def test_dragging_among_the_pins_pins_a_chat_and_into_a_folder_unpins_it(window: WindowDriver) -> None:
    window.sidebar.choose("b", "Pin to the top")
    window.sidebar.drag("c", "b")
    assert window.sidebar.rows == ["Pinned", "c", "b", "Folders", "[Work]", "-a"]
    window.sidebar.drag("b", "[Work]")
    assert window.sidebar.rows == ["Pinned", "c", "Folders", "[Work]", "-b", "-a"]


def test_the_keyboard_closes_and_opens_a_folder_and_it_stays_so(window: WindowDriver, open_window: OpenWindow) -> None:
    window.sidebar.select("Work")
    window.sidebar.press(Qt.Key.Key_Left)
    window.settle()
    assert window.sidebar.rows == ["Folders", "[Work]", "Today", "c", "b"]
    window.close()
    window = open_window(ScriptedEngine())
    window.settle()
    assert window.sidebar.rows == ["Folders", "[Work]", "Today", "c", "b"]
    window.sidebar.click("Work")
    window.settle()
    assert "-a" in window.sidebar.rows


def test_one_folder_is_shown_alone(window: WindowDriver) -> None:
    window.sidebar.show_view("Work")
    assert window.sidebar.rows == ["Today", "a"]
    back = window.sidebar.back_button
    assert back.isVisible()
    assert back.text() == "Work"
    back.click()
    window.settle()
    assert window.sidebar.rows[0] == "Folders"


def folders(window: WindowDriver) -> list[str]:
    return [row for row in window.sidebar.rows if row.startswith("[")]


@pytest.fixture
def three(window: WindowDriver) -> WindowDriver:
    """The folders Work, Home and Travel, in this order."""

    def fill(store: ConversationStore) -> None:
        for name in ("Home", "Travel"):
            store.conversations.create_folder(name)

    window.in_store(fill)
    return window


def test_dragging_a_folder_puts_it_in_another_place_for_good(three: WindowDriver, open_window: OpenWindow) -> None:
    assert folders(three) == ["[Work]", "[Home]", "[Travel]"]
    three.sidebar.drag("[Travel]", "[Work]")
    assert folders(three) == ["[Travel]", "[Work]", "[Home]"]
    three.sidebar.drag("[Travel]", "-a")
    assert folders(three) == ["[Work]", "[Travel]", "[Home]"]
    three.sidebar.drag_between("[Work]", above=three.sidebar.rows.index("[Home]"))
    assert folders(three) == ["[Travel]", "[Work]", "[Home]"]
    three.sidebar.drag_between("[Travel]", above=-1)
    assert folders(three) == ["[Work]", "[Home]", "[Travel]"]
    three.sidebar.drag_between("[Home]", above=0)
    three.close()
    window = open_window(ScriptedEngine())
    window.settle()
    assert folders(window) == ["[Home]", "[Work]", "[Travel]"]
    assert "-a" in window.sidebar.rows


def test_the_keys_move_a_folder_and_stay_on_it(three: WindowDriver) -> None:
    sidebar = three.sidebar
    sidebar.select("Work")
    for expected in (
        ["[Home]", "[Work]", "[Travel]"],
        ["[Home]", "[Travel]", "[Work]"],
        ["[Home]", "[Travel]", "[Work]"],
    ):
        sidebar.press(Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
        three.settle()
        assert folders(three) == expected
        assert sidebar.current == "Work"
    sidebar.press(Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    three.settle()
    assert folders(three) == ["[Home]", "[Work]", "[Travel]"]


def test_a_folder_s_menu_moves_it_where_there_is_room(three: WindowDriver) -> None:
    assert not entry(three.sidebar.menu("Work"), "Move up").isEnabled()
    three.sidebar.choose("Work", "Move down")
    assert folders(three) == ["[Home]", "[Work]", "[Travel]"]


def test_a_deleted_folder_leaves_its_chats(window: WindowDriver) -> None:
    window.sidebar.choose("Work", "Delete the folder, keep its chats")
    assert window.sidebar.rows == ["Today", "c", "b", "a"]


def test_a_chat_comes_back_into_its_folder_from_the_trash(window: WindowDriver) -> None:
    window.sidebar.choose("a", "Delete")
    assert "-a" not in window.sidebar.rows
    window.trigger("restore-chat")
    window.settle()
    assert "-a" in window.sidebar.rows


def test_the_trash_is_emptied_by_a_second_press_only(window: WindowDriver) -> None:
    button = window.sidebar.empty_button
    assert button.isHidden()
    for title in ("a", "b"):
        window.sidebar.choose(title, "Delete")
    window.sidebar.show_view("Trash")
    button.click()
    window.settle()
    assert window.titles == ["b", "a"]
    assert button.text() == "Delete permanently?\n2 chats"
    button.click()
    window.settle()
    assert window.titles == []
    assert not window.is_enabled("restore-chat")
    assert button.isHidden()


def test_bringing_back_a_chat_does_not_take_a_key_of_the_message_box(window: WindowDriver) -> None:
    keys = window.action("restore-chat").shortcut()
    taken = [
        QKeySequence("Ctrl+Z"),
        *QKeySequence.keyBindings(QKeySequence.StandardKey.Redo),
        QKeySequence("Ctrl+Shift+Z"),
    ]
    assert keys not in taken
