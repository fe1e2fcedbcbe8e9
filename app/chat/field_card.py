"""A text field of a fixed number of lines in a card, for the settings of a chat."""

from __future__ import annotations

from PySide6.QtGui import QFont
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QWidget

from app.widgets.layouts import fill, vbox
from app.widgets.popups import round_field_menu


class FieldCard(QFrame):
    """The card around `edit`, a field of `lines` lines. Tab leaves the field."""

    def __init__(self, parent: QWidget, lines: int, font: QFont | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("composerCard")
        self.edit = QPlainTextEdit(self)
        round_field_menu(self.edit)
        self.edit.setObjectName("composer")
        self.edit.setFrameShape(QFrame.Shape.NoFrame)
        if font is not None:
            self.edit.setFont(font)
        self.edit.setTabChangesFocus(True)
        self.edit.ensurePolished()
        self.edit.setFixedHeight(lines * self.edit.fontMetrics().lineSpacing() + 12)
        fill(vbox(self, margins=(10, 8, 10, 8)), self.edit)
