"""The quick entry: a small window over all programs, whose message becomes a new chat."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QCursor, QGuiApplication, QPainter, QPaintEvent
from PySide6.QtWidgets import QPlainTextEdit, QStyle, QStyleOption, QWidget

from app.chat.message_edit import QuestionEditor
from app.settings.store import SettingsStore
from app.system.hot_key import hot_key
from app.system.mac_windows import mac_windows
from app.widgets import theme


class QuickEntry(QuestionEditor):
    """The window, which the shortcut of the settings opens. `submitted` carries the message; Esc keeps it."""

    def __init__(self, settings: SettingsStore, window: QWidget) -> None:
        super().__init__("", parent=window)
        self._settings = settings
        kinds = Qt.WindowType
        # On macOS, Qt makes a panel of a dialog or a tool, but raises a new tool, which would activate Tandem.
        kind = kinds.Window if mac_windows() is None else kinds.Dialog
        self.setWindowFlags(kind | kinds.FramelessWindowHint | kinds.WindowStaysOnTopHint)
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
        self.bound("Quick entry", self, QWidget.setWindowTitle)
        self.bound("Message for a new chat", self.edit, QPlainTextEdit.setPlaceholderText, QWidget.setAccessibleName)
        self.edit.edited.connect(self.adjustSize)
        self.cancelled.connect(self.hide)
        self.submitted.connect(self.edit.clear_and_return)
        self.submitted.connect(self.hide)
        if (shortcut := hot_key()) is not None:
            shortcut.pressed = self.open
            # The page of the settings says why a shortcut is refused.
            settings.subscribe(lambda: shortcut.choose(settings.values.quick_entry))
            shortcut.choose(settings.values.quick_entry)

    def open(self) -> None:
        """Show the window in front of all others, on the screen that has the pointer.

        On macOS the program that the person came from stays active, so that it has the keyboard again after Esc.
        """
        self.edit.send_key = self._settings.values.send_key
        self.setFixedWidth(theme.scaled(560))
        area = (QGuiApplication.screenAt(QCursor.pos()) or self.screen()).availableGeometry()
        self.move(area.center().x() - self.width() // 2, area.top() + area.height() // 4)
        windows = mac_windows()
        if windows is not None:
            windows.float_over_all(self.winId())
        self.show()
        self.adjustSize()
        if windows is None:
            # On macOS, this would activate Tandem.
            self.raise_()
        self.activateWindow()
        self.edit.setFocus()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the card, whose round corners are transparent; Qt paints no background of such a window."""
        option = QStyleOption()
        option.initFrom(self)
        with QPainter(self) as painter:
            self.style().drawPrimitive(QStyle.PrimitiveElement.PE_Widget, option, painter, self)
