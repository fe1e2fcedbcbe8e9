"""The button above the trash. It asks before it deletes, because deletion cannot be undone."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from app.conversations.records import Conversation
from app.widgets.buttons import ConfirmButton

# The button's padding and border.
_SIDE = 14


class PurgeButton(ConfirmButton):
    """Empties the trash or, after `ask_about`, deletes one chat permanently."""

    emptied = Signal()
    purged = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._trash: Sequence[Conversation] = ()
        self._one: Conversation | None = None
        self.confirmed.connect(lambda: self.purged.emit(self._one.id) if self._one else self.emptied.emit())
        self.restyle()

    def show_trash(self, chats: Sequence[Conversation]) -> None:
        """Set the chats that would be deleted. A question about other chats is withdrawn."""
        ids, before = {chat.id for chat in chats}, {chat.id for chat in self._trash}
        self._trash = list(chats)
        if ids == before if self._one is None else self._one.id in ids:
            self.retranslate()
        else:
            self.withdraw()

    def ask_about(self, conversation_id: int) -> None:
        """Ask whether to delete that chat permanently, if it is still in the trash."""
        self._one = next((chat for chat in self._trash if chat.id == conversation_id), None)
        if self._one is not None:
            self.ask()

    def withdraw(self) -> None:
        self._one = None
        super().withdraw()

    def retranslate(self) -> None:
        if not self.asks:
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

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.retranslate()
