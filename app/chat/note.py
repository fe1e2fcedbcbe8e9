"""A sentence in the place where an answer would have gone on, with the button that helps."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QWidget

from app.widgets.labels import WrappedLabel
from app.widgets.style_class import set_object_name


class Note(QFrame):
    """In the place where the answer would have gone on: why it did not, and what can be done. `acted` carries that."""

    acted = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("banner")
        self._word = ""
        self._label = WrappedLabel(self)
        self._label.setTextFormat(Qt.TextFormat.PlainText)
        self._button = QPushButton(self)
        self._button.setProperty("styleClass", "button")
        self._button.clicked.connect(lambda: self.acted.emit(self._word))
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 10, 10, 10)
        row.setSpacing(12)
        row.addWidget(self._label, 1)
        row.addWidget(self._button)

    def tell(self, sentence: str, button: str, word: str, calm: bool = False) -> None:
        """`calm` where nothing went wrong."""
        set_object_name(self, "note" if calm else "banner")
        self._word = word
        self._label.setText(sentence)
        self._button.setText(button)
        self.show()
