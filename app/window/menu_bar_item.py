"""Tandem's icon in the system's menu bar or tray: what is loaded, how fast it answers, and a few commands."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QSystemTrayIcon, QWidget

from app.actions.actions import Actions
from app.session.answer import Answer
from app.session.session import Session
from app.settings.store import SettingsStore
from app.widgets import outside
from app.widgets.popups import Menu
from app.wording.figures import speed_sentence
from app.wording.models import pair_name


class MenuBarItem(QObject):
    """Shows the icon while the person wants it and the system has a place for it.

    The speed is the newest answer's in any chat, also while it is written.
    """

    def __init__(self, session: Session, settings: SettingsStore, actions: Actions, window: QWidget) -> None:
        super().__init__(window)
        self._session = session
        self._settings = settings
        self._actions = actions
        self._tray: QSystemTrayIcon | None = None
        self._answer = Answer()
        self.menu = Menu(window)
        self._loaded, self._speed, self._new_chat, self._unload = (QAction(self) for _ in range(4))
        for words in (self._loaded, self._speed):
            words.setEnabled(False)
        self.menu.addActions([self._loaded, self._speed, self.menu.addSeparator()])
        self.menu.addActions([self._new_chat, actions["quick-entry"], self._unload])
        self.menu.addSeparator()
        self.menu.addAction(actions["quit"])
        self.menu.aboutToShow.connect(self._show_state)
        self._new_chat.triggered.connect(lambda: outside.bring_to_front(window))
        self._new_chat.triggered.connect(actions["new-chat"].trigger)
        self._unload.triggered.connect(lambda: session.models.unload())
        session.answers.arrived.connect(lambda _chat, turn: self._follow_answer(turn.answer))
        session.models.changed.connect(self._show_state)
        settings.subscribe(self._follow_choice)
        self._follow_choice()

    def _follow_choice(self) -> None:
        if self._settings.values.menu_bar and self._tray is None:
            self._tray = outside.system_tray(self, "tandem")
            if self._tray is not None:
                self._tray.setContextMenu(self.menu)
                self._tray.show()
        elif not self._settings.values.menu_bar and self._tray is not None:
            self._tray.hide()
            self._tray.deleteLater()
            self._tray = None

    def _follow_answer(self, answer: Answer) -> None:
        self._answer = answer
        # A menu of macOS is open without being visible to Qt.
        if self._tray is not None:
            self._show_state()

    def _show_state(self) -> None:
        pair = self._session.models.pair
        name = pair_name(*pair.names) if pair.main is not None else self.tr("No model is loaded")
        self._loaded.setText(name.replace("&", "&&"))
        speed = speed_sentence(self._answer.figures)
        self._speed.setText(speed)
        self._speed.setVisible(bool(speed))
        self._new_chat.setText(self._actions["new-chat"].text())
        self._unload.setText(self.tr("Unload models"))
        self._unload.setEnabled(pair.main is not None)
