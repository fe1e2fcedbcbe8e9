"""The rows of the left pane: headings with the chats below them, or search results."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from itertools import chain
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QByteArray,
    QCoreApplication,
    QDate,
    QDateTime,
    QLocale,
    QMimeData,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)

from app.conversations.conversation_list import ACTIVE
from app.conversations.database.records import Conversation, Folder
from app.conversations.grouping import PINNED, grouped, utc_offset
from app.conversations.search import MessageHit, TitleHit
from app.sidebar.one_change import ChangedRows, with_one_change
from app.widgets.labels import tip

RowIndex = QModelIndex | QPersistentModelIndex
ROW = Qt.ItemDataRole.UserRole
STREAMS = Qt.ItemDataRole.UserRole + 1
# Whether a chat is listed below its folder.
INSIDE = Qt.ItemDataRole.UserRole + 2
# The number of chats of a folder.
COUNT = Qt.ItemDataRole.UserRole + 3
# Whether a found message is of the same chat as the one above it, which names the chat.
FOLLOWS = Qt.ItemDataRole.UserRole + 4
# When a found message was sent, in words.
SENT = Qt.ItemDataRole.UserRole + 5
_CHAT_DATA = "application/x-tandem-chat"
_FOLDER_DATA = "application/x-tandem-folder"
FOLDERS = "folders"
# Headings of search results.
TITLES_FOUND = "titles-found"
MESSAGES_FOUND = "messages-found"
NOTHING_FOUND = "nothing-found"

ListRow = str | Folder | Conversation | TitleHit | MessageHit


def heading(code: str) -> str:
    translate = QCoreApplication.translate
    return {
        "pinned": translate("ChatPane", "Pinned"),
        FOLDERS: translate("ChatPane", "Folders"),
        "today": translate("ChatPane", "Today"),
        "yesterday": translate("ChatPane", "Yesterday"),
        "last-week": translate("ChatPane", "Previous 7 days"),
        "last-month": translate("ChatPane", "Previous 30 days"),
        "older": translate("ChatPane", "Older"),
        TITLES_FOUND: translate("ChatPane", "Chats"),
        MESSAGES_FOUND: translate("ChatPane", "Messages"),
        NOTHING_FOUND: translate("ChatPane", "Nothing found"),
    }[code]


def title_of(row: Folder | Conversation | TitleHit | MessageHit) -> str:
    if isinstance(row, Folder):
        return row.name
    return row.title or QCoreApplication.translate("ChatPane", "Untitled chat")


def _arranged(chats: Sequence[Conversation], folders: Sequence[Folder]) -> list[ListRow]:
    """Return pinned chats, then folders with their chats, then the other chats by day. No chat appears twice."""
    inside: dict[int | None, list[Conversation]] = {folder.id: [] for folder in folders}
    outside = []
    for chat in chats:
        if chat.pin_position is None and chat.folder_id in inside:
            inside[chat.folder_id].append(chat)
        else:
            outside.append(chat)
    pins: list[ListRow] = []
    days: list[ListRow] = []
    for group in grouped(outside, time.time()):
        (pins if group.name == PINNED else days).extend([group.name, *group.conversations])
    drawers: list[ListRow] = [FOLDERS] if folders else []
    for folder in folders:
        drawers.append(folder)
        if not folder.closed:
            drawers += inside[folder.id]
    return [*pins, *drawers, *days]


def _when(seconds: float) -> str:
    """Return the time of day of something of today, and the date of something else."""
    then = QDateTime.fromSecsSinceEpoch(int(seconds))
    short = QLocale.FormatType.ShortFormat
    is_today = then.date() == QDate.currentDate()
    return QLocale().toString(then.time(), short) if is_today else QLocale().toString(then.date(), short)


def _placed(chats: Sequence[Conversation]) -> dict[int, tuple[int | None, int | None]]:
    """Return the folder and the position among the pins of each chat, by its id; None where it has none."""
    return {chat.id: (chat.folder_id, chat.pin_position) for chat in chats}


def _key(row: ListRow) -> tuple[type, str | int]:
    """Return a key that identifies a row independently of its text; unique in a list."""
    if isinstance(row, str):
        return str, row
    if isinstance(row, TitleHit):
        return TitleHit, row.conversation_id
    if isinstance(row, MessageHit):
        return MessageHit, row.message_id
    return type(row), row.id


def _differs(chat: Conversation, before: ListRow) -> bool:
    """Return whether a chat's row looks different. When it was opened and its unsent message do not matter."""
    assert isinstance(before, Conversation)
    return (chat.title, chat.folder_id, chat.pin_position) != (before.title, before.folder_id, before.pin_position)


class ChatListModel(QAbstractListModel):
    """A list model that moves rows instead of resetting, so that a view keeps its selection and scroll position.

    `renamed` and `folder_renamed` carry an id and the typed title, `pins_ordered` and `folders_ordered` the ids in
    their new order, `moved` the id of a chat and of the folder it was dragged to (None: out of its folder).
    """

    renamed = Signal(int, str)
    folder_renamed = Signal(int, str)
    pins_ordered = Signal(list)
    folders_ordered = Signal(list)
    moved = Signal(int, object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._rows: list[ListRow] = []
        self._streaming: frozenset[int] = frozenset()
        self._movable = False
        self._counts: Counter[int | None] = Counter()
        # None for search results. Another view resets the model, because its order differs.
        self._view: str | None = None
        self._chats: Sequence[Conversation] = ()
        self._folders: Sequence[Folder] = ()
        self._arranged_from: tuple[object, ...] = ()
        self._keys: list[Hashable] = []

    @property
    def rows(self) -> Sequence[ListRow]:
        return self._rows

    def show_chats(
        self,
        chats: Sequence[Conversation],
        view: str,
        streaming: frozenset[int],
        folders: Sequence[Folder] = (),
        stays: bool = False,
    ) -> None:
        """Show chats under headings and below their folders. Views other than ACTIVE show neither pins nor folders.

        Lists must not be modified. Equal ones change no row; where their chats are the same objects, comparing them is
        cheap. With `stays`, chats that were only used or renamed keep their places.
        """
        # Days begin at a quarter of an hour in every time zone, and the time zone may change.
        arranged_from = (view, time.time() // 900, utc_offset())
        same_days = arranged_from == self._arranged_from
        if self._view is not None and same_days and chats == self._chats and folders == self._folders:
            self._chats = chats
            self._folders = folders
            self._mark(streaming)
            return
        may_be_one = not stays and same_days and self._view == view == ACTIVE and folders == self._folders
        if may_be_one and self._show_one_change(chats, folders, streaming):
            return
        keeps = stays and view == self._view and folders == self._folders and _placed(chats) == _placed(self._chats)
        # Chats that keep their places now are arranged by the next call.
        self._arranged_from = () if keeps else arranged_from
        self._chats = chats
        self._folders = folders
        self._movable = view == ACTIVE
        counts: Counter[int | None] = Counter(chat.folder_id for chat in chats if chat.folder_id is not None)
        self._replace(self._rows_of(chats, folders, view, keeps), streaming, view, counts)

    def _show_one_change(
        self, chats: Sequence[Conversation], folders: Sequence[Folder], streaming: frozenset[int]
    ) -> bool:
        """Show chats of which only one was used, renamed or added. Return False if more has changed."""
        folder_ids = {folder.id for folder in folders}
        changed = with_one_change(self._chats, chats, self._rows, self._keys, folder_ids, time.time())
        if changed is None:
            return False
        self._chats = chats
        self._folders = folders
        self._replace_one(changed, streaming)
        return True

    def _rows_of(
        self, chats: Sequence[Conversation], folders: Sequence[Folder], view: str, keeps_places: bool
    ) -> list[ListRow]:
        """Return the rows of these chats, where the present ones are if their places are kept."""
        if keeps_places:
            chats_by_id = {chat.id: chat for chat in chats}
            return [chats_by_id[row.id] if isinstance(row, Conversation) else row for row in self._rows]
        return _arranged(chats, folders) if view == ACTIVE else list[ListRow](chats)

    def show_found(self, titles: Iterable[TitleHit], messages: Iterable[MessageHit]) -> None:
        """Show what a search found. Messages of one chat stand below each other, where the first of them does."""
        by_chat: dict[int, list[MessageHit]] = {}
        for message in messages:
            by_chat.setdefault(message.conversation_id, []).append(message)
        rows: list[ListRow] = []
        for code, hits in ((TITLES_FOUND, list(titles)), (MESSAGES_FOUND, list(chain.from_iterable(by_chat.values())))):
            if hits:
                rows += [code, *hits]
        self._movable = False
        self._replace(rows or [NOTHING_FOUND], self._streaming, None, self._counts)

    def _replace(
        self, rows: list[ListRow], streaming: frozenset[int], view: str | None, counts: Counter[int | None]
    ) -> None:
        keys_before = self._keys
        self._keys = self._keys if rows is self._rows else [_key(row) for row in rows]
        same = view is not None and view == self._view
        self._view = view
        # For new search results the model is reset, so that the view starts at the top.
        if not same:
            self.beginResetModel()
            self._rows = rows
            self._streaming = streaming
            self._counts = counts
            self.endResetModel()
            return
        known = dict(zip(keys_before, self._rows, strict=True))
        switched = streaming ^ self._streaming
        counted = counts != self._counts
        self._streaming = streaming
        self._counts = counts
        if self._keys == keys_before:
            self._rows = rows
        else:
            self._move_rows(rows, keys_before)
        for number, (key, row) in enumerate(zip(self._keys, rows, strict=True)):
            before = known.get(key, row)
            if isinstance(row, Conversation):
                changed = row.id in switched or (row is not before and _differs(row, before))
            else:
                changed = row != before or (counted and isinstance(row, Folder))
            if changed:
                self.dataChanged.emit(self.index(number), self.index(number))

    def _replace_one(self, changed: ChangedRows, streaming: frozenset[int]) -> None:
        """Show rows of which one has changed; it does what `_replace` does for all."""
        keys_before = self._keys
        self._keys = changed.keys
        if changed.keys == keys_before:
            self._rows = changed.rows
        else:
            self._move_rows(changed.rows, keys_before)
        self._mark(streaming, changed.chat.id)

    def _mark(self, streaming: frozenset[int], *changed: int) -> None:
        """Show which chats are being answered now, and paint the `changed` chats again; the rows are the same."""
        switched = streaming ^ self._streaming
        self._streaming = streaming
        for chat_id in {*changed, *switched}:
            index = self.row_of(Conversation, chat_id)
            if index.isValid():
                self.dataChanged.emit(index, index)

    def _move_rows(self, rows: list[ListRow], keys_before: list[Hashable]) -> None:
        """Show `rows`, and tell the views where each of the rows before is now."""
        self.layoutAboutToBeChanged.emit()
        self._rows = rows
        moved = self.persistentIndexList()
        self.changePersistentIndexList(moved, [self._index_of(keys_before[index.row()]) for index in moved])
        self.layoutChanged.emit()

    def row_of(self, kind: type[Conversation | Folder], row_id: int | None) -> QModelIndex:
        """Return the index of the chat or the folder with that id; an invalid index if it is not listed."""
        return self._index_of((kind, row_id))

    def _index_of(self, key: Hashable) -> QModelIndex:
        return self.index(self._keys.index(key)) if key in self._keys else QModelIndex()

    def rowCount(self, parent: RowIndex | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def data(self, index: RowIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self._rows[index.row()]
        if role == ROW:
            return row
        if role == COUNT:
            return self._counts[row.id] if isinstance(row, Folder) else 0
        if role == Qt.ItemDataRole.DisplayRole:
            return heading(row) if isinstance(row, str) else title_of(row)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self._spoken(row)
        if role == Qt.ItemDataRole.EditRole and isinstance(row, Folder):
            return row.name
        if isinstance(row, Conversation):
            return self._data_of_chat(row, role)
        if isinstance(row, MessageHit) and role == FOLLOWS:
            above = self._rows[index.row() - 1]
            return isinstance(above, MessageHit) and above.conversation_id == row.conversation_id
        if isinstance(row, MessageHit) and role == SENT:
            return _when(row.sent_at)
        return False if role in (STREAMS, INSIDE) else None

    def _data_of_chat(self, chat: Conversation, role: int) -> Any:
        """Return the data of a role that only chats have; None for other roles."""
        if role == STREAMS:
            return chat.id in self._streaming
        if role == INSIDE:
            return self._movable and chat.folder_id is not None and chat.pin_position is None
        if role == Qt.ItemDataRole.EditRole:
            return chat.title
        if role == Qt.ItemDataRole.ToolTipRole:
            # The whole title, which may be elided, and the time, which tells chats of one day apart.
            used = QDateTime.fromSecsSinceEpoch(int(chat.updated_at))
            return tip(f"{title_of(chat)}\n{QLocale().toString(used, QLocale.FormatType.ShortFormat)}")
        return None

    def _spoken(self, row: ListRow) -> str:
        if isinstance(row, str):
            return heading(row)
        if isinstance(row, Folder):
            translate = QCoreApplication.translate
            closed = row.closed
            words = (
                translate("ChatPane", "{name}, closed folder") if closed else translate("ChatPane", "{name}, folder")
            )
            return words.format(name=row.name)
        if isinstance(row, MessageHit):
            return f"{title_of(row)}, {_when(row.sent_at)}: {row.snippet.text}"
        if isinstance(row, Conversation) and row.id in self._streaming:
            words = QCoreApplication.translate("ChatPane", "{title}, generating")
            return words.format(title=title_of(row))
        return title_of(row)

    def setData(self, index: RowIndex, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        row = self._rows[index.row()]
        if role != Qt.ItemDataRole.EditRole or not isinstance(row, (Conversation, Folder)):
            return False
        if isinstance(row, Folder):
            if str(value).strip() not in ("", row.name):
                self.folder_renamed.emit(row.id, str(value))
        elif str(value).strip() != row.title:
            self.renamed.emit(row.id, str(value))
        return True

    def flags(self, index: RowIndex) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.ItemIsDropEnabled
        row = self._rows[index.row()]
        if isinstance(row, str):
            return Qt.ItemFlag.NoItemFlags
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        if isinstance(row, (Conversation, Folder)):
            flags |= Qt.ItemFlag.ItemIsEditable
            if self._movable:
                flags |= Qt.ItemFlag.ItemIsDropEnabled | Qt.ItemFlag.ItemIsDragEnabled
        return flags

    # Dragging chats to the pins, into folders and out of them, and changing the order of folders by dragging

    def supportedDropActions(self) -> Qt.DropAction:
        return Qt.DropAction.MoveAction

    def mimeTypes(self) -> list[str]:
        return [_CHAT_DATA, _FOLDER_DATA]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        (dragged,) = (index.data(ROW) for index in indexes)
        kind = _FOLDER_DATA if isinstance(dragged, Folder) else _CHAT_DATA
        data = QMimeData()
        data.setData(kind, QByteArray(json.dumps(dragged.id).encode()))
        return data

    def dropMimeData(self, data: QMimeData, _action: Qt.DropAction, row: int, _column: int, parent: RowIndex) -> bool:
        """Pin a chat dropped among the pins before that row; move a chat dropped elsewhere to the folder of that row.

        A folder takes the position of the folder it was dropped on, or goes between the rows it was dropped between.
        """
        row_number = parent.row() if parent.isValid() else row
        if data.hasFormat(_FOLDER_DATA):
            self._drop_folder(json.loads(data.data(_FOLDER_DATA).toStdString()), row_number, onto=parent.isValid())
        elif data.hasFormat(_CHAT_DATA):
            self._drop_chat(json.loads(data.data(_CHAT_DATA).toStdString()), row_number, onto=parent.isValid())
        # The list is read again, so Qt must not remove the row itself.
        return False

    def _drop_chat(self, dragged: int, row_number: int, onto: bool) -> None:
        # Between two rows, the upper one decides the target.
        target = self._rows[row_number if onto or row_number <= 0 else row_number - 1]
        if target == PINNED or (isinstance(target, Conversation) and target.pin_position is not None):
            self._drop_pin(dragged, max(row_number, 0))
        elif isinstance(target, Folder):
            self.moved.emit(dragged, target.id)
        else:
            self.moved.emit(dragged, target.folder_id if isinstance(target, Conversation) else None)

    def _drop_folder(self, dragged: int, row_number: int, onto: bool) -> None:
        folders = [row.id for row in self._rows if isinstance(row, Folder)]
        # Qt passes -1 below the last row.
        above = len(self._rows) if row_number < 0 else row_number
        ahead = sum(isinstance(row, Folder) for row in self._rows[:above])
        if onto:
            # Dropping on a chat of a folder is dropping on the folder.
            ahead = ahead if isinstance(self._rows[row_number], Folder) else ahead - 1
        elif folders.index(dragged) < ahead:
            ahead -= 1
        folders.remove(dragged)
        folders.insert(max(0, ahead), dragged)
        self.folders_ordered.emit(folders)

    def _drop_pin(self, dragged: int, row_number: int) -> None:
        before = [item for item in self._rows[:row_number] if isinstance(item, Conversation)]
        pins = [item.id for item in self._rows if isinstance(item, Conversation) and item.pin_position is not None]
        ahead = sum(item.pin_position is not None and item.id != dragged for item in before)
        pins = [pin for pin in pins if pin != dragged]
        pins.insert(ahead, dragged)
        self.pins_ordered.emit(pins)
