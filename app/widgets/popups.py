"""Popups with rounded corners: menus, the lists of choices, the menus of text fields."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QBitmap, QGuiApplication, QPainter
from PySide6.QtWidgets import QAbstractSpinBox, QLineEdit, QMenu, QPlainTextEdit, QTextEdit, QWidget

# The radius in the style sheet.
_RADIUS = 8


class Menu(QMenu):
    """A menu with rounded corners."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        round_corners(self)


def round_corners(popup: QWidget) -> None:
    """Make the corners of `popup` transparent. Call it before the popup is first shown."""
    hints = Qt.WindowType.FramelessWindowHint | Qt.WindowType.NoDropShadowWindowHint
    popup.setWindowFlags(popup.windowFlags() | hints)
    if QGuiApplication.platformName() == "xcb":
        _Mask(popup)
    else:
        popup.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)


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


class _Mask(QObject):
    """Cuts the corners of a popup on X11, where translucent areas are black if no compositor runs."""

    def __init__(self, popup: QWidget) -> None:
        super().__init__(popup)
        popup.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # Before Qt shows the list of a combo box, it sets another mask.
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Show) and isinstance(watched, QWidget):
            shape = QBitmap(watched.size())
            shape.clear()
            with QPainter(shape) as painter:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(Qt.GlobalColor.color1)
                painter.drawRoundedRect(watched.rect(), _RADIUS, _RADIUS)
            watched.setMask(shape)
        return super().eventFilter(watched, event)
