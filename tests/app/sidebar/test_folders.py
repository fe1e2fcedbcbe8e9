"""Folders of the list (created, filled, closed, shown alone, renamed, moved, deleted), and the trash."""

from __future__ import annotations

import time
from types import SimpleNamespace

import pytest
from PySide6.QtCore import Qt

from app.conversations.store import ConversationStore
from app.sidebar.list_model import COUNT
from tests.app.conftest import OpenWindow
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script
from tests.app.window_driver import WindowDriver
from tests.app.window_parts import entry


@pytest.fixture
def window(open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch) -> WindowDriver:
    """A window with the chats a, b and c; a is in the folder Work. The day does not change, even at midnight."""
    made = time.time()
    clock = SimpleNamespace(time=lambda: made, localtime=time.localtime, tzset=time.tzset)
    monkeypatch.setattr("app.sidebar.list_model.time", clock)
    window = open_window(ScriptedEngine([Script("One.")]))

    def fill(store: ConversationStore) -> None:
        chats = [store.conversations.create(title=title) for title in ("a", "b", "c")]
        store.conversations.move_to_folder(chats[0], store.conversations.create_folder("Work"))

    window.in_store(fill)
    return window


def test_a_chat_stands_below_its_folder_and_moves_by_its_menu_and_by_dragging(window: WindowDriver) -> None:
    sidebar = window.sidebar
    assert sidebar.rows == ["Folders", "[Work]", "-a", "Today", "c", "b"]
    assert sidebar.model.index(1).data(COUNT) == 1
    sidebar.choose("b", "Move to folder", "Work")
    assert sidebar.rows == ["Folders", "[Work]", "-b", "-a", "Today", "c"]
    sidebar.drag("-a", "c")
    assert sidebar.rows == ["Folders", "[Work]", "-b", "Today", "c", "a"]
    sidebar.drag("c", "-b")
    assert sidebar.rows == ["Folders", "[Work]", "-c", "-b", "Today", "a"]
    sidebar.drag("a", "[Work]")
    assert sidebar.rows == ["Folders", "[Work]", "-c", "-b", "-a"]


def test_a_new_folder_takes_the_chat_and_wants_a_name(window: WindowDriver) -> None:
    window.sidebar.choose("c", "Move to folder", "New folder…")
    assert window.sidebar.rows == ["Folders", "[Work]", "-a", "[New folder]", "-c", "Today", "b"]
    window.wait(lambda: window.sidebar.list.state() == window.sidebar.list.State.EditingState)
    window.sidebar.rename("New folder", "Home")
    assert window.in_store(lambda store: [folder.name for folder in store.conversations.folders()]) == ["Work", "Home"]


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
    window.sidebar.click_mark("Work")
    window.settle()
    assert "-a" in window.sidebar.rows


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


def test_keys_and_menu_move_a_folder_and_the_list_stays_on_it(three: WindowDriver) -> None:
    sidebar, down, up = three.sidebar, Qt.Key.Key_Down, Qt.Key.Key_Up
    assert not entry(sidebar.menu("Work"), "Move up").isEnabled()
    sidebar.select("Work")
    for key, expected in (
        (down, ["[Home]", "[Work]", "[Travel]"]),
        (down, ["[Home]", "[Travel]", "[Work]"]),
        (down, ["[Home]", "[Travel]", "[Work]"]),
        (up, ["[Home]", "[Work]", "[Travel]"]),
    ):
        sidebar.press(key, Qt.KeyboardModifier.AltModifier)
        three.settle()
        assert folders(three) == expected
        assert sidebar.current == "Work"
    sidebar.choose("Work", "Move down")
    assert folders(three) == ["[Home]", "[Travel]", "[Work]"]


def test_a_chat_comes_back_into_its_folder_from_the_trash_and_a_deleted_folder_leaves_its_chats(
    window: WindowDriver,
) -> None:
    window.sidebar.choose("a", "Delete")
    assert "-a" not in window.sidebar.rows
    window.trigger("restore-chat")
    window.settle()
    assert "-a" in window.sidebar.rows
    window.sidebar.choose("Work", "Delete the folder, keep its chats")
    assert window.sidebar.rows == ["Today", "c", "b", "a"]
