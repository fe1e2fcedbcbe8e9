"""Labels and tooltips that show text literally. By default, Qt renders what looks like HTML."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFont, QFontDatabase, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from app.widgets.line_breaks import LONGEST_NAME, with_good_breaks


def tip(words: str) -> str:
    """Return a text for `setToolTip` that contains words of a person, a model or a file."""
    if "<" not in words and "&" not in words:
        return words
    return f'<p style="white-space: pre-wrap">{escape(words)}</p>'


def wrapped_tip(*paragraphs: str) -> str:
    """Return long sentences for `setToolTip` as rich text, because Qt does not wrap the lines of plain text."""
    return "".join(f"<p>{escape(words)}</p>" for words in paragraphs)


def set_name(widget: QWidget, words: str) -> None:
    """Set the tooltip and the accessible name of a widget without a text."""
    widget.setToolTip(tip(words))
    widget.setAccessibleName(words)


def label(parent: QWidget, style_class: str, *, wraps: bool = False) -> QLabel:
    """Return an empty label with that style class."""
    made = SentenceLabel(parent) if wraps else QLabel(parent)
    made.setTextFormat(Qt.TextFormat.PlainText)
    made.setProperty("styleClass", style_class)
    return made


def fixed_font() -> QFont:
    """Return the system's font of fixed width without ligatures, for texts that a person reads letter by letter."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    font.setFeature(QFont.Tag("liga"), 0)
    return font


def show_words(shown: QLabel, words: str) -> None:
    """Show the words in a label that takes no room while there are none."""
    shown.setText(words)
    shown.setVisible(bool(words))


class ElidedLabel(QLabel):
    """One line that never asks for width. A text that does not fit is elided at `mode`; the tooltip has all of it."""

    def __init__(self, parent: QWidget | None = None, mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self._mode = mode
        self._briefer: tuple[str, ...] = ()

    def show_text(self, text: str, *briefer: str) -> None:
        """Show `text`, or where it does not fit the first of `briefer` that does."""
        self._briefer = briefer
        self.setText(text)
        self.update()

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        inside = self.contentsRect()
        for words in (self.text(), *self._briefer):
            shown = self.fontMetrics().elidedText(words, self._mode, inside.width())
            if shown == words:
                break
        QPainter(self).drawText(inside, self.alignment(), shown)
        self.setToolTip("" if shown == self.text() else tip(self.text()))


class SentenceLabel(QLabel):
    """Wraps plain text at good places. `text()` and screen readers get the text without the added characters.

    The name of a file of up to `longest_name` letters stays on one line.
    """

    def __init__(self, parent: QWidget | None = None, longest_name: int = LONGEST_NAME) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self._text = ""
        self._longest_name = longest_name

    def text(self) -> str:
        return self._text

    def setText(self, text: str) -> None:
        is_plain = self.textFormat() is Qt.TextFormat.PlainText
        self._text = text
        shown = with_good_breaks(text, self._longest_name) if is_plain else text
        super().setText(shown)
        self.setAccessibleName(text if shown != text else "")


class WrappedLabel(SentenceLabel):
    """Wraps its text and sets its own height to fit.

    The height of a wrapped QLabel depends on its width, and a scroll area reserves the height for the narrowest width,
    which leaves empty space at the end of a chat.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def hasHeightForWidth(self) -> bool:
        return False

    def minimumSizeHint(self) -> QSize:
        """Ask for no width, so that a very long word does not make the chat wider."""
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
        # QLabel never answers with less than its minimum height, so the old one is cleared first.
        self.setMinimumHeight(0)
        self.setFixedHeight(max(1, self.heightForWidth(self.width())))
