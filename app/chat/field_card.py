"""A text field of a fixed number of lines in a card, for the settings of a chat."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QWidget

from app.widgets.layouts import fill, vbox
from app.widgets.popups import round_field_menu
from app.widgets.style_class import set_property


class FieldCard(QFrame):
    """The card around `edit`, a field of `lines` lines. Tab leaves the field, and the card shows its focus."""

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
        self.edit.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            set_property(self, "active", event.type() == QEvent.Type.FocusIn)
        return super().eventFilter(watched, event)
