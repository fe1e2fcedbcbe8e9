"""The line below each answer of the Starter: what it is, and the button with which to choose a larger model."""

from __future__ import annotations

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QPushButton, QWidget

from app.widgets.labels import label
from app.widgets.layouts import fill, hbox
from app.widgets.style_class import styled
from app.widgets.theme_aware import ThemeAware


class StarterLine(ThemeAware, QWidget):
    """A sentence and a button beside it, or below it if the line is too narrow for both.

    `larger_wanted` is emitted when the button is pressed. With `read_only` there is no button.
    """

    larger_wanted = Signal()

    def __init__(self, parent: QWidget, *, read_only: bool) -> None:
        super().__init__(parent)
        self._sentence = self.bound("A tiny model that came with Tandem.", label(self, "muted"))
        self._button = self.bound("Choose a larger one.", styled(QPushButton(self), "link-small"))
        # What the button says refers to the sentence.
        self.bound("A tiny model that came with Tandem.", self._button, QWidget.setAccessibleDescription)
        self._button.setHidden(read_only)
        self._button.clicked.connect(self.larger_wanted)
        self._line = fill(hbox(self, margins=(0, 0, 0, 0), spacing=6), self._sentence, self._button, 1)
        self.restyle()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_button()

    def minimumSizeHint(self) -> QSize:
        """Return no width: a line that asked for its own would widen the chat and never find that it does not fit."""
        return QSize(0, super().minimumSizeHint().height())

    def retranslate(self) -> None:
        self._place_button()

    def apply_text_size(self) -> None:
        self._place_button()

    def _place_button(self) -> None:
        """Put the button beside the sentence if both fit, else below it."""
        needed = self._sentence.sizeHint().width() + self._line.spacing() + self._button.sizeHint().width()
        fits = needed <= self.width()
        self._line.setDirection(QBoxLayout.Direction.LeftToRight if fits else QBoxLayout.Direction.TopToBottom)
