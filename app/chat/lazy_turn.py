"""A turn in the transcript that has widgets only while it is near the view, so that long chats scroll fast."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from app.chat.answer_body import SLICE
from app.chat.answer_runs import LONGEST_SHOWN, cost_of
from app.chat.question_bubble import shown_question
from app.chat.turn_view import TurnView
from app.session.chats import Turn
from app.widgets.layouts import vbox

_ANY_HEIGHT = 16_777_215
# The cost of building a turn without texts, in the units of `cost_of`.
_TURN_COST = 500
# For estimated heights: characters and pixels of a line at the column's usual width, and the frame around the text.
_LINE_CHARACTERS, _LINE_PIXELS, _FRAME_PIXELS = 85, 21, 110


class LazyTurn(QWidget):
    """Owns the view of a turn, and keeps its height while there is no view. `make` builds the view."""

    def __init__(self, turn: Turn, make: Callable[[Turn, QWidget], TurnView], parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_StaticContents)
        self.turn = turn
        self.view: TurnView | None = None
        self._make = make
        self._column = vbox(self, margins=(0, 0, 0, 0))
        self.setFixedHeight(_estimate(turn))

    @property
    def cost(self) -> int:
        """The part of a budget that `load` uses. It makes only the first slice of a long answer."""
        asked = cost_of(self.turn.question[:SLICE])
        return _TURN_COST + min(SLICE, asked) + min(SLICE, cost_of(self.turn.answer.text[:SLICE]))

    def load(self) -> TurnView:
        if self.view is None:
            self.view = self._make(self.turn, self)
            self._column.addWidget(self.view)
            # Shown now, so that its height is known before the event loop runs.
            self.view.show()
            self.setMinimumHeight(0)
            self.setMaximumHeight(_ANY_HEIGHT)
        return self.view

    def unload(self) -> None:
        """Delete the widgets and keep the height. An answer being written or a question being edited stays loaded."""
        if self.view is None or not self.turn.answer.ended or self.view.editor is not None:
            return
        self.setFixedHeight(self.height())
        self._column.removeWidget(self.view)
        self.view.hide()
        self.view.deleteLater()
        self.view = None


def _estimate(turn: Turn) -> int:
    """Return the height in pixels until the turn is loaded for the first time."""
    lines = sum(1 + len(line) // _LINE_CHARACTERS for line in turn.answer.text[:LONGEST_SHOWN].split("\n"))
    asked = shown_question(turn.question)
    return _FRAME_PIXELS + _LINE_PIXELS * (lines + len(asked) // _LINE_CHARACTERS)
