"""The left pane: new chat, search, and the chats by day."""

from __future__ import annotations

from datetime import date
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QCoreApplication,
    QEvent,
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QAction, QColor, QPainter
from PySide6.QtWidgets import (
    QFrame,
    QLineEdit,
    QListView,
    QPushButton,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from app import theme
from app.conversations.chats import SECTIONS, Chat, Chats, section_of
from app.icons import icon

_Index = QModelIndex | QPersistentModelIndex
_CHAT = Qt.ItemDataRole.UserRole


def section_title(section: str) -> str:
    translate = QCoreApplication.translate
    return {
        "pinned": translate("ChatPane", "Pinned"),
        "today": translate("ChatPane", "Today"),
        "yesterday": translate("ChatPane", "Yesterday"),
        "week": translate("ChatPane", "Last 7 days"),
        "older": translate("ChatPane", "Older"),
    }[section]


class ChatListModel(QAbstractListModel):
    """Section headings and chats, in the order they are shown. A row is a section's code or a Chat."""

    def __init__(self, chats: Chats, parent: QWidget) -> None:
        super().__init__(parent)
        self._chats = chats
        self._rows: list[str | Chat] = []
        self._filter = ""

    def set_filter(self, text: str) -> None:
        self._filter = text.casefold()
        self.reload()

    def reload(self) -> None:
        self.beginResetModel()
        today = date.today()
        shown = [chat for chat in self._chats if chat.turns and self._filter in chat.title.casefold()]
        self._rows = []
        for section in SECTIONS:
            inside = [chat for chat in shown if section_of(chat, today) == section]
            if inside:
                self._rows += [section, *inside]
        self.endResetModel()

    def row_of(self, chat: Chat) -> QModelIndex:
        return self.index(self._rows.index(chat)) if chat in self._rows else QModelIndex()

    def rowCount(self, parent: _Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self._rows[index.row()]
        if role == _CHAT:
            return row
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return row.title if isinstance(row, Chat) else section_title(row)
        if role == Qt.ItemDataRole.ToolTipRole and isinstance(row, Chat):
            return row.turns[0].question[:400]
        return None

    def flags(self, index: _Index) -> Qt.ItemFlag:
        if isinstance(self._rows[index.row()], Chat):
            return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return Qt.ItemFlag.NoItemFlags


class _RowPainter(QStyledItemDelegate):
    """Headings small and faint; chats on one line, the open one on a rounded ground, a dot where one streams."""

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        return QSize(option.rect.width(), 32 if isinstance(index.data(_CHAT), Chat) else 36)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        colours, row = theme.colours(), index.data(_CHAT)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area: QRect = option.rect
        font = option.font
        inner = area.adjusted(10, 0, -10, 0)
        align = Qt.AlignmentFlag.AlignVCenter
        if isinstance(row, Chat):
            font.setPixelSize(14)
            if option.state & (QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_MouseOver):
                ground = QColor(colours.selection)
                ground.setAlpha(255 if option.state & QStyle.StateFlag.State_Selected else 140)
                painter.setBrush(ground)
                painter.setPen(Qt.PenStyle.NoPen)
                painter.drawRoundedRect(area.adjusted(0, 1, 0, -1), 8, 8)
            if row.streaming:
                painter.setBrush(QColor(colours.draft))
                painter.setPen(Qt.PenStyle.NoPen)
                painter.drawEllipse(inner.right() - 8, area.center().y() - 3, 8, 8)
                inner.adjust(0, 0, -16, 0)
            painter.setPen(QColor(colours.text))
        else:
            font.setPixelSize(11)
            inner.adjust(0, 0, 0, -6)
            align = Qt.AlignmentFlag.AlignBottom
            painter.setPen(QColor(colours.faint))
        painter.setFont(font)
        text = painter.fontMetrics().elidedText(index.data(), Qt.TextElideMode.ElideRight, inner.width())
        painter.drawText(inner, align | Qt.AlignmentFlag.AlignLeft, text)
        painter.restore()


class ChatPane(QFrame):
    """`chosen` carries the chat that the user wants to see."""

    chosen = Signal(object)

    def __init__(self, chats: Chats, new_chat: QAction, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sidebar")
        self._new_action = new_chat
        self._new = QPushButton(self)
        self._new.setProperty("look", "plain")
        self._new.clicked.connect(new_chat.trigger)
        self.search = QLineEdit(self)
        self.search.setClearButtonEnabled(True)
        self._model = ChatListModel(chats, self)
        self._list = QListView(self)
        self._list.setModel(self._model)
        self._list.setItemDelegate(_RowPainter(self._list))
        self._list.setUniformItemSizes(False)
        self._list.setMouseTracking(True)
        self._list.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.settings = QPushButton(self)
        self.settings.setProperty("look", "plain")
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 16, 12, 12)
        column.setSpacing(8)
        column.addWidget(self._new)
        column.addWidget(self.search)
        column.addWidget(self._list, 1)
        column.addWidget(self.settings)
        self.search.textChanged.connect(self._model.set_filter)
        self._list.clicked.connect(self._activated)
        self._list.activated.connect(self._activated)
        self.retranslate()
        self._dress()

    def refresh(self, shown: Chat) -> None:
        """The chats have changed; `shown` is the open one."""
        self._model.reload()
        self._list.setCurrentIndex(self._model.row_of(shown))

    def retranslate(self) -> None:
        self._new.setText(self.tr("New chat"))
        self._new.setToolTip(self._new_action.toolTip())
        self.search.setPlaceholderText(self.tr("Search chats"))
        self.search.setAccessibleName(self.tr("Search chats"))
        self._list.setAccessibleName(self.tr("Chats"))
        self.settings.setText(self.tr("Settings"))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if not hasattr(self, "settings"):
            return
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
            self._model.layoutChanged.emit()
        elif event.type() == QEvent.Type.PaletteChange:
            self._dress()

    def _activated(self, index: QModelIndex) -> None:
        row = index.data(_CHAT)
        if isinstance(row, Chat):
            self.chosen.emit(row)

    def _dress(self) -> None:
        colour = theme.colours().text
        self._new.setIcon(icon("plus", colour))
        self.settings.setIcon(icon("settings", colour))
