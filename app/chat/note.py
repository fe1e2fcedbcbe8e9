"""The note below an answer that says why it stopped, with the button that helps."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from app.chat.answer_texts import Trouble
from app.widgets.labels import WrappedLabel
from app.widgets.layouts import fill, hbox
from app.widgets.style_class import set_property, set_style_class, styled


class Note(QFrame):
    """A sentence and a button. `acted` carries the action of the pressed button."""

    acted = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("banner")
        self._action = ""
        self._label = WrappedLabel(self)
        self._button = styled(QPushButton(self), "button")
        self._button.clicked.connect(lambda: self.acted.emit(self._action))
        fill(hbox(self, margins=(14, 10, 10, 10), spacing=12), (self._label, 1), self._button)

    def show_trouble(self, trouble: Trouble) -> None:
        """Show why an answer is of no use, and the button that helps."""
        set_property(self, "objectName", "note" if trouble.calm else "banner")
        self._action = trouble.action
        self._label.setText(trouble.sentence)
        set_style_class(self._button, "accent" if trouble.fills_button else "button")
        self._button.setText(trouble.button)
        self.show()
