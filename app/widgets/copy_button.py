"""The button that copies a text and says so for a moment."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton, QWidget

from app.widgets.restyled import Restyled
from app.widgets.style_class import set_style_class

# How long a button confirms that it has copied.
CONFIRMED_MS = 2000


class CopyButton(Restyled, QPushButton):
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
