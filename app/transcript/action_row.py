"""The row of small buttons of a message, painted while the mouse or the focus is on the message."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QPaintEvent
from PySide6.QtWidgets import QToolButton, QWidget

from app.widgets.buttons import CONFIRMED_MS
from app.widgets.icons import icon
from app.widgets.labels import ElidedLabel, label
from app.widgets.layouts import fill, hbox
from app.widgets.style_class import named, styled
from app.widgets.theme_aware import ThemeAware

ROW_HEIGHT = 26
_COPIES = ("copy", "copy-question")


class ActionRow(ThemeAware, QWidget):
    """A row of buttons that keeps its height while its buttons are not shown.

    `acted` carries the action of the pressed button. The keyboard reaches the buttons, and a button with the focus
    shows them all.
    """

    acted = Signal(str)

    def __init__(self, actions: Iterable[tuple[str, str]], align_right: bool, parent: QWidget | None = None) -> None:
        """`actions` are (action, icon). The row adds "previous" and "next", which switch between versions."""
        super().__init__(parent)
        self.setFixedHeight(ROW_HEIGHT)
        self._shows_buttons = False
        self._words = ""
        self._icons = {"previous": "chevron-left", "next": "chevron-right", **dict(actions)}
        self._buttons = {action: _Button(self, action in ("previous", "next")) for action in self._icons}
        # The version is always painted, because it shows that there are others.
        self._version = label(self, "muted")
        for action, button in self._buttons.items():
            button.setIcon(icon(self._icons[action]))
            button.clicked.connect(lambda _=False, chosen=action: self._act(chosen))
        self._origin = named(styled(ElidedLabel(self), "muted"), "origin")
        self._origin.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._origin.setVisible(not align_right)
        previous, following, *others = self._buttons.values()
        row = hbox(self, margins=(0, 0, 0, 0), spacing=2)
        if align_right:
            row.addStretch(1)
        fill(row, previous, self._version, following, *others, (self._origin, 1))
        self.restyle()

    def _act(self, action: str) -> None:
        self.acted.emit(action)
        if action in _COPIES:
            button = self._buttons[action]
            button.setIcon(icon("check"))
            QTimer.singleShot(CONFIRMED_MS, button, lambda: button.setIcon(icon(self._icons[action])))

    @property
    def shows_buttons(self) -> bool:
        return self._shows_buttons or any(button.hasFocus() for button in self._buttons.values())

    def button(self, action: str) -> QToolButton:
        return self._buttons[action]

    def show_buttons(self, shown: bool) -> None:
        if shown != self._shows_buttons:
            self._shows_buttons = shown
            self.repaint_buttons()

    def repaint_buttons(self) -> None:
        self._origin.setText(self._words if self.shows_buttons else "")
        for button in self._buttons.values():
            button.update()

    def show_origin(self, words: str) -> None:
        """Show beside the buttons, while these are shown, where the message comes from."""
        self._words = words
        self.repaint_buttons()

    def show_version(self, position: int, count: int) -> None:
        """Show which of `count` versions the message is, counted from 0; nothing if there is only one."""
        for view in (self._buttons["previous"], self._version, self._buttons["next"]):
            view.setVisible(count > 1)
        self._version.setText(f"{position + 1}/{count}")
        self._buttons["previous"].setEnabled(position > 0)
        self._buttons["next"].setEnabled(position + 1 < count)


class _Button(QToolButton):
    def __init__(self, row: ActionRow, always: bool) -> None:
        """`always`: painted even while the other buttons are not, like the version."""
        super().__init__(row)
        self._row = row
        self._always = always
        styled(self, "quiet")
        self.setIconSize(QSize(16, 16))
        self.setFixedSize(ROW_HEIGHT, ROW_HEIGHT)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._row.shows_buttons or self._always:
            super().paintEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._row.repaint_buttons()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._row.repaint_buttons()
