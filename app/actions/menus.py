"""The menu bar, the menu of the settings button, and the Dock's menu on macOS, all out of the action table."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QMenu

from app.actions import ACTIONS, MENUS
from app.actions.state import menu_title
from app.system.language import LANGUAGES
from app.widgets.theme import MODES

if TYPE_CHECKING:
    from PySide6.QtWidgets import QMainWindow

    from app.actions.state import Actions


class Menus:
    """Owned by the window, which all menus belong to. `settings` is for the button at the foot of the chats."""

    def __init__(self, actions: Actions, window: QMainWindow) -> None:
        self._bar = {menu: window.menuBar().addMenu("") for menu in MENUS}
        for spec in ACTIONS:
            self._bar[spec.menu].addAction(actions[spec.id])
        window.addActions(actions.all())
        self.settings = QMenu(window)
        self._theme, self._language = QMenu(self.settings), QMenu(self.settings)
        self._fill_settings(actions)
        if sys.platform == "darwin":
            dock: Any = QMenu(window)
            dock.addAction(actions["new-chat"])
            # Only Qt for macOS has it.
            dock.setAsDockMenu()
        else:
            window.menuBar().hide()

    def _fill_settings(self, actions: Actions) -> None:
        menu = self.settings
        menu.addAction(actions["settings"])
        menu.addAction(actions["models-page"])
        menu.addSeparator()
        menu.addMenu(self._theme)
        menu.addMenu(self._language)
        for mode in MODES:
            self._theme.addAction(actions[f"theme-{mode}"])
        for choice in ("system", *LANGUAGES):
            self._language.addAction(actions[f"language-{choice}"])
        menu.addSeparator()
        menu.addAction(actions["shortcuts"])

    def retranslate(self) -> None:
        for menu, widget in self._bar.items():
            widget.setTitle(menu_title(menu))
        self._theme.setTitle(QCoreApplication.translate("MainWindow", "Appearance"))
        self._language.setTitle(QCoreApplication.translate("MainWindow", "Language"))
