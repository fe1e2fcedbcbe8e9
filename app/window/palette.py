"""The command palette: every action that is possible now, found by a few letters and run with Enter."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QLabel, QLineEdit, QListWidget, QListWidgetItem, QWidget

from app.actions.actions import Actions
from app.actions.spec import menu_title
from app.widgets import theme
from app.widgets.labels import ElidedLabel
from app.widgets.layouts import hbox
from app.widgets.overlay import Overlay
from app.widgets.restyled import Restyled
from app.widgets.search_field import LiveField

_ROWS_SHOWN = 9
_ROW_HEIGHT = 36


def matches(text: str, wanted: str) -> bool:
    """Whether every word that was typed begins or is inside some word of `text`, in any order and case."""
    folded = text.casefold()
    return all(word in folded for word in wanted.casefold().split())


class CommandPalette(Restyled, Overlay):
    def __init__(self, actions: Actions, window: QWidget) -> None:
        super().__init__(window, 560)
        self._actions = actions
        # Each with its name and its menu.
        self._found: list[tuple[QAction, str, str]] = []

    def make(self) -> None:
        self._field = self.bound("What would you like to do?", LiveField(self), QLineEdit.setPlaceholderText)
        self.bound("Command", self._field, QWidget.setAccessibleName)
        self._list = self.bound("Commands", QListWidget(self), QWidget.setAccessibleName)
        self._list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.column.addWidget(self._field)
        self.column.addWidget(self._list)
        self._field.typed.connect(self._search)
        self._field.installEventFilter(self)
        self._list.itemClicked.connect(lambda _item: self._run())
        self._list.viewport().installEventFilter(self)
        self._list.verticalScrollBar().valueChanged.connect(self._make_rows)
        self.restyle()

    def fill(self) -> None:
        self._actions.refresh_checks()
        self._list.setMinimumHeight(theme.scaled(_ROWS_SHOWN * _ROW_HEIGHT))
        self._field.clear()
        self._search("")
        self._field.setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._field and event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()))
            if step:
                self._move(step)
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not self._field.composing:
                self._run()
                return True
        if watched is self._list.viewport() and event.type() == QEvent.Type.Resize:
            self._make_rows()
        return super().eventFilter(watched, event)

    def _search(self, wanted: str) -> None:
        self._list.clear()
        possible = [
            (self._actions[spec.id], self._actions.name(spec), self._actions.path(spec))
            for spec in self._actions.specs
            if spec.id != "palette" and self._actions[spec.id].isEnabled()
        ]
        found = [row for row in possible if matches(_words(*row), wanted)]
        # Those that begin with what was typed come first; the table's order decides among equals. What the app menu
        # has is rarely looked for here.
        last = menu_title("tandem")
        found.sort(key=lambda row: (not _words(*row).casefold().startswith(wanted.casefold()), row[2] == last))
        self._found = found
        # As wide as the list, whatever its words would like.
        size = QSize(0, _Row(*found[0]).sizeHint().height()) if found else QSize()
        for action, _, _ in found:
            item = QListWidgetItem(self._list)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, action.whatsThis())
            item.setSizeHint(size)
        self._list.setCurrentRow(0)
        self._make_rows()

    def _make_rows(self) -> None:
        """Make the rows that can be seen: all of them would take a fifth of a second at every letter."""
        first = max(self._list.indexAt(QPoint(0, 0)).row(), 0)
        most = self._list.viewport().height() // max(self._list.sizeHintForRow(0), 1) + 2
        for number in range(first, min(first + most, len(self._found))):
            item = self._list.item(number)
            if self._list.itemWidget(item) is None:
                self._list.setItemWidget(item, _Row(*self._found[number]))

    def _move(self, step: int) -> None:
        if self._found:
            self._list.setCurrentRow((self._list.currentRow() + step) % len(self._found))

    def _run(self) -> None:
        row = self._list.currentRow()
        if 0 <= row < len(self._found):
            action, _, _ = self._found[row]
            self.close_overlay()
            action.trigger()


def _words(action: QAction, name: str, menu: str) -> str:
    return f"{name} {action.whatsThis()} {menu}"


class _Row(QWidget):
    """An action's name, the menu it is in, and its keys."""

    def __init__(self, action: QAction, name: str, menu: str) -> None:
        super().__init__()
        title, in_menu = ElidedLabel(self), QLabel(menu, self)
        title.setText(name)
        keys = QLabel(action.shortcut().toString(QKeySequence.SequenceFormat.NativeText), self)
        for label in (in_menu, keys):
            label.setProperty("styleClass", "muted")
        row = hbox(self, margins=(10, 6, 10, 6), spacing=12)
        row.addWidget(title)
        row.addWidget(in_menu)
        row.addStretch(1)
        row.addWidget(keys)
