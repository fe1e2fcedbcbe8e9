"""The editor that replaces the bubble of a question that is being edited."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from app.chat.message_edit import MessageEdit, trimmed
from app.widgets.keys import ENTER, is_escape
from app.widgets.layouts import fill, hbox, vbox
from app.widgets.restyled import Restyled
from app.widgets.style_class import styled

_KEYPAD = Qt.KeyboardModifier.KeypadModifier


class QuestionEditor(Restyled, QFrame):
    """The editor. `submitted` carries the new text; Esc and a button emit `cancelled`.

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
        send = self.bound("Send", styled(QPushButton(self), "accent"))
        cancel = self.bound("Cancel", styled(QPushButton(self), "button"))
        buttons = fill(hbox(spacing=8), 1, cancel, send)
        fill(vbox(self, margins=(14, 12, 12, 10), spacing=8), self.edit, buttons)
        self.edit.submitted.connect(self._submit)
        send.clicked.connect(self._submit)
        cancel.clicked.connect(self.cancelled)
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
        sends = event.key() in ENTER and event.modifiers() & ~_KEYPAD == Qt.KeyboardModifier.ControlModifier
        if (is_escape(event) or sends) and event.type() == QEvent.Type.ShortcutOverride:
            # Otherwise the shortcut that stops an answer, or sends the text in the message box, gets the key.
            event.accept()
            return True
        if (is_escape(event) or sends) and event.type() == QEvent.Type.KeyPress:
            if sends:
                self._submit()
            else:
                self.cancelled.emit()
            return True
        return super().event(event)
