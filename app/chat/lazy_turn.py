"""The place of one turn in the transcript: its widgets while it is near, an empty room as high while it is not.

A chat of many hundred turns then opens and scrolls like one of a few.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.chat.message import TurnView

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.session.chats import Turn

_ANY_HEIGHT = 16_777_215
# For the first guess of a height: characters a line and pixels a line of the column at its usual width, and the room
# that a question's bubble, the foot and the gaps take.
_LINE_CHARACTERS, _LINE_PIXELS, _FRAME_PIXELS = 85, 21, 110


class LazyTurn(QWidget):
    """Owns the turn's view while there is one. `make` builds and wires it."""

    def __init__(self, turn: Turn, make: Callable[[Turn, QWidget], TurnView], parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_StaticContents)
        self.turn = turn
        self.view: TurnView | None = None
        self._make = make
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self.setFixedHeight(_estimate(turn))

    def load(self) -> TurnView:
        if self.view is None:
            self.view = self._make(self.turn, self)
            self._column.addWidget(self.view)
            # Shown at once and not with the next turn of the event loop, so that its height is known right away.
            self.view.show()
            self.setMinimumHeight(0)
            self.setMaximumHeight(_ANY_HEIGHT)
        return self.view

    def show_places(self) -> None:
        """The turn's versions may be more by now."""
        if self.view is not None:
            self.view.show_places()

    def leave_edit(self) -> None:
        if self.view is not None:
            self.view.leave_edit()

    def unload(self) -> None:
        """Keep the room and let the widgets go. What is being written or edited stays."""
        if self.view is None or not self.turn.answer.ended or self.view.editor is not None:
            return
        self.setFixedHeight(self.height())
        self._column.removeWidget(self.view)
        self.view.hide()
        self.view.deleteLater()
        self.view = None


def _estimate(turn: Turn) -> int:
    lines = sum(1 + len(line) // _LINE_CHARACTERS for line in turn.answer.text.split("\n"))
    return _FRAME_PIXELS + _LINE_PIXELS * (lines + len(turn.question) // _LINE_CHARACTERS)
