"""The banner above the message box: reports a problem that belongs to no answer, with the action that helps."""

from __future__ import annotations

from collections.abc import Callable
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


class Banner(Restyled, QFrame):
    """Hidden until there is a message. The newest message replaces the one before."""

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
        self._close.clicked.connect(self.hide)
        self._sentence: Callable[[], str] | None = None
        self._actions: tuple[QAction, ...] = ()
        self._calm = False
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
        self, sentence: Callable[[], str], action: QAction | None, other: QAction | None = None, calm: bool = False
    ) -> None:
        """Show a message and the action that helps, or two. `sentence` is called again when the language changes.

        `calm` for messages that report no problem.
        """
        self._sentence, self._calm = sentence, calm
        self._actions = tuple(one for one in (action, other) if one is not None)
        set_object_name(self, "note" if calm else "banner")
        self.apply_theme()
        self.retranslate()
        self.show()

    def refresh(self, sentence: Callable[[], str]) -> None:
        """Show what `sentence` returns now, if it is still the message that is shown."""
        if sentence is self._sentence:
            self.retranslate()

    def dismiss(self, sentence: Callable[[], str]) -> None:
        """Hide the message, if it is still the one that is shown."""
        if sentence is self._sentence:
            self.hide()

    def retranslate(self) -> None:
        set_name(self._close, self.tr("Dismiss"))
        if self._sentence is not None:
            self._label.setText(self._sentence())
        for index, button in enumerate(self._buttons):
            button.setVisible(index < len(self._actions))
        for button, action in zip(self._buttons, self._actions, strict=False):
            button.setText(action.text())

    def _act(self, index: int) -> None:
        self.hide()
        self._actions[index].trigger()

    def apply_theme(self) -> None:
        colours = theme.colours()
        mark = icon("info", colours.muted) if self._calm else icon("warning", colours.problem)
        self._mark.setPixmap(mark.pixmap(QSize(18, 18), self.devicePixelRatioF()))
        self._close.setIcon(icon("close", colours.muted))
