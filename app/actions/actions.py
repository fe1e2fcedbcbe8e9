"""Makes QActions of a table, for buttons, shortcuts and the command palette, and the menus of them."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import QCoreApplication, QObject
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu

from app.actions.spec import MENUS, ActionSpec, menu_title
from app.widgets.icons import icon
from app.widgets.popups import Menu


class Actions(QObject):
    """The QActions by id. They can be shown before they are bound to the target that they act on."""

    def __init__(self, by_menu: Mapping[str, Sequence[ActionSpec[Any]]], parent: QObject) -> None:
        super().__init__(parent)
        self.by_menu = by_menu
        self.specs = [spec for specs in by_menu.values() for spec in specs]
        self._actions: dict[str, QAction] = {}
        self._target: Any = None
        for spec in self.specs:
            action = QAction(self)
            action.setObjectName(spec.id)
            action.setShortcut(QKeySequence(spec.shortcut))
            action.setCheckable(spec.checked is not None)
            action.setMenuRole(spec.role)
            action.triggered.connect(lambda _=False, spec=spec: self._run(spec))
            self._actions[spec.id] = action
        self.retranslate()
        self.apply_theme()

    def __getitem__(self, action_id: str) -> QAction:
        return self._actions[action_id]

    def bind(self, target: object) -> None:
        """Make the actions run on `target`, which has the type that the table was written for."""
        self._target = target
        self.refresh_checks()

    def all(self) -> list[QAction]:
        return list(self._actions.values())

    def name(self, spec: ActionSpec[Any]) -> str:
        """Return the menu's text of an action without its mnemonic and ellipsis."""
        return self._actions[spec.id].text().replace("&", "").rstrip("….")

    def path(self, spec: ActionSpec[Any]) -> str:
        """Return the titles of the menu and the submenu that contain an action."""
        menu = next(menu for menu, specs in self.by_menu.items() if spec in specs)
        return " › ".join(menu_title(title) for title in (menu, spec.submenu) if title)

    def update(self) -> None:
        """Enable and show the actions that are possible now."""
        for spec in self.specs:
            action = self._actions[spec.id]
            possible = spec.enabled(self._target)
            action.setEnabled(possible)
            action.setVisible(possible or not spec.hides)

    def refresh_checks(self) -> None:
        """Check the options in force, and set the texts of actions that turn something on and off."""
        if self._target is None:
            return
        for spec in self.specs:
            if spec.checked is not None:
                self._actions[spec.id].setChecked(spec.checked(self._target))
            if spec.shows_other is not None:
                self._set_text(spec)

    def _set_text(self, spec: ActionSpec[Any]) -> None:
        other = False
        if spec.shows_other is not None and self._target is not None:
            other = spec.shows_other(self._target)
        text = QCoreApplication.translate("Actions", spec.other_text if other else spec.text)
        action = self._actions[spec.id]
        action.setText(text)
        action.setIconText(QCoreApplication.translate("Actions", spec.short) if spec.short else text)

    def retranslate(self) -> None:
        for spec in self.specs:
            action = self._actions[spec.id]
            self._set_text(spec)
            name = QCoreApplication.translate("Actions", spec.name)
            keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
            action.setToolTip(f"{name} ({keys})" if keys else name)
            action.setWhatsThis(name)

    def apply_theme(self) -> None:
        """Set the icons in the colours of the theme."""
        for spec in self.specs:
            if spec.icon:
                self._actions[spec.id].setIcon(icon(spec.icon))

    def _run(self, spec: ActionSpec[Any]) -> None:
        spec.run(self._target)
        # Qt unchecks an option that is chosen again.
        self.refresh_checks()


class Menus:
    """Fills the menu bar of `window`, which owns all menus."""

    def __init__(
        self,
        actions: Actions,
        window: QMainWindow,
        on_mac: bool = sys.platform == "darwin",
        of_app: Actions | None = None,
    ) -> None:
        """`of_app` has the app's own menu, if `actions` belong to another window than the main one."""
        self._actions = actions
        self._titled: list[tuple[QMenu, str]] = []
        for menu in MENUS:
            # On macOS Qt moves the actions of this menu by their roles into the app menu.
            if menu in actions.by_menu and not (on_mac and menu == "tandem"):
                shown = self._add(Menu(window.menuBar()), menu)
                window.menuBar().addMenu(shown)
                self._fill(shown, actions.by_menu[menu])
        app = of_app or actions
        app_actions = [app[spec.id] for spec in app.by_menu["tandem"]]
        if on_mac:
            self._titled[-1][0].addActions(app_actions)
        window.addActions(actions.all())
        if of_app is not None:
            window.addActions(app_actions)
        if on_mac and of_app is None:
            dock: Any = Menu(window)
            dock.addAction(actions["new-chat"])
            # This method exists only in Qt for macOS.
            dock.setAsDockMenu()
        elif not on_mac:
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
