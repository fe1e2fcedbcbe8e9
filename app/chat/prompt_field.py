"""A system prompt being written, with the variables that may stand in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QMenu, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from app.conversations.chat_settings import VARIABLES
from app.widgets.labels import WrappedLabel

if TYPE_CHECKING:
    from collections.abc import Mapping

_LINES = 5


class PromptField(QWidget):
    """`edited` carries the text. `values` are what the variables stand for now."""

    edited = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._values: Mapping[str, str] = {}
        self._title = QLabel(self)
        self._title.setProperty("styleClass", "title")
        self.insert = QPushButton(self)
        self.insert.setProperty("styleClass", "quiet")
        self.menu = QMenu(self.insert)
        self.insert.setMenu(self.menu)
        self.menu.aboutToShow.connect(self.fill_menu)
        frame = QFrame(self)
        frame.setObjectName("composerCard")
        self.edit = QPlainTextEdit(frame)
        self.edit.setObjectName("composer")
        self.edit.setFrameShape(QFrame.Shape.NoFrame)
        self.edit.setTabChangesFocus(True)
        self.edit.ensurePolished()
        self.edit.setFixedHeight(_LINES * self.edit.fontMetrics().lineSpacing() + 12)
        inside = QVBoxLayout(frame)
        inside.setContentsMargins(10, 8, 10, 8)
        inside.addWidget(self.edit)
        self._hint = WrappedLabel(self)
        self._hint.setProperty("styleClass", "muted")
        head = QHBoxLayout()
        head.addWidget(self._title, 1)
        head.addWidget(self.insert)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addLayout(head)
        column.addWidget(frame)
        column.addWidget(self._hint)
        self._title.setBuddy(self.edit)
        self.edit.textChanged.connect(lambda: self.edited.emit(self.edit.toPlainText()))
        self.retranslate()

    def show_prompt(self, text: str, values: Mapping[str, str]) -> None:
        self._values = values
        if text != self.edit.toPlainText():
            self.edit.blockSignals(True)
            self.edit.setPlainText(text)
            self.edit.blockSignals(False)

    def fill_menu(self) -> None:
        words = self._words()
        self.menu.clear()
        for name in VARIABLES:
            value = self._values.get(name, "")
            text = f"{words[name]}: {value}" if value else words[name]
            action = self.menu.addAction(text.replace("&", "&&"))
            action.triggered.connect(lambda _=False, chosen=name: self._insert(chosen))

    def _insert(self, name: str) -> None:
        self.edit.insertPlainText(f"{{{{{name}}}}}")
        self.edit.setFocus()

    def _words(self) -> dict[str, str]:
        return {
            "date": self.tr("Today's date"),
            "weekday": self.tr("Day of the week"),
            "language": self.tr("Language of the window"),
            "model": self.tr("Main model"),
            "draft": self.tr("Draft model"),
            "computer": self.tr("System"),
        }

    def retranslate(self) -> None:
        self._title.setText(self.tr("System prompt"))
        self.insert.setText(self.tr("Insert a variable"))
        self.edit.setPlaceholderText(self.tr("How the model should answer in this chat"))
        self.edit.setAccessibleName(self.tr("System prompt"))
        names = ", ".join(f"{{{{{name}}}}}" for name in VARIABLES)
        self._hint.setText(self.tr("Filled in when a question is sent: {names}").format(names=names))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange and hasattr(self, "_hint"):
            self.retranslate()
