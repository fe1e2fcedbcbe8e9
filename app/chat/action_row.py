"""The actions of a message as a row of small buttons, painted while the mouse or the focus is on the message."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QPaintEvent
from PySide6.QtWidgets import QToolButton, QWidget

from app.widgets import theme
from app.widgets.icons import icon
from app.widgets.labels import ElidedLabel, label, set_name
from app.widgets.layouts import hbox
from app.widgets.restyled import Restyled
from app.widgets.style_class import styled

ROW_HEIGHT = 26
# How long a button shows that it has copied.
CONFIRMED_MS = 2000
_COPIES = ("copy", "copy-question")


class ActionRow(Restyled, QWidget):
    """Keeps its height while it is not lit, so that nothing moves. `acted` carries the action that was chosen.

    The buttons can be reached with the keyboard; the one with the focus lights the row.
    """

    acted = Signal(str)

    def __init__(self, actions: Iterable[tuple[str, str]], align_right: bool, parent: QWidget | None = None) -> None:
        """`actions` are (action, icon); "previous" and "next" switch between versions and are always there."""
        super().__init__(parent)
        self.setFixedHeight(ROW_HEIGHT)
        self._lit, self._words = False, ""
        self._confirmed: set[str] = set()
        self._icons = {"previous": "chevron-left", "next": "chevron-right", **dict(actions)}
        self._buttons = {action: _Button(self, action in ("previous", "next")) for action in self._icons}
        # The version is always painted: it shows that there are others.
        self._version = label(self, "muted")
        row = hbox(self, margins=(0, 0, 0, 0), spacing=2)
        if align_right:
            row.addStretch(1)
        row.addWidget(self._buttons["previous"])
        row.addWidget(self._version)
        row.addWidget(self._buttons["next"])
        for action, button in self._buttons.items():
            button.clicked.connect(lambda _=False, chosen=action: self._act(chosen))
            if action not in ("previous", "next"):
                row.addWidget(button)
        self._origin = styled(ElidedLabel(self), "muted")
        self._origin.setObjectName("origin")
        self._origin.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._origin.setVisible(not align_right)
        if not align_right:
            row.addWidget(self._origin, 1)
        self.restyle()

    def _act(self, action: str) -> None:
        self.acted.emit(action)
        if action in _COPIES:
            # Nothing else shows that something was copied.
            self._confirmed.add(action)
            self.apply_theme()
            QTimer.singleShot(CONFIRMED_MS, self, lambda: self._end_confirmation(action))

    def _end_confirmation(self, action: str) -> None:
        self._confirmed.discard(action)
        self.apply_theme()

    @property
    def lit(self) -> bool:
        return self._lit or any(button.hasFocus() for button in self._buttons.values())

    def button(self, action: str) -> QToolButton:
        return self._buttons[action]

    def set_lit(self, lit: bool) -> None:
        if lit != self._lit:
            self._lit = lit
            self.repaint_buttons()

    def repaint_buttons(self) -> None:
        self._origin.setText(self._words if self.lit else "")
        for button in self._buttons.values():
            button.update()

    def show_origin(self, words: str) -> None:
        """Show quietly what the message came from; while the row is lit."""
        self._words = words
        self.repaint_buttons()

    def show_version(self, position: int, count: int) -> None:
        """Show which of `count` versions the message is, counted from 0; nothing where it is the only one."""
        for view in (self._buttons["previous"], self._version, self._buttons["next"]):
            view.setVisible(count > 1)
        self._version.setText(f"{position + 1}/{count}")
        self._buttons["previous"].setEnabled(position > 0)
        self._buttons["next"].setEnabled(position + 1 < count)

    def set_names(self, names: dict[str, str]) -> None:
        """Give each action its tooltip and accessible name."""
        for action, name in names.items():
            set_name(self._buttons[action], name)

    def apply_theme(self) -> None:
        for action, name in self._icons.items():
            self._buttons[action].setIcon(icon("check" if action in self._confirmed else name, theme.colours().muted))


class _Button(QToolButton):
    def __init__(self, row: ActionRow, always: bool) -> None:
        """`always`: painted although the row is not lit, because its version is shown then, too."""
        super().__init__(row)
        self._row, self._always = row, always
        self.setProperty("styleClass", "quiet")
        self.setIconSize(QSize(16, 16))
        self.setFixedSize(ROW_HEIGHT, ROW_HEIGHT)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._row.lit or self._always:
            super().paintEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._row.repaint_buttons()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._row.repaint_buttons()
