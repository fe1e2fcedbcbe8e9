"""A card above the window that shows a trial: while it runs it can be stopped, and then be done again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QEvent, Qt, SignalInstance
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QToolButton, QWidget

from app.widgets import theme
from app.widgets.icons import icon
from app.widgets.labels import label
from app.widgets.overlay import Overlay

if TYPE_CHECKING:
    from PySide6.QtGui import QAction


class Trial(Protocol):
    """What runs; `changed` tells that it got on."""

    @property
    def changed(self) -> SignalInstance: ...

    @property
    def running(self) -> bool: ...

    def cancel(self) -> None: ...


class TrialCard(Overlay):
    """Closing it ends what runs; `again` is the action that starts anew.

    Its content goes between `head` and `foot`; who has built it calls `follow` as the last thing.
    """

    # Qt sends changes while the card is still being built.
    _followed = False

    def __init__(self, trial: Trial, again: QAction, window: QWidget, width: int, height: int | None = None) -> None:
        super().__init__(window, width, height)
        self._trial, self._action = trial, again
        self.title, self.subtitle = label(self, "title"), label(self, "muted")
        self._leave = QToolButton(self)
        self._leave.setProperty("styleClass", "quiet")
        self.stop, self.again = QPushButton(self), QPushButton(self)
        for button in (self.stop, self.again):
            button.setProperty("styleClass", "button")
        self.column.setContentsMargins(20, 16, 20, 16)
        self.column.setSpacing(12)

    def head(self) -> QHBoxLayout:
        """Title and subtitle, and the button that closes the card."""
        line = QHBoxLayout()
        line.addWidget(self.title)
        line.addWidget(self.subtitle, 1)
        line.addWidget(self._leave)
        return line

    def foot(self, words: QWidget | None = None) -> QHBoxLayout:
        """The buttons at the right end, beside `words` that may be higher."""
        line = QHBoxLayout()
        line.setSpacing(12)
        if words is None:
            line.addStretch(1)
        else:
            line.addWidget(words, 1)
        for button in (self.stop, self.again):
            line.addWidget(button, 0, Qt.AlignmentFlag.AlignBottom)
        return line

    def follow(self) -> None:
        """From now on show what the trial does."""
        self._followed = True
        self.stop.clicked.connect(self._trial.cancel)
        self.again.clicked.connect(self._action.trigger)
        self._action.changed.connect(self.refresh)
        self._leave.clicked.connect(self.close_overlay)
        self.closed.connect(self._trial.cancel)
        self._trial.changed.connect(self.refresh)
        self.retranslate()

    def fill(self) -> None:
        self.refresh()
        self._leave.setFocus()

    def refresh(self) -> None:
        """Show what the trial holds now."""
        self.stop.setVisible(self._trial.running)
        self.again.setVisible(not self._trial.running)
        self.again.setEnabled(self._action.isEnabled())

    def retranslate(self) -> None:
        self.stop.setText(self.tr("Stop"))
        self._leave.setToolTip(self.tr("Close"))
        self._leave.setAccessibleName(self.tr("Close"))
        self.dress()
        self.refresh()

    def dress(self) -> None:
        """Take the theme's colours."""
        self._leave.setIcon(icon("close", theme.colours().muted))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if not self._followed:
            return
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        elif event.type() == QEvent.Type.PaletteChange:
            self.dress()
