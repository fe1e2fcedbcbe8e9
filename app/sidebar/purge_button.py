"""The button above the trash. It asks before it deletes, because deletion cannot be undone."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QPushButton, QWidget

from app.conversations.records import Conversation
from app.widgets.keys import ENTER, claims_escape, is_escape
from app.widgets.restyled import Restyled

# The button's padding and border.
_SIDE = 14


class PurgeButton(Restyled, QPushButton):
    """Empties the trash or deletes one chat permanently: the first press or `ask_about` asks, the next press does it.

    The question is withdrawn when the focus moves or Escape is pressed; `left` is emitted after Escape.
    """

    emptied = Signal()
    purged = Signal(int)
    left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("styleClass", "button")
        self._trash: Sequence[Conversation] = ()
        self._one: Conversation | None = None
        self._asks = False
        self.clicked.connect(self._press)
        self.restyle()

    def show_trash(self, chats: Sequence[Conversation]) -> None:
        """Set the chats that would be deleted. A question about other chats is withdrawn."""
        ids, before = {chat.id for chat in chats}, {chat.id for chat in self._trash}
        self._trash = list(chats)
        stays = ids == before if self._one is None else self._one.id in ids
        if not stays:
            self._one, self._asks = None, False
        self.retranslate()

    def ask_about(self, conversation_id: int) -> None:
        """Ask whether to delete that chat permanently, if it is still in the trash."""
        one = next((chat for chat in self._trash if chat.id == conversation_id), None)
        if one is not None:
            self._ask(one)

    def _press(self) -> None:
        if not self._asks:
            self._ask(None)
            return
        one = self._one
        self._take_back()
        if one is None:
            self.emptied.emit()
        else:
            self.purged.emit(one.id)

    def _ask(self, one: Conversation | None) -> None:
        self._one, self._asks = one, True
        self.retranslate()
        # Not every system gives the focus to a button that is clicked.
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def _take_back(self) -> None:
        self._one, self._asks = None, False
        self.retranslate()

    def retranslate(self) -> None:
        if not self._asks:
            self.setText(self.tr("Empty Trash"))
            self.setAccessibleName(self.text())
            return
        question, what = self.tr("Delete permanently?"), self.tr("%n chat(s)", "", len(self._trash))
        if self._one is not None:
            what = self._one.title or self.tr("Untitled chat")
        self.setAccessibleName(f"{question} {what}")
        # One line would be too short for the number in the longest language.
        elided = self.fontMetrics().elidedText(what, Qt.TextElideMode.ElideRight, self.width() - 2 * _SIDE)
        self.setText(f"{question}\n{elided}".replace("&", "&&"))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if is_escape(event) and self._asks:
            self._take_back()
            self.left.emit()
        elif event.key() in ENTER and not event.isAutoRepeat():
            self.click()
        else:
            super().keyPressEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        # Nobody has read the question before the second press of a double click.
        event.accept()

    def event(self, event: QEvent) -> bool:
        # The first events come while the button is being made.
        return (is_escape(event) and self._asks and claims_escape(event)) or super().event(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if self._asks:
            self._take_back()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.retranslate()
