"""The field for a chat's system prompt, with the variables that may stand in it."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPlainTextEdit, QPushButton, QWidget

from app.conversations.chat_settings import VARIABLES
from app.widgets.labels import WrappedLabel, label
from app.widgets.layouts import vbox
from app.widgets.popups import Menu, round_field_menu
from app.widgets.restyled import Restyled
from app.widgets.style_class import styled

_LINES = 5


class PromptField(Restyled, QWidget):
    """`edited` carries the text after every change by the user."""

    edited = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._values: Mapping[str, str] = {}
        self._title = self.bound("System prompt", label(self, "title"))
        self.insert = self.bound("Insert a variable", styled(QPushButton(self), "quiet"))
        self.menu = Menu(self.insert)
        self.insert.setMenu(self.menu)
        self.menu.aboutToShow.connect(self.fill_menu)
        frame = QFrame(self)
        frame.setObjectName("composerCard")
        self.edit = QPlainTextEdit(frame)
        self.bound("How the model should answer in this chat", self.edit, QPlainTextEdit.setPlaceholderText)
        self.bound("System prompt", self.edit, QWidget.setAccessibleName)
        round_field_menu(self.edit)
        self.edit.setObjectName("composer")
        self.edit.setFrameShape(QFrame.Shape.NoFrame)
        self.edit.setTabChangesFocus(True)
        self.edit.ensurePolished()
        self.edit.setFixedHeight(_LINES * self.edit.fontMetrics().lineSpacing() + 12)
        inside = vbox(frame, margins=(10, 8, 10, 8))
        inside.addWidget(self.edit)
        self._hint = styled(WrappedLabel(self), "muted")
        head = QHBoxLayout()
        head.addWidget(self._title, 1)
        head.addWidget(self.insert)
        column = vbox(self, margins=(0, 0, 0, 0), spacing=6)
        column.addLayout(head)
        column.addWidget(frame)
        column.addWidget(self._hint)
        self._title.setBuddy(self.edit)
        self.edit.textChanged.connect(lambda: self.edited.emit(self.edit.toPlainText()))
        self.restyle()

    def show_prompt(self, text: str, values: Mapping[str, str]) -> None:
        """Show a prompt; `values` are what the variables stand for now."""
        self._values = values
        if text != self.edit.toPlainText():
            self.edit.blockSignals(True)
            self.edit.setPlainText(text)
            self.edit.blockSignals(False)

    def fill_menu(self) -> None:
        names = self._variable_names()
        self.menu.clear()
        for name in VARIABLES:
            value = self._values.get(name, "")
            text = f"{names[name]}: {value}" if value else names[name]
            action = self.menu.addAction(text.replace("&", "&&"))
            action.triggered.connect(lambda _=False, chosen=name: self._insert(chosen))

    def _insert(self, name: str) -> None:
        self.edit.insertPlainText(f"{{{{{name}}}}}")
        self.edit.setFocus()

    def _variable_names(self) -> dict[str, str]:
        return {
            "date": self.tr("Today's date"),
            "weekday": self.tr("Day of the week"),
            "language": self.tr("App language"),
            "model": self.tr("Main model"),
            "draft": self.tr("Draft model"),
            "computer": self.tr("System"),
        }

    def retranslate(self) -> None:
        variables = ", ".join(f"{{{{{name}}}}}" for name in VARIABLES)
        self._hint.setText(self.tr("Replaced when you send: {names}").format(names=variables))
