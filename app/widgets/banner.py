"""The banner above the message box: reports a problem that belongs to no answer, with the action that helps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QSize
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QSizePolicy, QToolButton, QWidget

from app.widgets import theme
from app.widgets.icons import icon
from app.widgets.labels import SentenceLabel, set_name
from app.widgets.layouts import hbox
from app.widgets.restyled import Restyled
from app.widgets.style_class import set_object_name, styled


@dataclass(frozen=True)
class _Message:
    """`sentence` is called again when the language changes."""

    sentence: Callable[[], str]
    actions: tuple[QAction, ...]
    calm: bool
    about: str


class Banner(Restyled, QFrame):
    """Hidden until there is a message. The newest is shown; when it is closed, the one before it is shown again."""

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
        self._close = QToolButton(self)
        self._close.clicked.connect(lambda: self._keep(self._messages[:-1]))
        self._messages: list[_Message] = []
        row = hbox(self, margins=(14, 8, 8, 8), spacing=12)
        row.addWidget(self._mark)
        row.addWidget(self._label, 1)
        for button in self._buttons:
            row.addWidget(button)
        row.addWidget(self._close)
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
        about: str = "",
    ) -> None:
        """Show a message and the action that helps, or two. `sentence` is called again when the language changes.

        `calm` for messages that report no problem; `about` is what `dismiss` knows it by.
        """
        actions = tuple(one for one in (action, other) if one is not None)
        others = [one for one in self._messages if one.sentence() != sentence()]
        self._keep([*others, _Message(sentence, actions, calm, about)])

    def dismiss(self, about: str) -> None:
        """Drop the messages about something that holds no more."""
        self._keep([one for one in self._messages if one.about != about])

    def _keep(self, messages: list[_Message]) -> None:
        """Drop all but these messages, and show the last of them."""
        self._messages = messages
        if messages:
            set_object_name(self, "note" if messages[-1].calm else "banner")
            self.apply_theme()
            self.retranslate()
        self.setVisible(bool(messages))

    def retranslate(self) -> None:
        set_name(self._close, self.tr("Dismiss"))
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
