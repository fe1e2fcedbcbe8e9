"""The search in the open chat: the query, the number of matches, and buttons that step through them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import takewhile

from PySide6.QtCore import QEvent, QLocale, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QFrame, QLineEdit, QToolButton, QWidget

from app.conversations.search import Query, highlights, parse_phrase, parse_query
from app.session.chats import Turn
from app.widgets.buttons import CloseButton
from app.widgets.icons import icon
from app.widgets.keys import ENTER, claims_escape, is_escape
from app.widgets.labels import label, set_name
from app.widgets.layouts import fill, hbox
from app.widgets.search_field import LiveField
from app.widgets.theme_aware import ThemeAware
from app.widgets.throttle import single_shot

# How long after the last letter the search begins.
_PAUSE_MS = 150
# How long it goes on until the event loop has its turn.
_SLICE_S = 0.004


class FindBar(ThemeAware, QFrame):
    """The search bar, hidden until `open`.

    `chosen` carries a turn and the index of the match in it to show (None: the turn itself). `changed` is emitted after
    every change of the query, `searched` after every search, and `focus_lost` when the bar closes while it has the
    focus.
    """

    chosen = Signal(object, object)
    changed = Signal()
    searched = Signal()
    focus_lost = Signal()

    def __init__(
        self,
        turns: Callable[[], Sequence[Turn]],
        count: Callable[[Turn, Query], int],
        parent: QWidget | None = None,
    ) -> None:
        """`turns` returns the turns of the chat, `count` the number of matches that a turn shows."""
        super().__init__(parent)
        self.setObjectName("findBar")
        self._turns = turns
        self._count_in = count
        self._matches: dict[Turn, int] = {}
        self._total = 0
        self._current = 0
        self._parse = parse_phrase
        self.query: Query | None = None
        # The turns that are not searched yet, and what is called after the search.
        self._turns_left: Iterator[Turn] = iter(())
        self._found: dict[Turn, int] = {}
        self._after_search: Callable[[], object] = self._show_count
        self._pause_timer = single_shot(self, self._type, _PAUSE_MS)
        self._slices = single_shot(self, self._search_slice)
        self.edit = LiveField(self)
        self.bound("Find in this chat", self.edit, QLineEdit.setPlaceholderText, QWidget.setAccessibleName)
        self._count_label = label(self, "muted")
        self._up = self.bound("Previous match", QToolButton(self), set_name)
        self._down = self.bound("Next match", QToolButton(self), set_name)
        self._up.setIcon(icon("arrow-up"))
        self._down.setIcon(icon("arrow-down"))
        row = hbox(self, margins=(12, 6, 12, 6), spacing=6)
        fill(row, (self.edit, 1), self._count_label, self._up, self._down, CloseButton(self, self.close_bar))
        self.edit.typed.connect(lambda _: self._pause_timer.start())
        self._up.clicked.connect(lambda: self.step(-1))
        self._down.clicked.connect(lambda: self.step(1))
        self.restyle()
        self.hide()

    def open(self) -> None:
        self.show()
        self.edit.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.edit.selectAll()

    @property
    def finding(self) -> bool:
        """Whether there are matches."""
        return self._total > 0

    @property
    def current(self) -> tuple[Turn, int] | None:
        """The current match: a turn and the index of the match in it."""
        index = self._current
        for turn, count in self._matches.items():
            if index < count:
                return turn, index
            index -= count
        return None

    def search_for(self, text: str, turn: Turn, in_answer: bool) -> None:
        """Adopt the query of the search in all chats and go to the first match in a turn's question or answer."""
        self.edit.put(text)
        self.show()
        self._parse = parse_query
        self._search(text, partial(self._go_to, turn, in_answer))

    def _go_to(self, turn: Turn, in_answer: bool) -> None:
        before = 0
        if in_answer and self.query is not None:
            from app.transcript.question_bubble import shown_question

            before = len(highlights(shown_question(turn.question), self.query)) if turn.asks else 0
        count = self._matches.get(turn, 0)
        if count:
            self._current = self._first_in(turn) + min(before, count - 1)
        self._show_count()
        self.chosen.emit(turn, self.current[1] if count and self.current else None)

    def step(self, by: int) -> None:
        """Go to another match, or search at once for what was typed."""
        if self._pause_timer.isActive():
            self._type()
        elif self._total:
            self._current = (self._current + by) % self._total
            self._show_count()
            self._choose()

    def search_again(self) -> None:
        """Search again, because the chat shows other turns or other texts. Keeps the current match if possible."""
        if self.query is not None and not self._pause_timer.isActive():
            self._search(self.edit.words, partial(self._stay, self.current))

    def _stay(self, before: tuple[Turn, int] | None) -> None:
        if before is not None and before[0] in self._matches:
            self._current = self._first_in(before[0]) + min(before[1], self._matches[before[0]] - 1)
        else:
            self._current = max(0, min(self._current, self._total - 1))
        self._show_count()
        self.changed.emit()

    def close_bar(self) -> None:
        if self.isHidden():
            return
        focus = QApplication.focusWidget()
        had_focus = focus is not None and self.isAncestorOf(focus)
        self.hide()
        if had_focus:
            self.focus_lost.emit()
        self.query = None
        self._matches = {}
        self._total = 0
        self.edit.clear()
        self._pause_timer.stop()
        self._slices.stop()
        self.changed.emit()
        self.searched.emit()

    def _type(self) -> None:
        self._parse = parse_phrase
        self._search(self.edit.words, self._show_first)

    def _show_first(self) -> None:
        """Go to the first match of the chat."""
        self._current = 0
        self._show_count()
        if self.current is None:
            self.changed.emit()
        self._choose()

    def _choose(self) -> None:
        if self.current is not None:
            self.chosen.emit(*self.current)

    def _search(self, text: str, then: Callable[[], object]) -> None:
        """Search all turns, in slices, and call `then`. It replaces a search that goes on."""
        self._pause_timer.stop()
        self.query = self._parse(text)
        self._found = {}
        self._after_search = then
        self._turns_left = iter(() if self.query is None else self._turns())
        self._search_slice()

    def _search_slice(self) -> None:
        end = time.perf_counter() + _SLICE_S
        for turn in self._turns_left:
            if self.query is not None and (count := self._count_in(turn, self.query)):
                self._found[turn] = count
            if time.perf_counter() > end:
                self._slices.start()
                return
        self._matches = self._found
        self._total = sum(self._found.values())
        self._after_search()
        self.searched.emit()

    def _first_in(self, turn: Turn) -> int:
        """Return the index of a turn's first match among all matches."""
        earlier = takewhile(lambda known: known is not turn, self._matches)
        return sum(self._matches[known] for known in earlier)

    def _show_count(self) -> None:
        if self.query is None:
            self._count_label.setText("")
        elif self._total:
            text = self.tr("{place} of {count}")
            number = QLocale().toString
            self._count_label.setText(text.format(place=number(self._current + 1), count=number(self._total)))
        else:
            self._count_label.setText(self.tr("Not found"))

    def event(self, event: QEvent) -> bool:
        return claims_escape(event) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if is_escape(event):
            self.close_bar()
        elif event.key() in ENTER:
            self.step(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
        else:
            super().keyPressEvent(event)

    def retranslate(self) -> None:
        self._show_count()
