"""The editor that replaces the bubble of a question that is being edited."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from app.chat.message_edit import MessageEdit, trimmed
from app.widgets.layouts import hbox, vbox
from app.widgets.restyled import Restyled

_KEYPAD = Qt.KeyboardModifier.KeypadModifier


class QuestionEditor(Restyled, QFrame):
    """`submitted` carries the new text, `cancelled` follows Esc and the button.

    `send_key` is that of the message box; `needs_text` is False for a question with files.
    """

    submitted = Signal(str)
    cancelled = Signal()

    def __init__(
        self, text: str, send_key: str = "enter", needs_text: bool = True, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._needs_text = needs_text
        self.setObjectName("composerCard")
        self.edit = self.bound("Edit the message", MessageEdit(self), QWidget.setAccessibleName)
        self.edit.send_key = send_key
        self.edit.setPlainText(text)
        self._send = self.bound("Send", QPushButton(self))
        self._cancel = self.bound("Cancel", QPushButton(self))
        self._send.setProperty("styleClass", "accent")
        self._cancel.setProperty("styleClass", "button")
        buttons = hbox(spacing=8)
        buttons.addStretch(1)
        buttons.addWidget(self._cancel)
        buttons.addWidget(self._send)
        column = vbox(self, margins=(14, 12, 12, 10), spacing=8)
        column.addWidget(self.edit)
        column.addLayout(buttons)
        self.edit.submitted.connect(self._submit)
        self._send.clicked.connect(self._submit)
        self._cancel.clicked.connect(self.cancelled)
        self.setFocusProxy(self.edit)
        self.restyle()

    def _submit(self) -> None:
        self.edit.commit_preedit()
        text = trimmed(self.edit.toPlainText())
        if text or not self._needs_text:
            self.submitted.emit(text)

    def event(self, event: QEvent) -> bool:
        if not isinstance(event, QKeyEvent):
            return super().event(event)
        escape = event.key() == Qt.Key.Key_Escape
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        sends = enter and event.modifiers() & ~_KEYPAD == Qt.KeyboardModifier.ControlModifier
        if (escape or sends) and event.type() == QEvent.Type.ShortcutOverride:
            # Otherwise the shortcut that stops an answer, or sends what is in the message box, gets the key.
            event.accept()
            return True
        if (escape or sends) and event.type() == QEvent.Type.KeyPress:
            if escape:
                self.cancelled.emit()
            else:
                self._submit()
            return True
        return super().event(event)
