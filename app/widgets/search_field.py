"""Lines to search with: while a syllable is still being composed, and by the keys alone."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QInputMethodEvent, QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget


class LiveField(QLineEdit):
    """`typed` carries the words as they are read.

    Hangul that an input method composes counts as typed, for it is what it will be; what stands for a Japanese or
    Chinese word until that is chosen does not.
    """

    typed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._composed = self._told = self._preedit = ""
        self.textChanged.connect(self._tell)

    @property
    def words(self) -> str:
        """What it is searched for."""
        place = self.cursorPosition()
        return self.text()[:place] + self._composed + self.text()[place:]

    def clear(self) -> None:
        """Also of what is being composed, of which no event tells then."""
        self._composed = self._preedit = ""
        super().clear()
        self._tell()

    def put(self, text: str) -> None:
        """Take these words without telling of them."""
        self._composed, self._told, self._preedit = "", text, ""
        self.setText(text)

    def _tell(self) -> None:
        if self.words != self._told:
            self._told = self.words
            self.typed.emit(self.words)

    @property
    def composing(self) -> bool:
        """Whether an input method is at work; Enter is its own then."""
        return bool(self._preedit)

    def event(self, event: QEvent) -> bool:
        pressed = self.composing and event.type() == QEvent.Type.KeyPress
        if pressed and isinstance(event, QKeyEvent) and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            event.accept()
            return True
        return super().event(event)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        self._composed = ""
        super().inputMethodEvent(event)
        preedit = self._preedit = event.preeditString()
        self._composed = preedit if all("가" <= sign <= "힣" for sign in preedit) else ""
        self._tell()


class SearchField(LiveField):
    """Above a list of what is found: `down` follows the key that goes there, `chosen` Enter. Escape empties it."""

    down = Signal()
    chosen = Signal()

    def event(self, event: QEvent) -> bool:
        escape = isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape
        if escape and self.text() and event.type() == QEvent.Type.ShortcutOverride:
            # Otherwise the shortcut that stops an answer would get the key.
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        elif event.key() == Qt.Key.Key_Down:
            self.down.emit()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.chosen.emit()
        else:
            super().keyPressEvent(event)
