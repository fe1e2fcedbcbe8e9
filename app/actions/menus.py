"""The menu bar, the menu of the settings button, and the Dock's menu on macOS."""

from __future__ import annotations

import sys
from typing import Any

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QMainWindow, QMenu

from app.actions.actions import Actions
from app.actions.spec import MENUS, menu_title


class Menus:
    """Fills the menu bar of `window`, which owns all menus. `settings` is for the button below the list of chats."""

    def __init__(self, actions: Actions, window: QMainWindow) -> None:
        self._bar = {menu: window.menuBar().addMenu("") for menu in MENUS}
        for menu, specs in actions.by_menu.items():
            self._bar[menu].addActions([actions[spec.id] for spec in specs])
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
        self._theme.addActions(actions.in_group("theme"))
        self._language.addActions(actions.in_group("language"))
        menu.addSeparator()
        menu.addAction(actions["shortcuts"])

    def retranslate(self) -> None:
        for menu, widget in self._bar.items():
            widget.setTitle(menu_title(menu))
        self._theme.setTitle(QCoreApplication.translate("Menus", "Appearance"))
        self._language.setTitle(QCoreApplication.translate("Menus", "Language"))
