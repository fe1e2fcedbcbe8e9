"""The mark of a temporary chat, above the message box."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QWidget

from app.actions.actions import Actions
from app.speculation.gauges import ActionButtons
from app.widgets.labels import WrappedLabel
from app.widgets.layouts import fill, hbox
from app.widgets.theme_aware import ThemeAware


class TemporaryMark(ThemeAware, QFrame):
    """Says that the chat is stored nowhere, and offers to keep it."""

    def __init__(self, actions: Actions, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("note")
        words = self.bound("Temporary chat: it is not saved, and gone when you leave it.", WrappedLabel(self))
        keep = ActionButtons(actions, ("keep-chat",), self)
        fill(hbox(self, margins=(14, 6, 10, 6), spacing=12), (words, 1), keep)
        self.restyle()
