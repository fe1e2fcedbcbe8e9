"""The card with the keys of all actions, by menu, which the help menu opens."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from app.actions.actions import Actions
from app.actions.spec import ActionSpec, menu_title
from app.widgets.buttons import CloseButton
from app.widgets.labels import label
from app.widgets.layouts import fill, hbox
from app.widgets.overlay import HighArea, Overlay
from app.widgets.style_class import styled
from app.widgets.theme_aware import ThemeAware


class ShortcutsCard(ThemeAware, Overlay):
    """Lists the actions that have keys, under the titles of their menus. The arrow keys scroll it."""

    def __init__(self, actions: Actions, sends_with_enter: Callable[[], bool], window: QWidget) -> None:
        """`sends_with_enter` returns whether Enter alone sends a message, too."""
        super().__init__(window, 520)
        self._actions = actions
        self._sends_with_enter = sends_with_enter

    def make(self) -> None:
        self._title = label(self, "title")
        self._area = HighArea(self)
        self._area.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.column.setContentsMargins(20, 16, 20, 16)
        head = fill(hbox(), (self._title, 1), CloseButton(self, self.close_overlay))
        fill(self.column, head, (self._area, 1))
        self.restyle()

    def fill(self) -> None:
        self._show_keys()
        self._area.setFocus()

    def _show_keys(self) -> None:
        words = QCoreApplication.translate("Actions", "Keyboard shortcuts")
        self._title.setText(words)
        self._area.setAccessibleName(words)
        body = QWidget()
        grid = QGridLayout(body)
        grid.setContentsMargins(0, 0, 12, 0)
        grid.setColumnStretch(0, 1)
        for menu, specs in self._actions.by_menu.items():
            with_keys = [spec for spec in specs if spec.shortcut]
            if with_keys:
                caption = styled(QLabel(menu_title(menu), body), "caption")
                caption.setContentsMargins(0, 10, 0, 0)
                grid.addWidget(caption, grid.rowCount(), 0, 1, 2)
            for spec in with_keys:
                row = grid.rowCount()
                grid.addWidget(QLabel(self._actions.name(spec), body), row, 0)
                grid.addWidget(styled(QLabel(self._keys_of(spec), body), "muted"), row, 1)
        self._area.setWidget(body)
        # The area has just turned it on.
        body.setAutoFillBackground(False)
        self._area.viewport().setAutoFillBackground(False)

    def _keys_of(self, spec: ActionSpec[Any]) -> str:
        """Return the keys of an action. Where Enter alone sends, it is the one to know."""
        shortcut = self._actions[spec.id].shortcut()
        if spec.id == "send" and self._sends_with_enter():
            shortcut = QKeySequence(Qt.Key.Key_Return)
        return shortcut.toString(QKeySequence.SequenceFormat.NativeText)

    def retranslate(self) -> None:
        self._show_keys()
