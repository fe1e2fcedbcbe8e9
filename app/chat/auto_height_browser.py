"""Text that is shown whole: as high as it is long, scrolled by the chat around it, and never fetching anything."""

from __future__ import annotations

import math

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QResizeEvent, QTextDocument, QTextOption, QWheelEvent
from PySide6.QtWidgets import QFrame, QSizePolicy, QTextBrowser, QWidget

# Height of a line in font sizes, as in the look.
LINE_HEIGHT = 1.5


class _ClosedDocument(QTextDocument):
    """A document that fetches nothing, whatever its text refers to."""

    def loadResource(self, kind: int, name: QUrl | str) -> None:  # noqa: ARG002
        return None


class AutoHeightTextBrowser(QTextBrowser):
    """A read-only document without scroll bars, whose height follows its text and its width.

    `grows` carries by how many pixels it will be higher, before it is.
    """

    grows = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("prose")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setDocument(_ClosedDocument(self))
        self.document().setDocumentMargin(0)
        self.document().setUndoRedoEnabled(False)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setOpenLinks(False)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextBrowserInteraction | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )

    def loadResource(self, kind: int, name: QUrl | str) -> None:  # noqa: ARG002
        return None

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self.fit()

    def fit(self) -> None:
        """Take the height that the text needs at this width."""
        # Told its width, a document lays out all of its text again, even if it is the one that it has.
        if self.document().textWidth() != self.viewport().width():
            self.document().setTextWidth(self.viewport().width())
        height = max(1, math.ceil(self.document().size().height()))
        if height == self.height() == self.maximumHeight():
            return
        if height > self.height() and self.isVisible():
            self.grows.emit(height - self.height())
        self.setFixedHeight(height)
