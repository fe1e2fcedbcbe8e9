"""A label of several lines that knows its height."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget


class WrappedLabel(QLabel):
    """Wraps its text, shown as it is written, and sets its own height to fit.

    A plain wrapped QLabel asks layouts for a height that depends on its width; a scroll area answers with the height
    of the narrowest width, which leaves empty room at the end of a chat.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def hasHeightForWidth(self) -> bool:
        return False

    def minimumSizeHint(self) -> QSize:
        """A word that is wider than the chat must not make the chat wider."""
        return QSize(0, super().minimumSizeHint().height())

    def setText(self, text: str) -> None:
        if text != self.text():
            super().setText(text)
            self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self._fit()

    def _fit(self) -> None:
        # QLabel never answers with less than its minimum, so the old height has to go first.
        self.setMinimumHeight(0)
        self.setFixedHeight(max(1, self.heightForWidth(self.width())))
