"""The list of chats follows changes without a reset, and visible rows keep their position."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QEnterEvent
from PySide6.QtTest import QAbstractItemModelTester

from app.conversations.database.records import NewMessage
from app.conversations.store import ConversationStore
from app.sidebar.list_model import ROW, SENT
from app.window.panes import PaneHandle
from tests.app.conftest import OpenWindow
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script
from tests.app.window_driver import WindowDriver

CHATS = 120


@pytest.fixture
def window(open_window: OpenWindow) -> WindowDriver:
    """A window with CHATS chats, one a minute, the newest first."""
    window = open_window(ScriptedEngine([Script("An answer.")]))
    now = time.time()

    def fill(store: ConversationStore) -> None:
        with store.database.write():
            for number in range(CHATS):
                chat = store.conversations.create(title=f"Chat {number}")
                used = (now - 60 * (number + 1), chat)
                store.database.execute("UPDATE conversations SET updated_at = ? WHERE id = ?", used)

    window.in_store(fill)
    return window


@pytest.fixture
def resets(window: WindowDriver) -> Iterator[list[str]]:
    """Records resets of the model, whose signals Qt's model tester checks meanwhile."""
    seen: list[str] = []
    model = window.sidebar.model
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    model.modelReset.connect(lambda: seen.append("reset"))
    yield seen
    tester.deleteLater()


def shown(window: WindowDriver) -> list[str]:
    return [row.title for row in window.sidebar.model.rows if not isinstance(row, str)]  # type: ignore[union-attr]


def tops(window: WindowDriver) -> dict[str, int]:
    """Return the visible titles, each with its top."""
    view, model = window.sidebar.list, window.sidebar.model
    seen = {}
    for number in range(model.rowCount()):
        index = model.index(number)
        if view.viewport().rect().intersects(view.visualRect(index)):
            seen[index.data()] = view.visualRect(index).top()
    return seen


def test_the_tooltip_of_a_chat_is_its_title_with_the_time_of_its_last_use(window: WindowDriver) -> None:
    seven, eight = (window.sidebar.index(title).data(Qt.ItemDataRole.ToolTipRole) for title in ("Chat 7", "Chat 8"))
    assert seven.startswith("Chat 7\n")
    assert seven.partition("\n")[2] != eight.partition("\n")[2]


def test_opening_a_chat_changes_no_row_and_using_it_moves_it_up_while_the_rows_in_sight_stay(
    window: WindowDriver, resets: list[str]
) -> None:
    changed: list[object] = []
    window.sidebar.model.dataChanged.connect(lambda *rows: changed.append(rows))
    before = shown(window)
    for title in ("Chat 7", "Chat 100"):
        window.open_chat(title)
        assert window.sidebar.current == title
    assert shown(window) == before
    assert not changed
    bar = window.sidebar.list.verticalScrollBar()
    bar.setValue(bar.maximum() // 2)
    in_sight = tops(window)
    assert "Chat 100" not in in_sight
    window.ask_and_wait("Once more?")
    assert shown(window)[0] == "Chat 100"
    assert window.sidebar.current == "Chat 100"
    assert tops(window) == in_sight
    assert not resets


def test_renaming_pinning_and_deleting_move_rows_only(window: WindowDriver, resets: list[str]) -> None:
    sidebar = window.sidebar
    sidebar.rename("Chat 3", "Another name")
    assert shown(window)[3] == "Another name"
    sidebar.choose("Chat 50", "Pin to the top")
    assert sidebar.rows[0] == "Pinned"
    assert shown(window)[0] == "Chat 50"
    sidebar.choose("Chat 50", "Unpin")
    assert "Pinned" not in sidebar.rows
    sidebar.choose("Chat 4", "Delete")
    assert shown(window) == ["Chat 0", "Chat 1", "Chat 2", "Another name"] + [f"Chat {n}" for n in range(5, CHATS)]
    assert not resets


def test_a_search_in_between_is_another_list_and_another_day_arranges_it_anew(
    window: WindowDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.sidebar.search.setText("Chat 11")
    window.wait(lambda: window.sidebar.rows[0] == "Chats")
    window.sidebar.search.clear()
    assert shown(window) == [f"Chat {number}" for number in range(CHATS)]
    first = window.sidebar.list.indexAt(QPoint(5, 40))
    assert first.data(ROW).title == "Chat 0"
    assert first.flags() & Qt.ItemFlag.ItemIsDragEnabled
    # The chats are of yesterday if these tests run across midnight.
    heading = window.sidebar.rows[0]
    assert heading in {"Today", "Yesterday"}
    tomorrow = time.time() + 86_400
    monkeypatch.setattr("app.sidebar.list_model.time.time", lambda: tomorrow)
    window.sidebar.rename("Chat 0", "Another name")
    assert heading not in window.sidebar.rows


def enter(window: WindowDriver) -> None:
    """Let the pointer enter the list."""
    at = QPointF(20, 100)
    QCoreApplication.sendEvent(window.sidebar.list, QEnterEvent(at, at, at))


def test_the_order_stays_under_the_pointer_until_it_leaves(window: WindowDriver, resets: list[str]) -> None:
    del resets
    before = shown(window)
    window.open_chat("Chat 7")
    enter(window)
    window.ask_and_wait("Once more?")
    window.sidebar.rename("Chat 9", "Renamed")
    assert shown(window) == ["Renamed" if title == "Chat 9" else title for title in before]
    QCoreApplication.sendEvent(window.sidebar.list, QEvent(QEvent.Type.Leave))
    assert shown(window)[:2] == ["Chat 7", "Chat 0"]


@pytest.mark.parametrize("change", ["pin", "trash", "new"])
def test_what_the_person_changes_is_seen_under_the_pointer(
    window: WindowDriver, resets: list[str], change: str
) -> None:
    del resets
    window.open_chat("Chat 7")
    enter(window)
    if change == "pin":
        window.sidebar.choose("Chat 50", "Pin to the top")
        assert shown(window)[0] == "Chat 50"
    elif change == "trash":
        window.sidebar.choose("Chat 7", "Delete")
        assert "Chat 7" not in shown(window)
    else:
        window.trigger("new-chat")
        window.ask_and_wait("A new one?")
        window.wait(lambda: len(shown(window)) == CHATS + 1)


def test_a_scroll_bar_leaves_titles_their_width(window: WindowDriver) -> None:
    view = window.sidebar.list
    first = view.model().index(1, 0)
    view.setFixedHeight(400)
    window.wait(lambda: view.verticalScrollBar().isVisible())
    width = view.visualRect(first).width()
    bar = view.verticalScrollBar()
    pane = view.parentWidget()
    assert pane is not None
    [handle] = pane.findChildren(PaneHandle)
    right = bar.mapTo(pane, bar.rect().topRight()).x()
    view.setFixedHeight(10_000)
    window.wait(lambda: not bar.isVisible())
    assert view.visualRect(first).width() == width
    # It can be dragged as the edge of the pane can.
    assert right < handle.x()


def test_found_messages_of_a_chat_stand_together_below_its_title_with_their_times(window: WindowDriver) -> None:
    now = time.time()

    def fill(store: ConversationStore) -> None:
        first, second = (store.conversations.create(title=f"Of apples {number}") for number in (1, 2))
        # The newest comes first, with the others of its chat.
        for chat, ago in ((first, 400 * 24 * 3600), (second, 60), (first, 0)):
            store.messages.add(chat, None, NewMessage("user", "pears", created_at=now - ago))

    window.in_store(fill)
    window.sidebar.search.setText("pears")
    window.wait(lambda: window.sidebar.rows[:1] == ["Messages"])
    rows = [window.sidebar.model.index(number) for number in (1, 2, 3)]
    assert [row.data() for row in rows] == ["Of apples 1", "Of apples 1", "Of apples 2"]
    heights = [window.sidebar.list.visualRect(row).height() for row in rows]
    # The second one's title is that above it.
    assert heights[0] == heights[2] > heights[1]
    # A time of today, the date of another day.
    assert [":" in row.data(SENT) for row in rows] == [True, False, True]
    assert rows[1].data(Qt.ItemDataRole.AccessibleTextRole) == f"Of apples 1, {rows[1].data(SENT)}: pears"
