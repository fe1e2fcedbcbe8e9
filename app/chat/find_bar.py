"""Search in the open chat: the query, the number of matches, and buttons that go from one to the next."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QLocale, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QFrame, QLineEdit, QToolButton, QWidget

from app.conversations.search import Query, highlights, parse_phrase, parse_query
from app.session.chats import Turn
from app.widgets import theme
from app.widgets.icons import icon
from app.widgets.labels import label, set_name
from app.widgets.layouts import hbox
from app.widgets.restyled import Restyled
from app.widgets.search_field import LiveField


class FindBar(Restyled, QFrame):
    """Hidden until `open`.

    `chosen` carries a turn and the index of the match in it that is to be shown (None: the turn itself), `changed`
    follows every change of the query, `found` every search, and `focus_lost` when it closes while it has the focus.
    """

    chosen = Signal(object, object)
    changed = Signal()
    found = Signal()
    focus_lost = Signal()

    def __init__(
        self, turns: Callable[[], Sequence[Turn]], count: Callable[[Turn, Query], int], parent: QWidget | None = None
    ) -> None:
        """`turns` returns those of the chat, `count` how many matches one of them shows."""
        super().__init__(parent)
        self.setObjectName("findBar")
        self._turns, self._count_in = turns, count
        self._matches: dict[Turn, int] = {}
        self._total = self._current = 0
        self._parse = parse_phrase
        self.query: Query | None = None
        self.edit = LiveField(self)
        self.bound("Find in this chat", self.edit, QLineEdit.setPlaceholderText, QWidget.setAccessibleName)
        self._count = label(self, "muted")
        self._up = self.bound("Previous match", QToolButton(self), set_name)
        self._down = self.bound("Next match", QToolButton(self), set_name)
        self._close = self.bound("Close", QToolButton(self), set_name)
        row = hbox(self, margins=(12, 6, 12, 6), spacing=6)
        for view in (self.edit, self._count, self._up, self._down, self._close):
            row.addWidget(view, 1 if view is self.edit else 0)
        self.edit.typed.connect(self._type)
        self._up.clicked.connect(lambda: self.step(-1))
        self._down.clicked.connect(lambda: self.step(1))
        self._close.clicked.connect(self.close_bar)
        self.restyle()
        self.hide()

    def open(self) -> None:
        self.show()
        self.edit.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.edit.selectAll()

    @property
    def finding(self) -> bool:
        """Whether there are matches to go to."""
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
        """Take over the query of the search in all chats, at the first match in that turn's question or answer."""
        self.edit.put(text)
        self.show()
        self._parse = parse_query
        self._search(text)
        before = 0
        if in_answer and self.query is not None:
            from app.chat.question_bubble import shown_question

            before = len(highlights(shown_question(turn.question), self.query)) if turn.asks else 0
        count = self._matches.get(turn, 0)
        if count:
            self._current = self._first_in(turn) + min(before, count - 1)
        self._show_count()
        self.chosen.emit(turn, self.current[1] if count and self.current else None)

    def step(self, by: int) -> None:
        if self._total:
            self._current = (self._current + by) % self._total
            self._show_count()
            self._choose()

    def search_again(self) -> None:
        """Search again, because the chat shows other turns or other texts. The current match stays, where it can."""
        if self.query is None:
            return
        before = self.current
        self._search(self.edit.words)
        if before is not None and before[0] in self._matches:
            self._current = self._first_in(before[0]) + min(before[1], self._matches[before[0]] - 1)
        else:
            self._current = max(0, min(self._current, self._total - 1))
        self._show_count()

    def close_bar(self) -> None:
        if self.isHidden():
            return
        focus = QApplication.focusWidget()
        had_focus = focus is not None and self.isAncestorOf(focus)
        self.hide()
        if had_focus:
            self.focus_lost.emit()
        self.query, self._matches, self._total = None, {}, 0
        self.edit.clear()
        self.changed.emit()
        self.found.emit()

    def _type(self, text: str) -> None:
        self._parse = parse_phrase
        self._search(text)
        self._current = max(0, self._total - 1)
        self._show_count()
        self.changed.emit()
        self._choose()

    def _choose(self) -> None:
        if self.current is not None:
            self.chosen.emit(*self.current)

    def _search(self, text: str) -> None:
        query = self.query = self._parse(text)
        self._matches = {}
        if query is not None:
            counts = ((turn, self._count_in(turn, query)) for turn in self._turns())
            self._matches = {turn: count for turn, count in counts if count}
        self._total = sum(self._matches.values())
        self.found.emit()

    def _first_in(self, turn: Turn) -> int:
        """The index of a turn's first match among all."""
        before = 0
        for known, count in self._matches.items():
            if known is turn:
                break
            before += count
        return before

    def _show_count(self) -> None:
        if self.query is None:
            self._count.setText("")
        elif self._total:
            text, number = self.tr("{place} of {count}"), QLocale().toString
            self._count.setText(text.format(place=number(self._current + 1), count=number(self._total)))
        else:
            self._count.setText(self.tr("Not found"))

    def event(self, event: QEvent) -> bool:
        escape = isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape
        if escape and event.type() == QEvent.Type.ShortcutOverride:
            # Otherwise the shortcut that stops an answer gets the key.
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close_bar()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.step(1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else -1)
        else:
            super().keyPressEvent(event)

    def retranslate(self) -> None:
        self._show_count()

    def apply_theme(self) -> None:
        for button, name in ((self._up, "arrow-up"), (self._down, "arrow-down"), (self._close, "close")):
            button.setIcon(icon(name, theme.colours().muted))
