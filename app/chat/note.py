"""The note below an answer that says why it stopped, with the button that helps."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from app.widgets.labels import WrappedLabel
from app.widgets.layouts import fill, hbox
from app.widgets.style_class import set_object_name, styled


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

    def show_message(self, sentence: str, button: str, action: str, calm: bool = False) -> None:
        """Show the note. `calm`: nothing went wrong."""
        set_object_name(self, "note" if calm else "banner")
        self._action = action
        self._label.setText(sentence)
        self._button.setText(button)
        self.show()
