"""The note below an answer that says why it stopped, with the button that helps."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from app.chat.answer_texts import Problem
from app.widgets.labels import WrappedLabel
from app.widgets.layouts import fill, hbox
from app.widgets.style_class import set_property, set_style_class, styled


class Note(QFrame):
    """A sentence with one button or two. `acted` carries the action of the pressed button."""

    acted = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("banner")
        self._action = self._other_action = ""
        self._label = WrappedLabel(self)
        self._button = styled(QPushButton(self), "button")
        self._button.clicked.connect(lambda: self.acted.emit(self._action))
        # Made for the first problem with two buttons, because each turn has a note.
        self._other: QPushButton | None = None
        self._row = fill(hbox(self, margins=(14, 10, 10, 10), spacing=12), (self._label, 1), self._button)

    def show_problem(self, problem: Problem) -> None:
        """Show why an answer is of no use, and the buttons that help."""
        set_property(self, "objectName", "note" if problem.is_info else "banner")
        self._action = problem.action
        self._label.setText(problem.sentence)
        set_style_class(self._button, "accent" if problem.fills_button else "button")
        self._button.setText(problem.button)
        self._show_other(*problem.other or ("", ""))
        self.show()

    def _show_other(self, text: str, action: str) -> None:
        self._other_action = action
        if text and self._other is None:
            self._other = styled(QPushButton(self), "button")
            self._other.clicked.connect(lambda: self.acted.emit(self._other_action))
            self._row.insertWidget(1, self._other)
            self.setTabOrder(self._other, self._button)
        if self._other is not None:
            self._other.setText(text)
            self._other.setVisible(bool(text))
