"""Fields of one line, and those for searches, which search while an input method composes a syllable."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QAction, QColor, QGuiApplication, QInputMethodEvent, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QLineEdit, QListWidget, QStyle, QStyleOptionFrame, QToolButton, QWidget

from app.widgets.icons import icon
from app.widgets.keys import ENTER, claims_escape, is_escape
from app.widgets.labels import set_name
from app.widgets.popups import round_field_menu
from app.widgets.theme import colours
from app.widgets.theme_aware import ThemeAware

# The space that QLineEdit leaves before its text.
_BEFORE_TEXT = 2


class TextField(QLineEdit):
    """A field whose Enter belongs to the input method while that is composing.

    It draws its placeholder itself: QLineEdit cuts it off at the height of the field's font, while a font that stands
    in for Korean, Japanese or Chinese letters is taller. The style sheet makes QLineEdit's placeholder transparent.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._preedit = ""
        round_field_menu(self)

    @property
    def composing(self) -> bool:
        return bool(self._preedit)

    def commit_preedit(self) -> None:
        """Make the text that is being composed part of the field's text."""
        if self.composing:
            QGuiApplication.inputMethod().commit()
        if self.composing:
            # The platform did not.
            event = QInputMethodEvent()
            event.setCommitString(self._preedit)
            self.inputMethodEvent(event)

    def event(self, event: QEvent) -> bool:
        pressed = self.composing and event.type() == QEvent.Type.KeyPress
        if pressed and isinstance(event, QKeyEvent) and event.key() in ENTER:
            event.accept()
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.text() or self.composing:
            return
        option = QStyleOptionFrame()
        self.initStyleOption(option)
        area = self.style().subElementRect(QStyle.SubElement.SE_LineEditContents, option, self)
        area = area.marginsRemoved(self.textMargins()).adjusted(_BEFORE_TEXT, 0, -_BEFORE_TEXT, 0)
        metrics = self.fontMetrics()
        baseline = area.top() + (area.height() - metrics.height() + 1) // 2 + metrics.ascent()
        painter = QPainter(self)
        painter.setPen(QColor(colours().faint))
        shown = metrics.elidedText(self.placeholderText(), Qt.TextElideMode.ElideRight, area.width())
        painter.drawText(area.left(), baseline, shown)
        painter.end()

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        self._preedit = event.preeditString()
        super().inputMethodEvent(event)


class LiveField(TextField):
    """A field whose `typed` carries the search text after every change.

    Hangul that an input method is composing counts as typed, because the same text is committed; the letters that are
    later replaced by a Japanese or Chinese word do not.
    """

    typed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._composed = self._emitted = ""
        self.textChanged.connect(self._emit)

    @property
    def words(self) -> str:
        """The search text, with the Hangul that is being composed."""
        cursor = self.cursorPosition()
        return self.text()[:cursor] + self._composed + self.text()[cursor:]

    def clear(self) -> None:
        """Clear the field, and the text being composed, for which Qt sends no event."""
        self._composed = self._preedit = ""
        super().clear()
        self._emit()

    def put(self, text: str) -> None:
        """Set the text without emitting `typed`."""
        self._composed = ""
        self._emitted = text
        self._preedit = ""
        self.setText(text)

    def _emit(self) -> None:
        if self.words != self._emitted:
            self._emitted = self.words
            self.typed.emit(self.words)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        self._composed = ""
        super().inputMethodEvent(event)
        preedit = self._preedit
        self._composed = preedit if all("가" <= sign <= "힣" for sign in preedit) else ""
        self._emit()


class ListField(LiveField):
    """The field above the `rows` of a card. The arrow keys choose a row, Enter emits `taken`."""

    taken = Signal()

    def __init__(self, rows: QListWidget, parent: QWidget) -> None:
        super().__init__(parent)
        self._rows = rows

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Up):
            step = 1 if event.key() == Qt.Key.Key_Down else -1
            self._rows.setCurrentRow((self._rows.currentRow() + step) % max(self._rows.count(), 1))
        elif event.key() in ENTER:
            self.taken.emit()
        else:
            super().keyPressEvent(event)


class SearchField(ThemeAware, LiveField):
    """The field above a list of results, with a button that clears it.

    The Down key emits `down`, Enter emits `chosen`, and Esc clears the field.
    """

    down = Signal()
    chosen = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setClearButtonEnabled(True)
        # Qt's button has no name, and an icon that is black in every theme.
        [clear] = self.findChildren(QAction, "_q_qlineeditclearaction")
        [button] = self.findChildren(QToolButton)
        clear.setIcon(icon("close"))
        self.bound("Clear the text", button, set_name)
        self.restyle()

    def event(self, event: QEvent) -> bool:
        return (bool(self.text()) and claims_escape(event)) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if is_escape(event) and self.text():
            self.clear()
        elif event.key() == Qt.Key.Key_Down:
            self.down.emit()
        elif event.key() in ENTER:
            self.chosen.emit()
        else:
            super().keyPressEvent(event)
