"""Buttons that copy a text and say so for a moment, that close a card, and that ask before they act."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QGuiApplication, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QPushButton, QToolButton, QWidget

from app.widgets.icons import icon
from app.widgets.keys import ENTER, claims_escape, is_escape
from app.widgets.labels import set_name
from app.widgets.style_class import set_style_class, styled
from app.widgets.theme_aware import ThemeAware

# How long a button confirms that it has copied.
CONFIRMED_MS = 2000


def button(parent: QWidget, pressed: Callable[..., object] | None = None, style_class: str = "button") -> QPushButton:
    """Return a button without words, which calls `pressed` when it is clicked."""
    made = styled(QPushButton(parent), style_class)
    if pressed is not None:
        made.clicked.connect(pressed)
    return made


class CopyButton(ThemeAware, QPushButton):
    """Copies what `text` returns when it is pressed."""

    def __init__(self, parent: QWidget, text: Callable[[], str], style_class: str = "button") -> None:
        super().__init__(parent)
        set_style_class(self, style_class)
        self._text = text
        self.bound("Copy", self)
        self.clicked.connect(self._copy)
        self.restyle()

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._text())
        self.setText(self.tr("Copied"))
        QTimer.singleShot(CONFIRMED_MS, self, lambda: self.setText(self.tr("Copy")))


def fold_head(parent: QWidget) -> QPushButton:
    """Return a button in the form of a line, which shows and hides a fold."""
    head = styled(QPushButton(parent), "fold")
    head.setCheckable(True)
    head.setIcon(icon("chevron-right", checked="chevron-down"))
    head.setIconSize(QSize(14, 14))
    return head


class CloseButton(ThemeAware, QToolButton):
    """A cross that calls `close`, to close the card or the pane that it is in."""

    def __init__(self, parent: QWidget, close: Callable[[], object]) -> None:
        super().__init__(parent)
        self.setIcon(icon("close"))
        self.setIconSize(QSize(16, 16))
        self.bound("Close", self, set_name)
        self.clicked.connect(lambda: close())
        self.restyle()


class ConfirmButton(ThemeAware, QPushButton):
    """A button that asks before it acts: `confirmed` follows the second press.

    Subclasses word the button and its question in `retranslate`. The question is withdrawn when the focus moves or
    Escape is pressed; `left` is emitted after Escape.
    """

    confirmed = Signal()
    left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        styled(self, "button")
        self.asks = False
        self.clicked.connect(self._press)

    def ask(self) -> None:
        self.asks = True
        self.retranslate()
        # Not every system gives the focus to a button that is clicked.
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def withdraw(self) -> None:
        self.asks = False
        self.retranslate()

    def _press(self) -> None:
        if self.asks:
            self.confirmed.emit()
            self.withdraw()
        else:
            self.ask()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if is_escape(event) and self.asks:
            self.withdraw()
            self.left.emit()
        elif event.key() in ENTER and not event.isAutoRepeat():
            self.click()
        else:
            super().keyPressEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        # Nobody has read the question before the second press of a double click.
        event.accept()

    def event(self, event: QEvent) -> bool:
        # The first events come while the button is being made.
        return (is_escape(event) and self.asks and claims_escape(event)) or super().event(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if self.asks:
            self.withdraw()
