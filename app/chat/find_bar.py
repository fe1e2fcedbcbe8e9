"""Search inside the open chat: the words, how often they are there, and the way from one hit to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QLocale, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QLabel, QToolButton, QWidget

from app.conversations.search import Query, highlights, parse_phrase, parse_query
from app.widgets import theme
from app.widgets.icons import icon
from app.widgets.search_field import LiveField

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.session.chats import Turn


class FindBar(QFrame):
    """Hidden until `open`. `chosen` carries a turn and the number of the hit in it that is to be shown (None: the turn
    itself), `changed` follows every other query and `found` what was found, `focus_lost` when it closes while it has
    the focus.
    """

    chosen = Signal(object, object)
    changed = Signal()
    found = Signal()
    focus_lost = Signal()

    def __init__(
        self,
        turns: Callable[[], Sequence[Turn]],
        count: Callable[[Turn, Query], int],
        parent: QWidget | None = None,
    ) -> None:
        """`turns` are those of the chat, `count` says how many hits one shows."""
        super().__init__(parent)
        self.setObjectName("findBar")
        self._turns, self._count_in = turns, count
        self._hits: dict[Turn, int] = {}
        self._total = self._place = 0
        self._parse = parse_phrase
        self.query: Query | None = None
        self.edit = LiveField(self)
        self.count = QLabel(self)
        self.count.setProperty("styleClass", "muted")
        self._up, self._down, self._close = (QToolButton(self) for _ in range(3))
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 12, 6)
        row.setSpacing(6)
        for view in (self.edit, self.count, self._up, self._down, self._close):
            row.addWidget(view, 1 if view is self.edit else 0)
        self.edit.typed.connect(self._search)
        self._up.clicked.connect(lambda: self.step(-1))
        self._down.clicked.connect(lambda: self.step(1))
        self._close.clicked.connect(self.close_bar)
        self.retranslate()
        self._apply_theme()
        self.hide()

    def open(self) -> None:
        self.show()
        self.edit.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.edit.selectAll()

    @property
    def finding(self) -> bool:
        """Whether there are hits to go to."""
        return self._total > 0

    @property
    def current(self) -> tuple[Turn, int] | None:
        """The hit that is looked at: a turn, and the hit's number in it."""
        place = self._place
        for turn, count in self._hits.items():
            if place < count:
                return turn, place
            place -= count
        return None

    def search_for(self, text: str, turn: Turn, in_answer: bool) -> None:
        """Show what another search found: its words, beginning at that turn's question or answer."""
        self.edit.put(text)
        self.show()
        self._parse = parse_query
        self._look(text)
        before = 0
        if in_answer and self.query is not None:
            before = len(highlights(turn.question, self.query)) if turn.asks else 0
        hits = self._hits.get(turn, 0)
        if hits:
            self._place = self._first_of(turn) + min(before, hits - 1)
        self._tell()
        self.chosen.emit(turn, self.current[1] if hits and self.current else None)

    def step(self, by: int) -> None:
        if self._total:
            self._place = (self._place + by) % self._total
            self._tell()
            self._choose()

    def look_again(self) -> None:
        """The chat shows other turns now, or one of them another text."""
        if self.query is None:
            return
        before = self.current
        self._look(self.edit.words)
        if before is not None and before[0] in self._hits:
            self._place = self._first_of(before[0]) + min(before[1], self._hits[before[0]] - 1)
        else:
            self._place = max(0, min(self._place, self._total - 1))
        self._tell()

    def close_bar(self) -> None:
        if self.isHidden():
            return
        focus = QApplication.focusWidget()
        had_focus = focus is not None and self.isAncestorOf(focus)
        self.hide()
        if had_focus:
            self.focus_lost.emit()
        self.query, self._hits, self._total = None, {}, 0
        self.edit.clear()
        self.changed.emit()
        self.found.emit()

    def _search(self, text: str) -> None:
        self._parse = parse_phrase
        self._look(text)
        self._place = max(0, self._total - 1)
        self._tell()
        self.changed.emit()
        self._choose()

    def _choose(self) -> None:
        if self.current is not None:
            self.chosen.emit(*self.current)

    def _look(self, text: str) -> None:
        query = self.query = self._parse(text)
        self._hits = {}
        if query is not None:
            counts = ((turn, self._count_in(turn, query)) for turn in self._turns())
            self._hits = {turn: count for turn, count in counts if count}
        self._total = sum(self._hits.values())
        self.found.emit()

    def _first_of(self, turn: Turn) -> int:
        """The place of a turn's first hit."""
        before = 0
        for known, count in self._hits.items():
            if known is turn:
                break
            before += count
        return before

    def _tell(self) -> None:
        if self.query is None:
            self.count.setText("")
        elif self._total:
            text, number = self.tr("{place} of {count}"), QLocale().toString
            self.count.setText(text.format(place=number(self._place + 1), count=number(self._total)))
        else:
            self.count.setText(self.tr("Not found"))

    def event(self, event: QEvent) -> bool:
        escape = isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape
        if escape and event.type() == QEvent.Type.ShortcutOverride:
            # Otherwise the shortcut that stops an answer would get the key.
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
        self.edit.setPlaceholderText(self.tr("Find in this chat"))
        self.edit.setAccessibleName(self.tr("Find in this chat"))
        names = (
            (self._up, self.tr("Previous match")),
            (self._down, self.tr("Next match")),
            (self._close, self.tr("Close")),
        )
        for button, name in names:
            button.setToolTip(name)
            button.setAccessibleName(name)
        self._tell()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if not hasattr(self, "_close"):
            return
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        elif event.type() == QEvent.Type.PaletteChange:
            self._apply_theme()

    def _apply_theme(self) -> None:
        for button, name in ((self._up, "arrow-up"), (self._down, "arrow-down"), (self._close, "close")):
            button.setIcon(icon(name, theme.colours().muted))
