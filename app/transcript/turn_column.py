"""The turns of a chat, one below the other. Only those near the view have widgets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from app.session.chats import Turn
from app.transcript.waiting_column import WaitingColumn
from app.widgets.layouts import fill, vbox

if TYPE_CHECKING:
    from app.transcript.lazy_turn import LazyTurn
    from app.transcript.plain_turn import PlainTurn
    from app.transcript.turn_view import TurnView

COLUMN_WIDTH = 720
# How many turns of other chats keep their widgets: those in view and near it, of two or three chats.
_KEPT = 24


class TurnColumn(QWidget):
    """The turns of a chat as a column of `LazyTurn`s, with the questions that wait below them.

    `make` builds and connects the view of a turn when it is needed, and `make_plain` what is shown instead of one that
    raised.
    """

    def __init__(
        self, make: Callable[[Turn, QWidget], TurnView], make_plain: Callable[[Turn, QWidget], PlainTurn]
    ) -> None:
        super().__init__()
        self._make = make
        self._make_plain = make_plain
        self._slots: dict[Turn, LazyTurn] = {}
        # Turns of chats that were shown before, hidden, the oldest first.
        self._kept: dict[Turn, LazyTurn] = {}
        self.setMaximumWidth(COLUMN_WIDTH)
        self.setAttribute(Qt.WidgetAttribute.WA_StaticContents)
        self.waiting = WaitingColumn(self)
        self._layout = fill(vbox(self, margins=(0, 28, 0, 24), spacing=16), self.waiting, 1)
        # The column grows before its turns are placed. Otherwise every turn would be squeezed and move twice.
        self._layout.setSizeConstraint(QVBoxLayout.SizeConstraint.SetMinimumSize)

    def set_margins(self, top: int, bottom: int) -> None:
        """Set the margins above the first turn and below the last one."""
        self._layout.setContentsMargins(0, top, 0, bottom)

    def __contains__(self, turn: object) -> bool:
        return turn in self._slots

    @property
    def turns(self) -> list[Turn]:
        return list(self._slots)

    @property
    def newest(self) -> Turn | None:
        return next(reversed(self._slots), None)

    @property
    def views(self) -> Iterator[TurnView]:
        """The views of the turns that have one."""
        return (slot.view for slot in self._slots.values() if slot.view is not None)

    def for_each_view(self, act: Callable[[TurnView], object]) -> None:
        """Do something with each view. A turn whose view raises is shown as plain text."""
        for slot in self._slots.values():
            slot.attempt(act, None)

    def slot(self, turn: Turn) -> LazyTurn:
        return self._slots[turn]

    def slot_at(self, y: int) -> tuple[int, LazyTurn] | None:
        """Return the first turn that reaches down to `y`, with its index."""
        slots = enumerate(self._slots.values())
        return next(((index, slot) for index, slot in slots if slot.geometry().bottom() >= y), None)

    def add(self, turn: Turn, index: int | None = None) -> LazyTurn:
        # Only the first turn needs this import.
        from app.transcript.lazy_turn import LazyTurn

        kept_slot = self._kept.pop(turn, None)
        slot = self._slots[turn] = kept_slot or LazyTurn(turn, self._make, self._make_plain, self)
        if kept_slot is not None:
            kept_slot.attempt(_show_again, None)
            kept_slot.show()
        end = self._layout.indexOf(self.waiting)
        self._layout.insertWidget(end if index is None else index, slot)
        return slot

    def show_turns(self, turns: Sequence[Turn], *, of_another_chat: bool) -> bool:
        """Show these turns. Returns whether one that was removed had the focus.

        Unfinished edits of questions stay with the turns that another chat replaces.
        """
        self.setUpdatesEnabled(False)
        # In a visible layout, each turn that is added lays out all of them.
        self.setVisible(not of_another_chat)
        try:
            return self._exchange(turns, of_another_chat)
        finally:
            self.show()
            self.setUpdatesEnabled(True)

    def _exchange(self, turns: Sequence[Turn], of_another_chat: bool) -> bool:
        focus = QApplication.focusWidget()
        had_focus = False
        before = self._slots
        self._slots = {}
        for turn in before.keys() - set(turns):
            slot = before[turn]
            had_focus = had_focus or (focus is not None and slot.isAncestorOf(focus))
            if of_another_chat:
                slot.attempt(lambda view: view.leave_edit(), None)
            self._layout.removeWidget(slot)
            # Until it is deleted, it would be painted over the other turns.
            slot.hide()
            if of_another_chat and slot.view is not None and slot.view.editor is None:
                self._kept[turn] = slot
            else:
                slot.deleteLater()
        for index, turn in enumerate(turns):
            if turn in before:
                slot = self._slots[turn] = before[turn]
                slot.attempt(lambda view: view.show_versions(), None)
            else:
                self.add(turn, index)
        # Those of this chat have been taken out by now.
        while len(self._kept) > _KEPT:
            self._kept.pop(next(iter(self._kept))).deleteLater()
        return had_focus

    def load_between(self, top: int, bottom: int, budget: int) -> int:
        """Load the turns between two heights, with the blocks of long ones, and unload turns far away.

        Returns the rest of the budget; if nothing is left, call it again in the next turn of the event loop.
        """
        far = 2 * (bottom - top)
        for slot in self._slots.values():
            bounds = slot.geometry()
            if bounds.bottom() >= top and bounds.top() <= bottom:
                budget = slot.load_between(top - slot.y(), bottom - slot.y(), budget)
            elif bounds.bottom() < top - far or bounds.top() > bottom + far:
                slot.unload()
        return budget

    def anchor_at(self, y: int) -> QWidget | None:
        """Return the widget at a height: the block of an answer if it has one, else the turn."""
        if (first_slot := self.slot_at(y)) is None:
            return None
        slot = first_slot[1]
        anchor: QWidget = slot
        return slot.attempt(lambda view: view.anchor_at(y - slot.y()), anchor)


def _show_again(view: TurnView) -> None:
    """Show what has changed while another chat was shown."""
    view.refresh()
    view.refresh_footer()
    view.highlights.show()
