"""What an empty chat shows: a greeting, what stays private, and a few questions that the starter pair answers
well.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget


class Welcome(QWidget):
    """`asked` carries the example question that was clicked."""

    asked = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._hello, self._promise = QLabel(self), QLabel(self)
        self._hello.setProperty("look", "hello")
        self._promise.setProperty("look", "muted")
        self._promise.setWordWrap(True)
        self._promise.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._examples = [QPushButton(self) for _ in self.examples()]
        column = QVBoxLayout(self)
        column.setSpacing(8)
        column.addStretch(2)
        column.addWidget(self._hello, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addWidget(self._promise)
        column.addSpacing(16)
        for button in self._examples:
            button.setProperty("look", "button")
            button.clicked.connect(lambda _=False, source=button: self.asked.emit(source.text()))
            column.addWidget(button, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(3)
        self.retranslate()

    def examples(self) -> list[str]:
        return [
            self.tr("What is Tandem?"),
            self.tr("How does speculative decoding work?"),
            self.tr("What does the accept rate mean?"),
        ]

    def set_ready(self, ready: bool) -> None:
        for button in self._examples:
            button.setEnabled(ready)

    def retranslate(self) -> None:
        self._hello.setText(self.tr("What would you like to know?"))
        self._promise.setText(self.tr("The models run on this computer. Nothing you write leaves it."))
        for button, text in zip(self._examples, self.examples(), strict=True):
            button.setText(text)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange and hasattr(self, "_examples"):
            self.retranslate()
