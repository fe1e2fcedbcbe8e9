"""A text browser that is as high as its text, leaves scrolling to the chat, and never fetches anything."""

from __future__ import annotations

import math
from collections.abc import Iterator

from PySide6.QtCore import QEvent, QMimeData, QObject, Qt, QUrl, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent, QTextBlock, QTextDocument, QTextOption, QWheelEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QSizePolicy, QTextBrowser, QWidget
from shiboken6 import isValid

from app.widgets.keyboard_focus import KeyboardFocus

# Height of a line, in font sizes.
LINE_HEIGHT = 1.5


def blocks_of(document: QTextDocument) -> Iterator[QTextBlock]:
    """Yield the blocks of a document, which may be formatted meanwhile."""
    block = document.begin()
    while block.isValid():
        yield block
        block = block.next()


def only_sideways(area: QAbstractScrollArea) -> None:
    """Leave the wheel to the widget around a read-only text, unless it is turned sideways.

    This holds over the text's scroll bar, too. The text shows a cursor only while it has the focus from the keyboard.
    """

    def show_cursor(is_shown: bool) -> None:
        # A text that has the focus loses it while it is being deleted.
        if isValid(area):
            area.setProperty("cursorWidth", 1 if is_shown else 0)

    show_cursor(False)
    KeyboardFocus(area).changed.connect(show_cursor)
    area.horizontalScrollBar().installEventFilter(_Sideways(area))


class _Sideways(QObject):
    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if not isinstance(event, QWheelEvent) or is_sideways(event):
            return False
        event.ignore()
        return True


def is_sideways(event: QWheelEvent) -> bool:
    return abs(event.angleDelta().x()) > abs(event.angleDelta().y())


class _ClosedDocument(QTextDocument):
    """Fetches nothing, whatever its text refers to."""

    def loadResource(self, kind: int, name: QUrl | str) -> None:  # noqa: ARG002
        return None


class AutoHeightTextBrowser(QTextBrowser):
    """Read-only text whose height follows its text and its width. Only what is too wide, such as a table, is scrolled.

    `grows` carries by how many pixels the height will grow, before it does.
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
        only_sideways(self)
        self._is_wide = False
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setOpenLinks(False)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextBrowserInteraction | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )

    def loadResource(self, kind: int, name: QUrl | str) -> None:  # noqa: ARG002
        return None

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self._is_wide and is_sideways(event):
            super().wheelEvent(event)
        else:
            event.ignore()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        # Qt scrolls to the cursor, which is at the end of the text.
        self.horizontalScrollBar().setValue(0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self.fit()

    def fit(self) -> None:
        """Set the height that the text needs at this width."""
        # `setTextWidth` lays out the whole text again, even for the same width.
        if self.document().textWidth() != self.viewport().width():
            self.document().setTextWidth(self.viewport().width())
        # Borders of tables may take a pixel more.
        wide = self.document().size().width() > self.viewport().width() + 1
        policy = Qt.ScrollBarPolicy
        if wide != self._is_wide:
            self._is_wide = wide
            self.setHorizontalScrollBarPolicy(policy.ScrollBarAlwaysOn if wide else policy.ScrollBarAlwaysOff)
        bar = self.horizontalScrollBar().sizeHint().height() if wide else 0
        height = max(1, math.ceil(self.document().size().height())) + bar
        if height == self.height() == self.maximumHeight():
            return
        if height > self.height() and self.isVisible():
            self.grows.emit(height - self.height())
        self.setFixedHeight(height)


class PlainTextBrowser(AutoHeightTextBrowser):
    """Read-only text that copies as plain text, without the window's fonts."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        # Reached with the mouse and from the buttons below it; Tab skips it.
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.viewport().setCursor(Qt.CursorShape.IBeamCursor)

    def show_text(self, text: str) -> None:
        if text != self.toPlainText():
            self.ensurePolished()
            self.setPlainText(text)
            self.fit()

    def createMimeDataFromSelection(self) -> QMimeData:
        data = QMimeData()
        data.setText(self.textCursor().selection().toPlainText())
        return data
