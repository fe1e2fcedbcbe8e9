"""The chat as a column of turns that scrolls. It follows the end of the chat only while the end is in view."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QCursor, QResizeEvent
from PySide6.QtWidgets import QApplication, QHBoxLayout, QScrollArea, QToolButton, QWidget

from app.session.chats import Chat, Turn
from app.transcript.link_menu import LinkMenu
from app.transcript.turn_column import TurnColumn
from app.transcript.turn_owner import TurnOwner
from app.widgets.icons import icon
from app.widgets.keyboard_focus import FocusRing
from app.widgets.labels import set_name
from app.widgets.layouts import fill, hbox, settle_layouts, top_in
from app.widgets.style_class import named
from app.widgets.theme_aware import ThemeAware
from app.widgets.throttle import single_shot

if TYPE_CHECKING:
    from app.conversations.search import Query
    from app.transcript.plain_turn import PlainTurn
    from app.transcript.shown_text import ShownTexts
    from app.transcript.turn_view import TurnView

SIDE = 24
_NEAR_END = 24
# Loading turns changes heights, which may bring more turns near. It is repeated this many times.
_LOAD_PASSES = 4
# How many screens above and below the view are loaded while nothing else is to do.
_AHEAD = 2
# How long a chat that is opened waits at most for its formulas.
_FORMULAS_MS = 300


class _Target(NamedTuple):
    """What to scroll to the top: a turn, and pixels below its top.

    `height` is the turn's when these pixels were measured; None if they are pixels of its present height.
    """

    turn: Turn
    offset: int
    height: int | None = None


class Transcript(ThemeAware, TurnOwner):
    """The scrolling column of turns."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bound("Chat", self, QWidget.setAccessibleName)
        self.setObjectName("transcript")
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        FocusRing(self)
        self._at_end = True
        self._loaded_at = 0
        self._laid_out_at = 0
        self._target: _Target | None = None
        self._column = TurnColumn(self._make_view, self._make_plain)
        self._column.waiting.taken_back.connect(self.taken_back)
        self._body = body = named(QWidget(), "transcriptBody")
        body.setAttribute(Qt.WidgetAttribute.WA_StaticContents)
        self._row = fill(hbox(body, margins=(SIDE, 0, SIDE, 0)), 1, (self._column, 1000), 1)
        self._row.setSizeConstraint(QHBoxLayout.SizeConstraint.SetMinimumSize)
        self.setWidget(body)
        # Covers the chat before while the one that is opened is read, and not painted yet.
        self._blank = named(QWidget(self.viewport()), "pageBody")
        self._blank.setAutoFillBackground(True)
        self._blank.hide()
        self.link_menu = LinkMenu(self)
        self._newest_button = self.bound("Jump to the latest text", named(QToolButton(self), "newest"), set_name)
        self._newest_button.setIcon(icon("arrow-down"))
        self._newest_button.clicked.connect(self.scroll_to_end)
        self._newest_button.hide()
        bar = self.verticalScrollBar()
        bar.rangeChanged.connect(self._range_changed)
        bar.valueChanged.connect(self._value_changed)
        self._load_timer = single_shot(self, self._load_near)
        self._formula_timer = single_shot(self, self.load_soon, _FORMULAS_MS)
        QApplication.instance().focusChanged.connect(self._focus_changed)  # type: ignore[union-attr]
        self.restyle()

    @cached_property
    def _texts(self) -> ShownTexts:
        from app.transcript.shown_text import ShownTexts

        texts = ShownTexts(self)
        texts.ready.connect(self.shown_as)
        return texts

    @property
    def reading_position(self) -> tuple[int, int] | None:
        """The index of the turn at the top of the view, and pixels below its top; None at the end."""
        if self._target is not None and self._target.turn in self._column:
            return self._column.turns.index(self._target.turn), self._target.offset
        if self._at_end:
            return None
        top = self.verticalScrollBar().value()
        top_slot = self._column.slot_at(top)
        return (top_slot[0], top - top_slot[1].y()) if top_slot is not None else None

    def shows(self, chat: Chat) -> bool:
        """Whether it shows the turns of that chat."""
        return self._column.turns == chat.turns

    def set_margins(self, top: int, bottom: int) -> None:
        """Set the margins above the first turn and below the last one, in pixels."""
        self._column.set_margins(top, bottom)

    def show_chat(self, chat: Chat) -> None:
        """Show all turns of a chat, at its last reading position or at its end.

        A turn whose view raises is shown as plain text.
        """
        self._column.show_turns(chat.turns, of_another_chat=True)
        self.show_waiting(chat)
        self._at_end = True
        self._target = None
        if chat.read_position is not None and chat.read_position[0] < len(chat.turns):
            # The new turns get their positions when the event loop applies their layout.
            self._target = _Target(chat.turns[chat.read_position[0]], chat.read_position[1])
            self._at_end = False
        # Nothing is painted until the turns in view are laid out, which mostly takes one turn of the event loop.
        self._body.setUpdatesEnabled(False)
        self.cover(True)
        self._formula_timer.start()
        self._show_newest()
        self.load_soon()

    def _paint_opened(self) -> None:
        """Paint the chat that was opened, once the formulas in view are typeset or that takes too long."""
        from app.transcript.prose import Prose

        proses = self._column.findChildren(Prose)
        if self._formula_timer.isActive() and any(prose.waits and prose.isVisible() for prose in proses):
            QTimer.singleShot(_FORMULAS_MS // 10, self, self.load_soon)
        else:
            self._paint()
            self._show_newest()

    def _paint(self) -> None:
        """Paint the turns."""
        self._body.setUpdatesEnabled(True)
        self.cover(False)

    def cover(self, is_covered: bool) -> None:
        """Show an empty page instead of the chat, such as while another one is being read; or the chat again."""
        self._blank.setGeometry(self.viewport().rect())
        self._blank.setVisible(is_covered)
        self._blank.raise_()

    def show_path(self, chat: Chat) -> None:
        """Show other turns of the same chat. Turns that stay keep their widgets, and the view keeps its position."""
        had_focus = self._column.show_turns(chat.turns, of_another_chat=False)
        self.refresh_feet()
        self.load_soon()
        if had_focus:
            self.focus_lost.emit()

    def show_waiting(self, chat: Chat) -> None:
        """Show the questions that wait in a chat, below its turns."""
        self._column.waiting.show_questions(chat.waiting, self.pictures(), follow=chat.streaming)

    def reveal(self, turn: Turn) -> None:
        """Scroll to a turn."""
        self._target = None
        self._go_to(turn, -SIDE)

    def _go_to(self, turn: Turn, offset: int) -> None:
        slot = self._column.slot(turn)
        slot.load()
        settle_layouts()
        self.verticalScrollBar().setValue(max(0, slot.y() + offset))

    def highlight(self, query: Query | None, current: tuple[Turn, int] | None = None) -> None:
        """Highlight the matches of a search in every turn; None removes the highlights.

        `current` is a turn and the index of the current match in it.
        """
        self.query = query
        self.current_match = current
        self._column.for_each_view(lambda view: view.highlights.show())

    def count_matches(self, turn: Turn, query: Query) -> int:
        """Return the number of matches in the text that a turn shows, or would show if it were loaded."""
        return self._texts.count(turn, query)

    def reveal_match(self, turn: Turn, index: int) -> None:
        """Scroll to a match that is highlighted, or to the turn if it shows none."""
        slot = self._column.slot(turn)
        slot.load()
        slot.attempt(lambda view: view.highlights.load(index), None)
        settle_layouts()
        place = slot.attempt(lambda view: view.highlights.rect_of(index, view), None)
        if place is None or slot.view is None:
            self.reveal(turn)
            return
        self._target = None
        bar = self.verticalScrollBar()
        height = self.viewport().height()
        top = slot.view.mapTo(self._body, place.topLeft()).y()
        if not bar.value() <= top <= bar.value() + height - SIDE - place.height():
            bar.setValue(max(0, top - height // 3))

    def add_turn(self, turn: Turn) -> None:
        self._column.add(turn).load()
        self.refresh_feet()
        self._target = None
        self._at_end = True

    def refresh(self, turn: Turn) -> None:
        """Show a turn whose answer has grown or ended. Turns of other chats are ignored."""
        if turn in self._column:
            self._column.slot(turn).refresh()

    def set_as_tokens(self, as_tokens: bool) -> None:
        """Tint the tokens of all answers, or only of an answer that streams."""
        self.as_tokens = as_tokens
        self._column.for_each_view(lambda view: view.refresh())

    def set_with_figures(self, with_figures: bool) -> None:
        """Show the figures of each answer below it, or only on hover."""
        if with_figures != self.with_figures:
            self.with_figures = with_figures
            self._hold_position()
            self.refresh_feet()
            self.load_soon()

    def set_repeats(self, repeats: str) -> None:
        """Set why Regenerate says the same words, "" if it does not."""
        if repeats != self.repeats:
            self.repeats = repeats
            self.refresh_feet()

    def show_round(self, turn: Turn, number: int) -> None:
        """Tint the tokens of a round only, and scroll to them."""
        view = self.view(turn)
        if view is None:
            self.reveal(turn)
            return
        view.tokens.light_rounds(frozenset((number,)))
        settle_layouts()
        if (place := view.tokens.rect_of_lit()) is not None:
            centre = view.mapTo(self._body, place.center())
            self.ensureVisible(centre.x(), centre.y(), 0, 80)

    def light_rounds(self, turn: Turn, rounds: frozenset[int]) -> None:
        """Tint the tokens of these rounds only, if the turn has its widgets. Of none, show the tints without that."""
        if turn in self._column and (view := self._column.slot(turn).view) is not None:
            view.tokens.light_rounds(rounds)

    def point_to_round(self, turn: Turn, number: int | None) -> None:
        """Mark the tokens of a round, if the turn has its widgets; with None, of none."""
        if turn in self._column and (view := self._column.slot(turn).view) is not None:
            view.tokens.point_to_round(number)

    def view(self, turn: Turn) -> TurnView | None:
        """Return the widgets of a turn, made now if it has none.

        None if making them raised; the turn is then shown as plain text.
        """
        return self._column.slot(turn).load()

    def scroll_to_end(self) -> None:
        bar = self.verticalScrollBar()
        bar.setValue(bar.maximum())

    def _make_view(self, turn: Turn, parent: QWidget) -> TurnView:
        # An empty chat does not need this import.
        from app.transcript.turn_view import TurnView

        return TurnView(turn, self, parent)

    def _make_plain(self, turn: Turn, parent: QWidget) -> PlainTurn:
        from app.transcript.plain_turn import PlainTurn

        plain = PlainTurn(turn, parent)
        plain.customContextMenuRequested.connect(lambda point: self.menu_wanted.emit(turn, plain.mapToGlobal(point)))
        return plain

    @property
    def newest(self) -> Turn | None:
        return self._column.newest

    def _focus_changed(self, _before: QWidget | None, now: QWidget | None) -> None:
        if now is not None and self.isAncestorOf(now):
            # When a popup closes, the focus may pass through an answer on its way back.
            QTimer.singleShot(0, self, self._turn_to_focus)

    def _turn_to_focus(self) -> None:
        now = QApplication.focusWidget()
        for view in self._column.views:
            if now is not None and view.isAncestorOf(now):
                self.turned_to.emit(view.turn)
                return

    def refresh_feet(self) -> None:
        """Show what is below the answers again, such as the speed-up of their pairs."""
        self._column.for_each_view(lambda view: view.refresh_footer())

    def act(self, turn: Turn, action: str) -> None:
        if action == "more" and (view := self.view(turn)) is not None:
            button = view.answer_row.button("more")
            self.menu_wanted.emit(turn, button.mapToGlobal(button.rect().bottomLeft()))
        else:
            self.acted.emit(turn, action)

    def load_soon(self) -> None:
        if not self._load_timer.isActive():
            self._load_timer.start()

    def _load_near(self) -> None:
        """Load the turns near the view, and unload those far away. The text in view keeps its position.

        Whatever raises, a chat that was opened is painted: the one before it would stay on the screen.
        """
        is_done = False
        try:
            self._go_to_target()
            self._load_passes()
            is_done = True
        finally:
            if not is_done:
                self._paint()
        self._loaded_at = self.verticalScrollBar().value()

    def _go_to_target(self) -> None:
        target = self._target
        self._target = None
        if target is not None and target.turn in self._column:
            slot = self._column.slot(target.turn)
            slot.load()
            settle_layouts()
            offset = target.offset
            if target.height:
                offset = round(offset * slot.height() / target.height)
            self._go_to(target.turn, offset)

    def _load_passes(self) -> None:
        """Do one slice of loading; the next turn of the event loop does the rest.

        Of a chat that was opened, a slice is all that is in view; otherwise it is one turn, those in view first.
        """
        if not self._column.turns:
            self._paint()
            return
        from app.transcript.answer_body import SLICE

        for _ in range(_LOAD_PASSES):
            settle_layouts()
            bar = self.verticalScrollBar()
            height = self.viewport().height()
            if self._at_end:
                bar.setValue(bar.maximum())
            top = bar.value()
            anchor = self._column.anchor_at(top)
            offset = top_in(anchor, self._body) - top if anchor is not None else 0
            budget = 1 if self._body.updatesEnabled() else SLICE
            left = self._column.load_between(top, top + height, budget)
            if left == budget:
                if not self._body.updatesEnabled():
                    self._paint_opened()
                left = self._column.load_between(top - _AHEAD * height, top + (1 + _AHEAD) * height, 1) - 1
                if left == 0:
                    return
            settle_layouts()
            if anchor is not None and not self._at_end:
                bar.setValue(top_in(anchor, self._body) - offset)
            elif self._at_end:
                bar.setValue(bar.maximum())
            if left <= 0:
                self.load_soon()
                return

    def show_link(self, address: str) -> None:
        """Show the menu of a link. Only its action opens the link."""
        self.link_menu.fill(address)
        self.link_menu.popup(QCursor.pos())

    def extend_range(self, turn: Turn, pixels: int) -> None:
        """Scroll before the last answer grows, so that Qt moves the painted text and paints only the new line.

        Once anything in the view has changed its size, Qt would paint all of it again.
        """
        bar = self.verticalScrollBar()
        if turn is self.newest and self._at_end and self._target is None and bar.maximum() > 0:
            bar.setMaximum(bar.maximum() + pixels)

    def _range_changed(self, _minimum: int, maximum: int) -> None:
        # The bar takes its width from the margin, so that the column stays in line with the composer.
        bar = self.verticalScrollBar().sizeHint().width() if maximum else 0
        self._row.setContentsMargins(SIDE, 0, max(0, SIDE - bar), 0)
        if self._at_end:
            self.verticalScrollBar().setValue(maximum)
        self._show_newest()

    def _value_changed(self, value: int) -> None:
        self._at_end = value >= self.verticalScrollBar().maximum() - _NEAR_END
        self._show_newest()
        # A screen is loaded in both directions, so scrolling by a line needs no loading.
        if abs(value - self._loaded_at) > self.viewport().height() // 2:
            self.load_soon()

    def _show_newest(self) -> None:
        """Show the button that scrolls to the end, unless the end is in view."""
        self._newest_button.setVisible(not self._at_end and not self.read_only and self._body.updatesEnabled())
        if not self._at_end:
            view = self.viewport().geometry()
            self._newest_button.move(view.center().x() - self._newest_button.width() // 2, view.bottom() - 44)
            self._newest_button.raise_()

    def _hold_position(self) -> None:
        """Remember the text at the top before lines wrap differently. `_load_near` scrolls back to it."""
        position = self.reading_position
        if position is not None and self._target is None:
            turn = self._column.turns[position[0]]
            height = self._column.slot(turn).height() if position[1] > 0 else None
            self._target = _Target(turn, position[1], height)

    def resizeEvent(self, event: QResizeEvent) -> None:
        # A scroll bar narrows only the viewport: the column keeps its width.
        if self.width() != self._laid_out_at:
            self._laid_out_at = self.width()
            self._hold_position()
        super().resizeEvent(event)
        self._blank.resize(self.viewport().size())
        self._show_newest()
        self.load_soon()
