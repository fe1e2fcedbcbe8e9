"""Line edits to search with: they search while a syllable is being composed, and are used by keys alone."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent, Qt, Signal
from PySide6.QtGui import QAction, QInputMethodEvent, QKeyEvent
from PySide6.QtWidgets import QLineEdit, QToolButton, QWidget

from app.widgets import theme
from app.widgets.icons import icon
from app.widgets.labels import set_name
from app.widgets.popups import round_field_menu


def name_clear_button(field: QLineEdit) -> None:
    """Name the button that clears a field, which Qt makes without a name, in the language that is set now."""
    for button in field.findChildren(QToolButton):
        set_name(button, QCoreApplication.translate("SearchField", "Clear the text"))


def colour_clear_button(field: QLineEdit) -> None:
    """Give the button that clears a field an icon in the theme's colours; Qt's own is black in every theme."""
    for action in field.findChildren(QAction, "_q_qlineeditclearaction"):
        action.setIcon(icon("close", theme.colours().muted))


class LiveField(QLineEdit):
    """`typed` carries the search text after every change.

    Hangul that an input method is composing counts as typed, because it is committed as it stands; the letters that
    stand for a Japanese or Chinese word until it is chosen do not.
    """

    typed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        round_field_menu(self)
        self._composed = self._emitted = self._preedit = ""
        self.textChanged.connect(self._emit)

    @property
    def words(self) -> str:
        """The search text, with the Hangul that is being composed."""
        cursor = self.cursorPosition()
        return self.text()[:cursor] + self._composed + self.text()[cursor:]

    def clear(self) -> None:
        """Also drops what is being composed, for which Qt sends no event here."""
        self._composed = self._preedit = ""
        super().clear()
        self._emit()

    def put(self, text: str) -> None:
        """Set the text without emitting `typed`."""
        self._composed, self._emitted, self._preedit = "", text, ""
        self.setText(text)

    def _emit(self) -> None:
        if self.words != self._emitted:
            self._emitted = self.words
            self.typed.emit(self.words)

    @property
    def composing(self) -> bool:
        """Whether an input method is composing; Enter then belongs to it."""
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
        self._emit()


class SearchField(LiveField):
    """Above a list of results. `down` follows the Down key, `chosen` follows Enter. Escape clears the field."""

    down = Signal()
    chosen = Signal()

    def event(self, event: QEvent) -> bool:
        escape = isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape
        if escape and self.text() and event.type() == QEvent.Type.ShortcutOverride:
            # Otherwise the shortcut that stops an answer gets the key.
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
