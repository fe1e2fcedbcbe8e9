"""The action table as Qt's actions, wired to what they do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QObject
from PySide6.QtGui import QAction, QKeySequence

from app.actions import ACTIONS, MENUS
from app.widgets import theme
from app.widgets.icons import icon

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.actions import ActionState


def menu_title(menu: str) -> str:
    return QCoreApplication.translate("Actions", MENUS[menu])


class Actions(QObject):
    """The table as QActions, wired to handlers. Owned by the window, which must handle every id."""

    def __init__(self, handlers: dict[str, Callable[[], object]], parent: QObject) -> None:
        super().__init__(parent)
        self._actions: dict[str, QAction] = {}
        self._circumstances: ActionState | None = None
        for spec in ACTIONS:
            action = QAction(self)
            action.setObjectName(spec.id)
            action.setShortcut(QKeySequence(spec.shortcut))
            action.setCheckable(bool(spec.group))
            action.triggered.connect(lambda _=False, run=handlers[spec.id]: run())
            self._actions[spec.id] = action
        self._actions["quit"].setMenuRole(QAction.MenuRole.QuitRole)
        self._actions["settings"].setMenuRole(QAction.MenuRole.PreferencesRole)
        self._actions["about"].setMenuRole(QAction.MenuRole.AboutRole)
        self.retranslate()
        self.repaint()

    def __getitem__(self, action_id: str) -> QAction:
        return self._actions[action_id]

    def all(self) -> list[QAction]:
        return list(self._actions.values())

    def update(self, now: ActionState) -> None:
        if now == self._circumstances:
            return
        self._circumstances = now
        for spec in ACTIONS:
            self._actions[spec.id].setEnabled(spec.enabled(now))

    def check(self, group: str, action_id: str) -> None:
        """Mark the one that is chosen in a group."""
        for spec in ACTIONS:
            if spec.group == group:
                self._actions[spec.id].setChecked(spec.id == action_id)

    def retranslate(self) -> None:
        for spec in ACTIONS:
            action = self._actions[spec.id]
            action.setText(QCoreApplication.translate("Actions", spec.text))
            name = QCoreApplication.translate("Actions", spec.name)
            keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
            action.setToolTip(f"{name} ({keys})" if keys else name)
            action.setWhatsThis(name)

    def repaint(self) -> None:
        """Take the icons in the colours of the theme."""
        for spec in ACTIONS:
            if spec.icon:
                self._actions[spec.id].setIcon(icon(spec.icon, theme.colours().muted))
