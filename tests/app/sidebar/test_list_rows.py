"""The list of chats follows what changes in it: nothing is filled anew, and what is in sight stays there."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QSize, Qt
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QStyleOptionViewItem

from app.conversations.conversation_list import ACTIVE
from app.sidebar.list_model import ROW, STREAMS, ChatListModel
from app.sidebar.row_painter import RowPainter
from tests.app.chats_shown import change_store, settle
from tests.app.scripted_engine import Script, ScriptedEngine
from tests.app.window.test_main_window import ask, wait_for_end

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

    from app.conversations.store import ConversationStore
    from app.widgets.application import Application
    from app.window.main_window import MainWindow
    from tests.app.conftest import OpenWindow

CHATS = 120


@pytest.fixture
def window(open_window: OpenWindow, qtbot: QtBot) -> MainWindow:
    """With many chats, one a minute, the newest first."""
    window = open_window(ScriptedEngine([Script("An answer.")]))
    now = time.time()

    def fill(store: ConversationStore) -> None:
        with store.database.write():
            for number in range(CHATS):
                chat = store.conversations.create(title=f"Chat {number}")
                used = (now - 60 * (number + 1), chat)
                store.database.execute("UPDATE conversations SET updated_at = ? WHERE id = ?", used)

    change_store(window._session, fill)
    settle(window, qtbot)
    return window


@pytest.fixture
def resets(window: MainWindow) -> Iterator[list[str]]:
    """Whenever the list is filled anew. The model's own signals are checked meanwhile."""
    seen: list[str] = []
    model = window._chats.model
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    model.modelReset.connect(lambda: seen.append("reset"))
    yield seen
    tester.deleteLater()


def shown(window: MainWindow) -> list[str]:
    return [row.title for row in window._chats.model.rows if not isinstance(row, str)]  # type: ignore[union-attr]


def chat_of(window: MainWindow, title: str) -> int:
    return next(chat.id for chat in window._session.list.chats if chat.title == title)


def tops(window: MainWindow) -> dict[str, int]:
    """The titles in sight, each with its top."""
    view, model = window._chats.list, window._chats.model
    seen = {}
    for number in range(model.rowCount()):
        index = model.index(number)
        if view.viewport().rect().intersects(view.visualRect(index)):
            seen[index.data()] = view.visualRect(index).top()
    return seen


def test_opening_a_chat_changes_no_row(window: MainWindow, resets: list[str], qtbot: QtBot) -> None:
    changed: list[object] = []
    window._chats.model.dataChanged.connect(lambda *rows: changed.append(rows))
    before = shown(window)
    window._session.chats.open_id(chat_of(window, "Chat 7"))
    settle(window, qtbot)
    assert window._chats.list.currentIndex().data() == "Chat 7"
    assert shown(window) == before
    assert not resets
    assert not changed


def test_a_chat_that_is_used_moves_up_and_the_rows_in_sight_stay(
    window: MainWindow, resets: list[str], qtbot: QtBot
) -> None:
    window._session.chats.open_id(chat_of(window, "Chat 100"))
    settle(window, qtbot)
    bar = window._chats.list.verticalScrollBar()
    bar.setValue(bar.maximum() // 2)
    before = tops(window)
    assert "Chat 100" not in before
    ask(window, "Once more?")
    wait_for_end(window, qtbot)
    settle(window, qtbot)
    assert shown(window)[0] == "Chat 100"
    assert window._chats.list.currentIndex().data() == "Chat 100"
    assert tops(window) == before
    assert not resets


def test_renaming_pinning_and_deleting_move_rows_only(window: MainWindow, resets: list[str], qtbot: QtBot) -> None:
    session, model = window._session, window._chats.model
    change_store(session, lambda store: store.conversations.rename(chat_of(window, "Chat 3"), "Another name"))
    settle(window, qtbot)
    assert shown(window)[3] == "Another name"
    change_store(session, lambda store: store.conversations.pin(chat_of(window, "Chat 50")))
    settle(window, qtbot)
    assert model.rows[0] == "pinned"
    assert shown(window)[0] == "Chat 50"
    change_store(session, lambda store: store.conversations.unpin(chat_of(window, "Chat 50")))
    settle(window, qtbot)
    assert "pinned" not in model.rows
    window._session.chats.trash(chat_of(window, "Chat 4"))
    settle(window, qtbot)
    assert shown(window) == ["Chat 0", "Chat 1", "Chat 2", "Another name"] + [f"Chat {n}" for n in range(5, CHATS)]
    assert not resets


def test_the_dot_of_a_chat_that_streams_is_painted_without_measuring_the_rows(
    window: MainWindow, resets: list[str]
) -> None:
    model, chat = window._chats.model, chat_of(window, "Chat 2")
    measured: list[int] = []

    class Measured(RowPainter):
        def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
            measured.append(index.row())
            return super().sizeHint(option, index)

    window._chats.list.setItemDelegate(Measured(window._chats.list))
    tops(window)
    assert measured
    measured.clear()
    window._chats.refresh(None, frozenset({chat}))
    tops(window)
    assert model.row_of(chat).data(STREAMS)
    window._chats.refresh(None, frozenset())
    tops(window)
    assert not model.row_of(chat).data(STREAMS)
    assert not resets
    assert not measured


def test_a_search_in_between_is_another_list(window: MainWindow, qtbot: QtBot) -> None:
    window._chats.search.setText("Chat 11")
    qtbot.waitUntil(lambda: window._chats.model.rows[0] == "titles-found")
    window._chats.search.clear()
    assert shown(window) == [f"Chat {number}" for number in range(CHATS)]
    first = window._chats.list.indexAt(QPoint(5, 40))
    assert first.data(ROW).title == "Chat 0"
    assert first.flags() & Qt.ItemFlag.ItemIsDragEnabled


def test_a_list_is_arranged_anew_when_another_day_begins(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    model, listed = window._chats.model, window._session.list
    assert isinstance(model, ChatListModel)
    tomorrow = time.time() + 86_400
    monkeypatch.setattr("app.sidebar.list_model.time.time", lambda: tomorrow)
    model.show_chats(listed.chats, ACTIVE, frozenset(), listed.folders)
    assert "today" not in model.rows


def test_rows_and_their_words_follow_the_text_size(window: MainWindow, qapp: Application) -> None:
    view = window._chats.list
    index = view.model().index(1, 0)

    def ink() -> int:
        """How many lines of pixels have some of the row's words in them."""
        row = view.visualRect(index)
        picture = view.viewport().grab(row).toImage()
        ground = picture.pixel(0, picture.height() // 2)
        return sum(any(picture.pixel(x, y) != ground for x in range(80)) for y in range(4, picture.height() - 4))

    height, words = view.visualRect(index).height(), ink()
    try:
        qapp.theme.set_text_size(130)
        qapp.processEvents()
        assert view.visualRect(index).height() > 1.2 * height
        assert ink() > 1.1 * words
    finally:
        qapp.theme.set_text_size(100)
