"""The shortcut sheet: the keys of all actions, by menu."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QWidget

from app.actions.actions import Actions
from app.actions.spec import MENUS, menu_title
from app.widgets.focus_ring import FocusRing
from app.widgets.labels import WrappedLabel
from app.widgets.layouts import fill
from app.widgets.overlay import HighArea, Overlay
from app.widgets.style_class import styled


class ShortcutSheet(Overlay):
    def __init__(self, actions: Actions, window: QWidget) -> None:
        super().__init__(window, 520)
        self._actions = actions

    def make(self) -> None:
        self._title = styled(QLabel(self), "title")
        self._area = HighArea(self)
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        # It needs the focus to be scrolled by keys, since it contains no controls.
        self._area.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        FocusRing(self._area)
        fill(self.column, self._title, self._area)

    def fill(self) -> None:
        self._actions.refresh_checks()
        self._title.setText(self.tr("Keyboard shortcuts"))
        body = QWidget()
        body.setObjectName("overlayBody")
        grid = QGridLayout(body)
        # Leave room for the focus ring, which is drawn over the area.
        grid.setContentsMargins(8, 4, 12, 4)
        grid.setVerticalSpacing(6)
        for menu in MENUS:
            rows = self.rows(menu)
            if not rows:
                continue
            grid.setRowMinimumHeight(grid.rowCount(), 8)
            grid.addWidget(styled(QLabel(menu_title(menu), body), "caption"), grid.rowCount(), 0)
            for name, keys in rows:
                line, words = grid.rowCount(), WrappedLabel(body)
                words.setText(name)
                grid.addWidget(words, line, 0)
                grid.addWidget(styled(QLabel(keys, body), "muted"), line, 1, Qt.AlignmentFlag.AlignRight)
        grid.setColumnStretch(0, 1)
        grid.setRowStretch(grid.rowCount(), 1)
        for label in body.findChildren(QLabel):
            label.ensurePolished()
        self._area.setWidget(body)
        self._area.updateGeometry()
        self._area.setFocus()

    def rows(self, menu: str) -> list[tuple[str, str]]:
        """Return (name, keys) of every action of a menu that has a shortcut."""
        native = QKeySequence.SequenceFormat.NativeText
        found = [spec for spec in self._actions.by_menu[menu] if spec.shortcut]
        return [(self._actions.name(spec), self._actions[spec.id].shortcut().toString(native)) for spec in found]
