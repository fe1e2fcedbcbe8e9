"""The menu bar, and the Dock's menu on macOS."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from PySide6.QtWidgets import QMainWindow, QMenu

from app.actions.actions import Actions
from app.actions.spec import MENUS, ActionSpec, menu_title
from app.widgets.popups import Menu


class Menus:
    """Fills the menu bar of `window`, which owns all menus."""

    def __init__(self, actions: Actions, window: QMainWindow, on_mac: bool = sys.platform == "darwin") -> None:
        self._actions = actions
        self._titled: list[tuple[QMenu, str]] = []
        for menu in MENUS:
            # On macOS Qt moves the actions of this menu by their roles into the app menu.
            if not (on_mac and menu == "tandem"):
                shown = self._add(Menu(window.menuBar()), menu)
                window.menuBar().addMenu(shown)
                self._fill(shown, actions.by_menu[menu])
        if on_mac:
            help_menu = self._titled[-1][0]
            help_menu.addActions([actions[spec.id] for spec in actions.by_menu["tandem"]])
        window.addActions(actions.all())
        if on_mac:
            dock: Any = Menu(window)
            dock.addAction(actions["new-chat"])
            # This method exists only in Qt for macOS.
            dock.setAsDockMenu()
        else:
            window.menuBar().hide()

    def _add(self, widget: QMenu, menu: str) -> QMenu:
        self._titled.append((widget, menu))
        widget.aboutToShow.connect(self._actions.refresh_checks)
        return widget

    def _fill(self, widget: QMenu, specs: Sequence[ActionSpec[Any]]) -> None:
        submenus: dict[str, QMenu] = {}
        for spec in specs:
            if spec.submenu and spec.submenu not in submenus:
                submenus[spec.submenu] = self._add(Menu(widget), spec.submenu)
                if spec.begins_section:
                    widget.addSeparator()
                widget.addMenu(submenus[spec.submenu])
            elif spec.begins_section:
                (submenus[spec.submenu] if spec.submenu else widget).addSeparator()
            (submenus[spec.submenu] if spec.submenu else widget).addAction(self._actions[spec.id])

    def retranslate(self) -> None:
        for widget, menu in self._titled:
            widget.setTitle(menu_title(menu))
