"""The banner above the message box, which reports problems that belong to no answer, with an action that helps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QSize
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QFrame, QLabel, QPushButton, QSizePolicy, QToolButton, QWidget

from app.widgets import theme
from app.widgets.icons import icon
from app.widgets.labels import SentenceLabel, set_name
from app.widgets.layouts import fill, hbox
from app.widgets.restyled import Restyled
from app.widgets.style_class import set_object_name, styled
from app.widgets.throttle import single_shot

# How long a message that leaves by itself is shown.
SHOWN_MS = 10_000


@dataclass(frozen=True)
class _Message:
    """`sentence` returns the text in the language in use. A message that `leaves` is hidden after SHOWN_MS."""

    sentence: Callable[[], str]
    actions: tuple[QAction, ...]
    calm: bool
    leaves: bool
    about: str


class Banner(Restyled, QFrame):
    """Hidden until there is a message. The newest is shown; when it is closed, the one before it is shown again.

    While the mouse or the focus is on a message, it neither leaves nor does a newer one take its place.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("banner")
        self._mark = QLabel(self)
        self._label = SentenceLabel(self)
        # A name that is wider than the window must not make the window wider.
        self._label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._buttons = styled(QPushButton(self), "button"), styled(QPushButton(self), "button")
        for index, button in enumerate(self._buttons):
            button.clicked.connect(partial(self._act, index))
        self._close = self.bound("Dismiss", QToolButton(self), set_name)
        self._close.clicked.connect(lambda: self._keep(self._messages[:-1]))
        self._messages: list[_Message] = []
        self._timer = single_shot(self, self._leave)
        row = hbox(self, margins=(14, 8, 8, 8), spacing=12)
        fill(row, self._mark, (self._label, 1), *self._buttons, self._close)
        self.hide()
        self.restyle()

    @property
    def text(self) -> str:
        return self._label.text()

    def show_message(
        self,
        sentence: Callable[[], str],
        action: QAction | None,
        other: QAction | None = None,
        calm: bool = False,
        stays: bool = False,
        about: str = "",
    ) -> None:
        """Show a message and up to two actions. `sentence` is called again when the language changes.

        `calm` marks information, as opposed to a problem: it is hidden after `SHOWN_MS` or when newer information
        comes, unless it `stays`. `about` is the name by which `dismiss` finds the message.
        """
        actions = tuple(one for one in (action, other) if one is not None)
        message = _Message(sentence, actions, calm, calm and not stays, about)
        held = self._messages[-1:] if self._is_in_hand else []
        others = [one for one in self._messages if one.sentence() != sentence()]
        others = [one for one in others if one in held or not (one.leaves and message.leaves)]
        others.insert(-1 if others[-1:] == held else len(others), message)
        self._keep(others)

    def dismiss(self, about: str) -> None:
        """Drop the messages that were shown with this `about`."""
        self._keep([one for one in self._messages if one.about != about])

    def _keep(self, messages: list[_Message]) -> None:
        """Drop all but these messages, and show the last of them."""
        is_new, self._messages = messages[-1:] != self._messages[-1:], messages
        if is_new:
            self._timer.stop()
        if messages:
            set_object_name(self, "note" if messages[-1].calm else "banner")
            self.apply_theme()
            self.retranslate()
            if is_new and messages[-1].leaves:
                self._timer.start(SHOWN_MS)
        self.setVisible(bool(messages))

    @property
    def _is_in_hand(self) -> bool:
        focus = QApplication.focusWidget()
        return self.underMouse() or (focus is not None and self.isAncestorOf(focus))

    def _leave(self) -> None:
        """Hide the message. While it is in use, or another window is in front of it, try again later."""
        if self._is_in_hand or not self.isActiveWindow():
            self._timer.start(SHOWN_MS)
        else:
            self._keep(self._messages[:-1])

    def retranslate(self) -> None:
        if not self._messages:
            return
        shown = self._messages[-1]
        self._label.setText(shown.sentence())
        for index, button in enumerate(self._buttons):
            button.setVisible(index < len(shown.actions))
        for button, action in zip(self._buttons, shown.actions, strict=False):
            button.setText(action.text())

    def _act(self, index: int) -> None:
        *others, shown = self._messages
        self._keep(others)
        shown.actions[index].trigger()

    def apply_theme(self) -> None:
        colours, calm = theme.colours(), bool(self._messages) and self._messages[-1].calm
        mark = icon("info", colours.muted) if calm else icon("warning", colours.problem)
        self._mark.setPixmap(mark.pixmap(QSize(18, 18), self.devicePixelRatioF()))
        self._close.setIcon(icon("close", colours.muted))
