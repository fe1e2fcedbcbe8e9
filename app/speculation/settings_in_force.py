"""The settings of speculation in force for the chat on screen, whom they are for, and a way to where they change."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QGridLayout, QPushButton, QWidget

from app.conversations.chat_settings import SPECULATION_KEYS
from app.session.session import Session
from app.settings.pairs import own_settings
from app.settings.store import SettingsStore
from app.speculation.forms import name_of, value_words, values_of
from app.widgets.labels import label
from app.widgets.restyled import Restyled
from app.widgets.style_class import styled


class SettingsInForce(Restyled, QWidget):
    """The button triggers `chat_settings` if the chat has settings of its own, else it emits `page_wanted`."""

    page_wanted = Signal(str)

    def __init__(
        self, session: Session, preferences: SettingsStore, chat_settings: QAction, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._chat_settings = chat_settings
        self._session, self._preferences = session, preferences
        self.scope = label(self, "caption")
        self.change = self.bound("Change…", styled(QPushButton(self), "link-small"))
        self.change.clicked.connect(self._lead)
        self._names = {key: label(self, "muted") for key in SPECULATION_KEYS}
        self.values = {key: label(self, "strong") for key in SPECULATION_KEYS}
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 8)
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(0, 1)
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        grid.addWidget(self.scope, 0, 0)
        grid.addWidget(self.change, 0, 1, right)
        for row, key in enumerate(SPECULATION_KEYS, 1):
            grid.addWidget(self._names[key], row, 0)
            grid.addWidget(self.values[key], row, 1, right)
        settings = session.settings
        for changed in (session.chats.opened, session.models.changed, settings.chat_changed):
            changed.connect(lambda *_: self._show())
        settings.speculation_changed.connect(self._show)
        preferences.subscribe(self._show)
        self.destroyed.connect(partial(preferences.unsubscribe, self._show))
        self.restyle()

    def _is_of_chat(self) -> bool:
        return any(key in self._session.chat.own for key in SPECULATION_KEYS)

    def _lead(self) -> None:
        if self._is_of_chat():
            self._chat_settings.trigger()
        else:
            self.page_wanted.emit("speculation")

    def _show(self) -> None:
        if self._is_of_chat():
            scope = self.tr("Settings of this chat")
        elif own_settings(self._preferences.values, *self._session.models.pair.names) is not None:
            scope = self.tr("Settings of this model pair")
        else:
            scope = self.tr("Settings of all chats")
        self.scope.setText(scope)
        self.change.setAccessibleDescription(scope)
        for key, value in values_of(self._session.settings.speculation).items():
            self._names[key].setText(name_of(key))
            self.values[key].setText(value_words(key, value))

    def retranslate(self) -> None:
        self._show()
