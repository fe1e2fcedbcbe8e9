"""A turn in the transcript that has widgets only while it is near the view, so that long chats scroll fast."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TypeVar

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.conversations.database.records import attached_pictures
from app.session.chats import Turn
from app.transcript.answer_body import SLICE
from app.transcript.answer_runs import LONGEST_ANSWER, cost_of
from app.transcript.plain_turn import PlainTurn
from app.transcript.question_bubble import shown_question
from app.transcript.turn_view import TurnView
from app.widgets import theme
from app.widgets.layouts import vbox

log = logging.getLogger(__name__)
Result = TypeVar("Result")

_ANY_HEIGHT = 16_777_215
# The cost of building a turn without texts, in the units of `cost_of`.
_TURN_COST = 500
# For estimated heights: characters and pixels of a line at the column's usual width.
_PLAIN_LINE_CHARACTERS = 85
_PLAIN_LINE_PIXELS = 21
# The pixels around the lines of the question.
_QUESTION_PIXELS = 34
# The pixels below the answer.
_ROW_PIXELS = 32
# The pixels of a row of pictures.
_PICTURE_PIXELS = 220


class LazyTurn(QWidget):
    """Owns the view of a turn, which exists only while the turn is near the visible part of the chat.

    While there is none, it keeps its height and shows plain words, so that no page is blank however fast one scrolls.
    `make` builds the view, and `make_plain` what is shown instead of one that raised.
    """

    def __init__(
        self,
        turn: Turn,
        make: Callable[[Turn, QWidget], TurnView],
        make_plain: Callable[[Turn, QWidget], PlainTurn],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_StaticContents)
        self.turn = turn
        self.view: TurnView | None = None
        self._plain: PlainTurn | None = None
        self._make = make
        self._make_plain = make_plain
        self._column = vbox(self, margins=(0, 0, 0, 0))
        # The lines that stand for the question and the answer, once they were painted.
        self._asked: list[str] = []
        self._answered: list[str] = []
        self.setFixedHeight(_estimate(turn))

    @property
    def cost(self) -> int:
        """The part of a budget that `load` uses. It makes only the first slice of a long answer."""
        asked = cost_of(self.turn.question[:SLICE])
        return _TURN_COST + min(SLICE, asked) + min(SLICE, cost_of(self.turn.answer.text[:SLICE]))

    @property
    def is_loaded(self) -> bool:
        return self.view is not None or self._plain is not None

    def load(self) -> TurnView | None:
        """Make the view, if there is none. Return it; None if it raised, and the turn is shown as plain text."""
        if not self.is_loaded:
            try:
                self._show(self._make(self.turn, self))
            except Exception:
                self._fail()
        return self.view

    def load_between(self, top: int, bottom: int, budget: int) -> int:
        """Load the turn, with the blocks between two heights of this widget. Return the rest of the budget."""
        if not self.is_loaded and budget > 0:
            budget -= self.cost
            self.load()
        return self.attempt(lambda view: view.load_between(top, bottom, budget), budget)

    def _show(self, view: TurnView) -> None:
        self.view = view
        self._column.addWidget(view)
        # Shown now, so that its height is known before the event loop runs.
        view.show()
        self.setMinimumHeight(0)
        self.setMaximumHeight(_ANY_HEIGHT)

    def attempt(self, act: Callable[[TurnView], Result], otherwise: Result) -> Result:
        """Return what `act` does with the view; `otherwise` if there is no view, or if it raises.

        A turn whose view raised is shown as plain text from then on.
        """
        if self.view is None:
            return otherwise
        try:
            return act(self.view)
        except Exception:
            self._fail()
            return otherwise

    def refresh(self) -> None:
        """Show an answer that has grown or ended."""
        self.attempt(TurnView.refresh, None)
        if self._plain is not None:
            self._plain.refresh()

    def _fail(self) -> None:
        """Show the turn as plain text, because its view has raised. The turns around it are not concerned."""
        log.exception("a turn is shown as plain text")
        self.view = None
        # A view that was not made whole belongs to this widget, too.
        for part in self.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly):
            self._column.removeWidget(part)
            part.hide()
            part.deleteLater()
        self._plain = self._make_plain(self.turn, self)
        self._column.addWidget(self._plain)
        self._plain.show()
        self.setMinimumHeight(0)
        self.setMaximumHeight(_ANY_HEIGHT)

    def unload(self) -> None:
        """Delete the widgets and keep the height.

        An answer being written, a question being edited, and a turn with a selection stay loaded.
        """
        is_used = self.attempt(lambda view: view.editor is not None or bool(view.selected_text()), True)
        view = self.view
        if view is None or is_used or not self.turn.answer.ended:
            return
        self.setFixedHeight(self.height())
        self._column.removeWidget(view)
        view.hide()
        view.deleteLater()
        self.view = None

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.is_loaded:
            return
        if not self._answered:
            self._asked = typed_lines(shown_question(self.turn.question))
            self._answered = typed_lines(self.turn.answer.text[:LONGEST_ANSWER])
        painter = QPainter(self)
        area = event.rect()
        painter.setPen(QColor(theme.colours().muted))
        below = _QUESTION_PIXELS + _PLAIN_LINE_PIXELS * len(self._asked)
        # The lines of the answer fill the height, which is known exactly once the turn was loaded.
        pitch = max(_PLAIN_LINE_PIXELS, (self.height() - below - _ROW_PIXELS) // len(self._answered))
        for lines, top, step, side in (
            (self._asked, _QUESTION_PIXELS // 2, _PLAIN_LINE_PIXELS, Qt.AlignmentFlag.AlignRight),
            (self._answered, below, pitch, Qt.AlignmentFlag.AlignLeft),
        ):
            first = max(0, (area.top() - top) // step)
            last = min(len(lines), (area.bottom() - top) // step + 1)
            for index in range(first, last):
                line = QRect(0, top + index * step, self.width(), _PLAIN_LINE_PIXELS)
                painter.drawText(line, side | Qt.AlignmentFlag.AlignVCenter, lines[index])


def typed_lines(text: str) -> list[str]:
    """Return lines of about the width of the column, which end between words where they have any."""
    lines: list[str] = []
    for line in text.split("\n"):
        start = 0
        while len(line) - start > _PLAIN_LINE_CHARACTERS:
            space = line.rfind(" ", start, start + _PLAIN_LINE_CHARACTERS)
            end = start + _PLAIN_LINE_CHARACTERS if space <= start else space + 1
            lines.append(line[start:end])
            start = end
        lines.append(line[start:])
    return lines


def _estimate(turn: Turn) -> int:
    """Return the height in pixels until the turn is loaded for the first time."""
    lines = sum(1 + len(line) // _PLAIN_LINE_CHARACTERS for line in turn.answer.text[:LONGEST_ANSWER].split("\n"))
    asked = 1 + len(shown_question(turn.question)) // _PLAIN_LINE_CHARACTERS
    pictures = _PICTURE_PIXELS if attached_pictures(turn.attachments) else 0
    return _QUESTION_PIXELS + _ROW_PIXELS + pictures + _PLAIN_LINE_PIXELS * (lines + asked)
