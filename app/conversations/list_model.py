"""The left pane's rows: headings with the chats below them, or what a search found."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import (
    QAbstractListModel,
    QByteArray,
    QCoreApplication,
    QMimeData,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)

from app.conversations.conversation_list import ACTIVE
from app.conversations.grouping import grouped
from app.conversations.records import Conversation
from app.conversations.search import MessageHit, TitleHit

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_Index = QModelIndex | QPersistentModelIndex
ROW = Qt.ItemDataRole.UserRole
STREAMS = Qt.ItemDataRole.UserRole + 1
_PIN_DATA = "application/x-tandem-pin"
# Headings above what a search found.
TITLES_FOUND, MESSAGES_FOUND, NOTHING_FOUND = "titles-found", "messages-found", "nothing-found"

Row = str | Conversation | TitleHit | MessageHit


def heading(code: str) -> str:
    translate = QCoreApplication.translate
    return {
        "pinned": translate("ChatPane", "Pinned"),
        "today": translate("ChatPane", "Today"),
        "yesterday": translate("ChatPane", "Yesterday"),
        "last-week": translate("ChatPane", "Last 7 days"),
        "last-month": translate("ChatPane", "Last 28 days"),
        "older": translate("ChatPane", "Older"),
        TITLES_FOUND: translate("ChatPane", "Chats"),
        MESSAGES_FOUND: translate("ChatPane", "Messages"),
        NOTHING_FOUND: translate("ChatPane", "Nothing found"),
    }[code]


def title_of(row: Conversation | TitleHit | MessageHit) -> str:
    return row.title or QCoreApplication.translate("ChatPane", "Untitled chat")


class ChatListModel(QAbstractListModel):
    """`renamed` carries a chat's id and the title that was typed, `pins_ordered` the ids of the pinned chats."""

    renamed = Signal(int, str)
    pins_ordered = Signal(list)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._rows: list[Row] = []
        self._streaming: frozenset[int] = frozenset()
        self._movable = False

    @property
    def rows(self) -> Sequence[Row]:
        return self._rows

    def show_chats(self, chats: Sequence[Conversation], view: str, streaming: frozenset[int]) -> None:
        """Show chats under headings; outside the active ones there are no pins."""
        rows: list[Row] = []
        self._movable = view == ACTIVE
        if view == ACTIVE:
            for group in grouped(chats, time.time()):
                rows += [group.name, *group.conversations]
        else:
            rows += chats
        self._replace(rows, streaming)

    def show_found(self, titles: Iterable[TitleHit], messages: Iterable[MessageHit]) -> None:
        rows: list[Row] = []
        for code, hits in ((TITLES_FOUND, list(titles)), (MESSAGES_FOUND, list(messages))):
            if hits:
                rows += [code, *hits]
        self._movable = False
        self._replace(rows or [NOTHING_FOUND], self._streaming)

    def _replace(self, rows: list[Row], streaming: frozenset[int]) -> None:
        if rows == self._rows:
            if streaming != self._streaming:
                self._streaming = streaming
                self.dataChanged.emit(self.index(0), self.index(len(rows) - 1), [STREAMS])
            return
        self.beginResetModel()
        self._rows, self._streaming = rows, streaming
        self.endResetModel()

    def row_of(self, conversation_id: int | None) -> QModelIndex:
        for place, row in enumerate(self._rows):
            if isinstance(row, Conversation) and row.id == conversation_id:
                return self.index(place)
        return QModelIndex()

    def rowCount(self, parent: _Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self._rows[index.row()]
        if role == ROW:
            return row
        if role == STREAMS:
            return isinstance(row, Conversation) and row.id in self._streaming
        if role == Qt.ItemDataRole.EditRole and isinstance(row, Conversation):
            return row.title
        if role == Qt.ItemDataRole.DisplayRole:
            return heading(row) if isinstance(row, str) else title_of(row)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self._spoken(row)
        return None

    def _spoken(self, row: Row) -> str:
        if isinstance(row, str):
            return heading(row)
        if isinstance(row, MessageHit):
            return f"{title_of(row)}: {row.snippet.text}"
        if isinstance(row, Conversation) and row.id in self._streaming:
            words = QCoreApplication.translate("ChatPane", "{title}, an answer is being written")
            return words.format(title=title_of(row))
        return title_of(row)

    def setData(self, index: _Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        row = self._rows[index.row()]
        if role != Qt.ItemDataRole.EditRole or not isinstance(row, Conversation):
            return False
        if str(value).strip() != row.title:
            self.renamed.emit(row.id, str(value))
        return True

    def flags(self, index: _Index) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.ItemIsDropEnabled
        row = self._rows[index.row()]
        if isinstance(row, str):
            return Qt.ItemFlag.NoItemFlags
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        if isinstance(row, Conversation):
            flags |= Qt.ItemFlag.ItemIsEditable
            if self._movable and row.pin_position is not None:
                flags |= Qt.ItemFlag.ItemIsDragEnabled
        return flags

    # Dragging pins

    def supportedDropActions(self) -> Qt.DropAction:
        return Qt.DropAction.MoveAction

    def mimeTypes(self) -> list[str]:
        return [_PIN_DATA]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        data = QMimeData()
        data.setData(_PIN_DATA, QByteArray(json.dumps([index.data(ROW).id for index in indexes]).encode()))
        return data

    def dropMimeData(self, data: QMimeData, _action: Qt.DropAction, row: int, _column: int, parent: _Index) -> bool:
        """Put the dragged pin before the row it was dropped at; behind all pins where that is none of them."""
        if not data.hasFormat(_PIN_DATA):
            return False
        (dragged,) = json.loads(data.data(_PIN_DATA).toStdString())
        place = parent.row() if parent.isValid() else row
        before = [item for item in self._rows[: max(place, 0)] if isinstance(item, Conversation)]
        pins = [item.id for item in self._rows if isinstance(item, Conversation) and item.pin_position is not None]
        ahead = sum(item.pin_position is not None and item.id != dragged for item in before)
        pins.remove(dragged)
        pins.insert(ahead, dragged)
        self.pins_ordered.emit(pins)
        # The list is read anew; Qt must not take the row out itself.
        return False
