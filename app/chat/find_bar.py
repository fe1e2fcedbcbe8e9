"""Search inside the open chat: the words, how many messages have them, and the way from one to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QLabel, QLineEdit, QToolButton, QWidget

from app import theme
from app.conversations.search import Query, highlights, parse_query
from app.icons import icon

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.conversations.chats import Turn


class FindBar(QFrame):
    """Hidden until `open`. `chosen` carries the turn to show, `changed` follows every other query, `focus_lost` when it
    closes while it has the focus.
    """

    chosen = Signal(object)
    changed = Signal()
    focus_lost = Signal()

    def __init__(self, turns: Callable[[], Sequence[Turn]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("findBar")
        self._turns = turns
        self._hits: list[Turn] = []
        self._place = 0
        self.query: Query | None = None
        self.edit = QLineEdit(self)
        self.count = QLabel(self)
        self.count.setProperty("look", "muted")
        self._up, self._down, self._close = (QToolButton(self) for _ in range(3))
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 12, 6)
        row.setSpacing(6)
        for view in (self.edit, self.count, self._up, self._down, self._close):
            row.addWidget(view, 1 if view is self.edit else 0)
        self.edit.textChanged.connect(self._search)
        self._up.clicked.connect(lambda: self.step(-1))
        self._down.clicked.connect(lambda: self.step(1))
        self._close.clicked.connect(self.close_bar)
        self.retranslate()
        self._dress()
        self.hide()

    def open(self) -> None:
        self.show()
        self.edit.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.edit.selectAll()

    def search_for(self, text: str, turn: Turn) -> None:
        """Show what another search found: its words, beginning at that turn."""
        self.edit.blockSignals(True)
        self.edit.setText(text)
        self.edit.blockSignals(False)
        self.show()
        self._look(text)
        if turn in self._hits:
            self._place = self._hits.index(turn)
        self._tell()
        self.chosen.emit(turn)

    def step(self, by: int) -> None:
        if self._hits:
            self._place = (self._place + by) % len(self._hits)
            self._tell()
            self.chosen.emit(self._hits[self._place])

    def look_again(self) -> None:
        """The chat shows other turns now."""
        if self.query is not None:
            self._look(self.edit.text())
            self._place = max(0, min(self._place, len(self._hits) - 1))
            self._tell()

    def close_bar(self) -> None:
        if self.isHidden():
            return
        focus = QApplication.focusWidget()
        had_focus = focus is not None and self.isAncestorOf(focus)
        self.hide()
        if had_focus:
            self.focus_lost.emit()
        self.query, self._hits = None, []
        self.edit.clear()
        self.changed.emit()

    def _search(self, text: str) -> None:
        self._look(text)
        self._place = len(self._hits) - 1
        self._tell()
        self.changed.emit()
        if self._hits:
            self.chosen.emit(self._hits[self._place])

    def _look(self, text: str) -> None:
        query = self.query = parse_query(text)
        self._hits = []
        if query is not None:
            self._hits = [turn for turn in self._turns() if _has(turn, query)]

    def _tell(self) -> None:
        if self.query is None:
            self.count.setText("")
        elif self._hits:
            text = self.tr("Message {place} of {count}")
            self.count.setText(text.format(place=self._place + 1, count=len(self._hits)))
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
            self._dress()

    def _dress(self) -> None:
        for button, name in ((self._up, "arrow-up"), (self._down, "arrow-down"), (self._close, "close")):
            button.setIcon(icon(name, theme.colours().muted))


def _has(turn: Turn, query: Query) -> bool:
    return bool(highlights(turn.question, query) or highlights(turn.answer.text, query))
