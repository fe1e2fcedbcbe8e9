"""The chat as a column of turns that scrolls, and stays at its end only when it was there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QCursor, QResizeEvent
from PySide6.QtWidgets import QApplication, QHBoxLayout, QScrollArea, QToolButton, QVBoxLayout, QWidget

from app.chat.lazy_turn import LazyTurn
from app.chat.link_menu import LinkMenu
from app.chat.message import TurnView
from app.chat.shown_text import ShownTexts
from app.widgets import theme
from app.widgets.icons import icon
from app.widgets.layouts import settle_layouts

if TYPE_CHECKING:
    from app.conversations.search import Query
    from app.session.chats import Chat, Turn

COLUMN_WIDTH = 720
SIDE = 24
_NEAR_END = 24
# Loading changes heights, which may bring more turns near; this many times it is looked at again.
_LOAD_ROUNDS = 4


class Transcript(QScrollArea):
    """One widget a turn. `acted` carries a turn and what to do with it, `edited` one with its question's new text,
    `tokens_wanted` one whose tokens are still on disk, `menu_wanted` one and where its menu is wanted,
    `rounds_selected` one and the rounds whose tokens are selected in it, `turned_to` one that was clicked or has the
    focus now, `focus_lost` follows when what had the focus is gone, `shown_as` when answers are shown in the other way.
    """

    acted = Signal(object, str)
    edited = Signal(object, str)
    tokens_wanted = Signal(object)
    menu_wanted = Signal(object, QPoint)
    rounds_selected = Signal(object, object)
    turned_to = Signal(object)
    focus_lost = Signal()
    shown_as = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("transcript")
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self._slots: dict[Turn, LazyTurn] = {}
        self._at_end = True
        self._as_tokens = False
        self._query: Query | None = None
        self._current_hit: tuple[Turn, int] | None = None
        self._texts = ShownTexts()
        self._loaded_at = self._laid_out_at = 0
        # What is to be at the top of the view: a turn, pixels below its top, and how high it was then, if it was there.
        self._wanted: tuple[Turn, int, int | None] | None = None
        self._column = QWidget()
        self._build_body()
        self.link_menu = LinkMenu(self)
        self._newest = QToolButton(self)
        self._newest.setObjectName("newest")
        self._newest.clicked.connect(self.scroll_to_end)
        self._newest.hide()
        bar = self.verticalScrollBar()
        bar.rangeChanged.connect(self._range_changed)
        bar.valueChanged.connect(self._value_changed)
        self._loading = QTimer(self)
        self._loading.setSingleShot(True)
        self._loading.timeout.connect(self._load_near)
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._focus_changed)
        self._apply_theme()
        self.retranslate()

    def _build_body(self) -> None:
        self._body = body = QWidget()
        body.setObjectName("transcriptBody")
        self._column.setMaximumWidth(COLUMN_WIDTH)
        self._turns = QVBoxLayout(self._column)
        self._turns.setContentsMargins(0, 28, 0, 24)
        self._turns.setSpacing(32)
        self._turns.addStretch(1)
        # Room for what has grown before anything is placed: squeezed in first, every turn would move twice.
        self._turns.setSizeConstraint(QVBoxLayout.SizeConstraint.SetMinimumSize)
        self._row = QHBoxLayout(body)
        self._row.setContentsMargins(SIDE, 0, SIDE, 0)
        self._row.addStretch(1)
        self._row.addWidget(self._column, 1000)
        self._row.addStretch(1)
        self._row.setSizeConstraint(QHBoxLayout.SizeConstraint.SetMinimumSize)
        for grows in (body, self._column):
            grows.setAttribute(Qt.WidgetAttribute.WA_StaticContents)
        self.setWidget(body)

    @property
    def place(self) -> tuple[int, int] | None:
        """What is at the top of the view: a turn's index and pixels below its top; None at the end."""
        if self._wanted is not None and self._wanted[0] in self._slots:
            return list(self._slots).index(self._wanted[0]), self._wanted[1]
        if self._at_end:
            return None
        top = self.verticalScrollBar().value()
        for index, slot in enumerate(self._slots.values()):
            if slot.geometry().bottom() >= top:
                return index, top - slot.y()
        return None

    def shows(self, chat: Chat) -> bool:
        """Whether these are the turns of that chat."""
        return list(self._slots) == chat.turns

    def show_chat(self, chat: Chat) -> None:
        """Show all turns of a chat, from where it was read last, or from its end."""
        self._column.setUpdatesEnabled(False)
        for slot in self._slots.values():
            slot.leave_edit()
            self._turns.removeWidget(slot)
            slot.deleteLater()
        self._slots = {}
        for turn in chat.turns:
            self._add(turn)
        self._column.setUpdatesEnabled(True)
        self._at_end = True
        self._wanted = None
        if chat.read_position is not None and chat.read_position[0] < len(chat.turns):
            # The new turns have their places once the event loop has come to their layout.
            self._wanted, self._at_end = (chat.turns[chat.read_position[0]], chat.read_position[1], None), False
        self._load_soon()

    def show_path(self, chat: Chat) -> None:
        """The chat shows other turns now: those that stay keep their place, and so does what is read."""
        kept, focus, had_focus = set(chat.turns), QApplication.focusWidget(), False
        self._column.setUpdatesEnabled(False)
        for turn in [turn for turn in self._slots if turn not in kept]:
            slot = self._slots.pop(turn)
            had_focus = had_focus or (focus is not None and slot.isAncestorOf(focus))
            self._turns.removeWidget(slot)
            slot.hide()
            slot.deleteLater()
        before, self._slots = self._slots, {}
        for place, turn in enumerate(chat.turns):
            if turn in before:
                self._slots[turn] = before[turn]
                before[turn].show_places()
            else:
                self._add(turn, place)
        self._column.setUpdatesEnabled(True)
        self._mark_newest()
        self._load_soon()
        if had_focus:
            self.focus_lost.emit()

    def reveal(self, turn: Turn) -> TurnView:
        """Bring a turn into view."""
        self._wanted = None
        return self._go_to(turn, -SIDE)

    def _go_to(self, turn: Turn, offset: int) -> TurnView:
        view = self.view(turn)
        settle_layouts()
        self.verticalScrollBar().setValue(max(0, self._slots[turn].y() + offset))
        return view

    def mark(self, query: Query | None, current: tuple[Turn, int] | None = None) -> None:
        """Mark the words of a search in every turn, and the hit that is looked at, a turn and its number in there; None
        takes the marks away.
        """
        self._query, self._current_hit = query, current
        for slot in self._slots.values():
            if slot.view is not None:
                self._mark(slot.view)

    def _mark(self, view: TurnView) -> None:
        current = self._current_hit
        view.mark(self._query, current[1] if current is not None and current[0] is view.turn else None)

    def count_hits(self, turn: Turn, query: Query) -> int:
        """How many hits there are in what a turn shows, or would show if it were near."""
        return self._texts.count(turn, query, self._as_tokens)

    def reveal_hit(self, turn: Turn, place: int) -> None:
        """Bring the hit of that number into view, after it was marked; the turn, where it shows none."""
        view = self.view(turn)
        settle_layouts()
        found = view.place_of_hit(place)
        if found is None:
            self.reveal(turn)
            return
        self._wanted = None
        bar, height = self.verticalScrollBar(), self.viewport().height()
        top = view.mapTo(self._body, found.topLeft()).y()
        if not bar.value() + SIDE <= top <= bar.value() + height - SIDE - found.height():
            bar.setValue(max(0, top - height // 3))

    def add_turn(self, turn: Turn) -> None:
        self._add(turn).load()
        self._mark_newest()
        self._wanted, self._at_end = None, True

    def refresh(self, turn: Turn) -> None:
        """The answer of a turn has grown or ended. Turns of other chats are not ours to show."""
        slot = self._slots.get(turn)
        if slot is not None and slot.view is not None:
            slot.view.refresh()

    @property
    def as_tokens(self) -> bool:
        """Whether answers are shown as their tokens."""
        return self._as_tokens

    def set_as_tokens(self, as_tokens: bool) -> None:
        """Show answers as their tokens, or as rendered text."""
        self._as_tokens = as_tokens
        for slot in self._slots.values():
            if slot.view is not None:
                slot.view.set_as_tokens(as_tokens)
        self.shown_as.emit()

    def show_round(self, turn: Turn, number: int) -> None:
        """Select a round's tokens and bring them into view. Answers are shown as tokens for it."""
        tokens = self.view(turn).tokens
        tokens.select_round(number)
        settle_layouts()
        place = tokens.mapTo(self._body, tokens.cursorRect().center())
        self.ensureVisible(place.x(), place.y(), 0, 80)

    def view(self, turn: Turn) -> TurnView:
        """The widgets of a turn, made now if it was far away."""
        return self._slots[turn].load()

    @property
    def loaded(self) -> int:
        """How many turns have widgets."""
        return sum(slot.view is not None for slot in self._slots.values())

    def scroll_to_end(self) -> None:
        bar = self.verticalScrollBar()
        bar.setValue(bar.maximum())

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Chat"))
        self._newest.setToolTip(self.tr("Jump to the newest text"))
        self._newest.setAccessibleName(self.tr("Jump to the newest text"))

    def _add(self, turn: Turn, place: int | None = None) -> LazyTurn:
        slot = LazyTurn(turn, self._make_view, self._column)
        self._slots[turn] = slot
        self._turns.insertWidget(self._turns.count() - 1 if place is None else place, slot)
        return slot

    def _make_view(self, turn: Turn, parent: QWidget) -> TurnView:
        view = TurnView(turn, self._as_tokens, parent)
        view.set_newest(turn is next(reversed(self._slots)))
        if self._query is not None:
            self._mark(view)
        view.rounds_selected.connect(lambda rounds: self.rounds_selected.emit(turn, rounds))
        view.grows.connect(lambda pixels: self._make_room(turn, pixels))
        view.pressed.connect(lambda: self.turned_to.emit(turn))
        view.link_chosen.connect(self._show_link)
        view.acted.connect(lambda word: self._act(turn, word))
        view.edited.connect(lambda text: self.edited.emit(turn, text))
        view.focus_lost.connect(self.focus_lost)
        view.tokens_wanted.connect(lambda: self.tokens_wanted.emit(turn))
        view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        view.customContextMenuRequested.connect(lambda place: self.menu_wanted.emit(turn, view.mapToGlobal(place)))
        view.wired()
        return view

    def _focus_changed(self, _before: QWidget | None, now: QWidget | None) -> None:
        if now is None or not self.isAncestorOf(now):
            return
        for turn, slot in self._slots.items():
            if slot.view is not None and slot.view.isAncestorOf(now):
                self.turned_to.emit(turn)
                return

    def _mark_newest(self) -> None:
        for turn, slot in self._slots.items():
            if slot.view is not None:
                slot.view.set_newest(turn is next(reversed(self._slots)))

    def _act(self, turn: Turn, word: str) -> None:
        if word == "more":
            button = self.view(turn).answer_row.button("more")
            self.menu_wanted.emit(turn, button.mapToGlobal(button.rect().bottomLeft()))
        else:
            self.acted.emit(turn, word)

    def _load_soon(self) -> None:
        if not self._loading.isActive():
            self._loading.start()

    def _load_near(self) -> None:
        """Give widgets to the turns in view and a screen around it, and take them from those far away.

        What is in view stays where it is, although rooms above it turn out higher or lower than they were guessed.
        """
        if self._wanted is not None:
            (turn, offset, height), self._wanted = self._wanted, None
            if turn in self._slots:
                self.view(turn)
                settle_layouts()
                self._go_to(turn, round(offset * self._slots[turn].height() / height) if height else offset)
        self._load_rounds()
        self._loaded_at = self.verticalScrollBar().value()

    def _load_rounds(self) -> None:
        for _ in range(_LOAD_ROUNDS):
            settle_layouts()
            bar, height = self.verticalScrollBar(), self.viewport().height()
            if self._at_end:
                bar.setValue(bar.maximum())
            top = bar.value()
            anchor = next((slot for slot in self._slots.values() if slot.geometry().bottom() >= top), None)
            offset = anchor.y() - top if anchor else 0
            if not self._change_loaded(top - height, top + 2 * height):
                return
            settle_layouts()
            if anchor is not None and not self._at_end:
                bar.setValue(anchor.y() - offset)
            elif self._at_end:
                bar.setValue(bar.maximum())

    def _change_loaded(self, top: int, bottom: int) -> bool:
        """Load what lies between two heights and unload what is far from there; whether anything was loaded."""
        far, changed = 2 * (bottom - top), False
        for slot in self._slots.values():
            place = slot.geometry()
            if place.bottom() >= top and place.top() <= bottom:
                changed = changed or slot.view is None
                slot.load()
            elif place.bottom() < top - far or place.top() > bottom + far:
                slot.unload()
        return changed

    def _show_link(self, address: str) -> None:
        """A click shows where a link goes; only a second one opens it."""
        self.link_menu.fill(address)
        self.link_menu.popup(QCursor.pos())

    def _make_room(self, turn: Turn, pixels: int) -> None:
        """Scroll on before the last answer grows: what is there is then moved, and only the new line is painted.

        Once anything in the view has changed its size, Qt can only paint all of it again.
        """
        bar = self.verticalScrollBar()
        last = bool(self._slots) and turn is next(reversed(self._slots))
        if last and self._at_end and self._wanted is None and bar.maximum() > 0:
            bar.setMaximum(bar.maximum() + pixels)

    def _range_changed(self, _minimum: int, maximum: int) -> None:
        # The bar takes its width from the margin, which keeps the column in line with the composer.
        bar = self.verticalScrollBar().sizeHint().width() if maximum else 0
        self._row.setContentsMargins(SIDE, 0, max(0, SIDE - bar), 0)
        if self._at_end:
            self.verticalScrollBar().setValue(maximum)
        self._show_newest()

    def _value_changed(self, value: int) -> None:
        self._at_end = value >= self.verticalScrollBar().maximum() - _NEAR_END
        self._show_newest()
        # There are widgets for a screen in both directions; following an answer line by line needs no new ones.
        if abs(value - self._loaded_at) > self.viewport().height() // 2:
            self._load_soon()

    def _show_newest(self) -> None:
        self._newest.setVisible(not self._at_end)
        if not self._at_end:
            place = self.viewport().geometry()
            self._newest.move(place.center().x() - self._newest.width() // 2, place.bottom() - 44)
            self._newest.raise_()

    def _hold_place(self) -> None:
        """Lines are about to be broken elsewhere: what is read is brought back to the top of the view then."""
        place = self.place
        if place is not None and self._wanted is None:
            turn, slot = list(self._slots.items())[place[0]]
            self._wanted = turn, place[1], slot.height() if place[1] > 0 else None

    def resizeEvent(self, event: QResizeEvent) -> None:
        # The view alone is narrower with the scroll bar than without: the column is as wide in both.
        if self.width() != self._laid_out_at:
            self._laid_out_at = self.width()
            self._hold_place()
        super().resizeEvent(event)
        self._show_newest()
        self._load_soon()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if not hasattr(self, "_newest"):
            return
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        elif event.type() == QEvent.Type.PaletteChange:
            self._apply_theme()

    def _apply_theme(self) -> None:
        self._newest.setIcon(icon("arrow-down", theme.colours().muted))
