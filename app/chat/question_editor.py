"""A question that is being edited, in the place of its bubble."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.chat.composer import MessageEdit


class QuestionEditor(QFrame):
    """`submitted` carries the new text, `cancelled` follows Esc and the button."""

    submitted = Signal(str)
    cancelled = Signal()

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("composerCard")
        self.edit = MessageEdit(self)
        self.edit.setPlainText(text)
        self._send, self._cancel = QPushButton(self), QPushButton(self)
        self._send.setProperty("look", "accent")
        self._cancel.setProperty("look", "button")
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addStretch(1)
        buttons.addWidget(self._cancel)
        buttons.addWidget(self._send)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 12, 12, 10)
        column.setSpacing(8)
        column.addWidget(self.edit)
        column.addLayout(buttons)
        self.edit.submitted.connect(self._submit)
        self._send.clicked.connect(self._submit)
        self._cancel.clicked.connect(self.cancelled)
        self.setFocusProxy(self.edit)
        self.retranslate()

    def _submit(self) -> None:
        self.edit.commit_preedit()
        if text := self.edit.toPlainText().strip():
            self.submitted.emit(text)

    def event(self, event: QEvent) -> bool:
        escape = isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape
        if escape and event.type() == QEvent.Type.ShortcutOverride:
            # Otherwise the shortcut that stops an answer would get the key.
            event.accept()
            return True
        if escape and event.type() == QEvent.Type.KeyPress:
            self.cancelled.emit()
            return True
        return super().event(event)

    def retranslate(self) -> None:
        self.edit.setAccessibleName(self.tr("Edit the message"))
        self._send.setText(self.tr("Send"))
        self._cancel.setText(self.tr("Cancel"))
