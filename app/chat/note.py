"""Why an answer did not go on, below it, with the button that helps."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QWidget

from app.widgets.labels import WrappedLabel
from app.widgets.style_class import set_object_name


class Note(QFrame):
    """A sentence and a button. `acted` carries the action of the button when it is pressed."""

    acted = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("banner")
        self._action = ""
        self._label = WrappedLabel(self)
        self._button = QPushButton(self)
        self._button.setProperty("styleClass", "button")
        self._button.clicked.connect(lambda: self.acted.emit(self._action))
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 10, 10, 10)
        row.setSpacing(12)
        row.addWidget(self._label, 1)
        row.addWidget(self._button)

    def show_message(self, sentence: str, button: str, action: str, calm: bool = False) -> None:
        """`calm` if nothing went wrong."""
        set_object_name(self, "note" if calm else "banner")
        self._action = action
        self._label.setText(sentence)
        self._button.setText(button)
        self.show()
