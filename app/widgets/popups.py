"""Popups with rounded corners: menus, the lists of choices, the menus of text fields."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QAbstractSpinBox, QLineEdit, QMenu, QPlainTextEdit, QTextEdit, QWidget

from app.widgets.icons import icon
from app.widgets.labels import fixed_font

# The size of a tick, in pixels. The style sheet leaves room for it.
_TICK = 14
# Its distance from the edge of its row, in pixels.
_BEFORE_TICK = 5


class Menu(QMenu):
    """A menu with rounded corners. It paints its own ticks, because Qt's ticks have jagged edges on a sharp screen."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        round_corners(self)

    def showEvent(self, event: QShowEvent) -> None:
        """Select the checked row or else the first, so that Enter does something."""
        super().showEvent(event)
        rows = [row for row in self.actions() if row.isEnabled() and row.isVisible() and not row.isSeparator()]
        if self.activeAction() is None and rows:
            self.setActiveAction(next((row for row in rows if row.isChecked()), rows[0]))

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        with QPainter(self) as painter:
            for row in self.actions():
                if row.isVisible() and row.isCheckable() and row.isChecked():
                    place = self.actionGeometry(row)
                    top = place.center().y() - _TICK // 2 + 1
                    tick = icon("check", "text" if row.isEnabled() else "faint")
                    tick.paint(painter, QRect(place.left() + _BEFORE_TICK, top, _TICK, _TICK))

    def add_command(self, name: str, run: Callable[[], object]) -> None:
        """Add a command with its literal name."""
        self.addAction(name.replace("&", "&&")).triggered.connect(lambda: run())

    def add_choice(self, name: str, chosen: bool, choose: Callable[[], object]) -> None:
        """Add a choice with its literal name, marked if it is the `chosen` one."""
        action = self.addAction(name.replace("&", "&&"))
        action.setCheckable(True)
        action.setChecked(chosen)
        action.triggered.connect(lambda: choose())


def round_corners(popup: QWidget) -> None:
    """Make the corners of `popup` transparent. Call it before the popup is first shown."""
    hints = Qt.WindowType.FramelessWindowHint | Qt.WindowType.NoDropShadowWindowHint
    popup.setWindowFlags(popup.windowFlags() | hints)
    popup.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)


def record_view(parent: QWidget) -> QPlainTextEdit:
    """Return a read-only view of lines that a person reads or copies; Tab leaves it."""
    view = QPlainTextEdit(parent)
    round_field_menu(view)
    view.setObjectName("record")
    view.setFont(fixed_font())
    view.setReadOnly(True)
    view.setTabChangesFocus(True)
    return view


def round_field_menu(field: QWidget) -> None:
    """Give the context menu of a text field or number box, which Qt makes at each click, rounded corners."""
    field.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
    field.customContextMenuRequested.connect(lambda at: _show_field_menu(field, at))


def _show_field_menu(field: QWidget, at: QPoint) -> None:
    edit = field.findChild(QLineEdit) if isinstance(field, QAbstractSpinBox) else field
    assert isinstance(edit, QLineEdit | QPlainTextEdit | QTextEdit)
    menu = edit.createStandardContextMenu()
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    round_corners(menu)
    menu.popup(field.mapToGlobal(at))
