"""Announces to screen readers that an answer has ended, and how."""

from __future__ import annotations

from weakref import WeakSet

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from app.session.answer import State
from app.session.calls import Call, CallState
from app.session.chats import Chat, Turn
from app.session.session import Session
from app.wording.errors import error_sentence


class Announcer(QObject):
    """Announces every answer once, whether its chat is on screen or not, and every call that asks for consent."""

    def __init__(self, session: Session, window: QWidget) -> None:
        super().__init__(window)
        self._session, self._window = session, window
        self._asked: WeakSet[Call] = WeakSet()
        session.answers.ended.connect(lambda chat, turn: self.announce(self.words(chat, turn)))
        session.answers.arrived.connect(lambda _chat, turn: self._announce_calls(turn))

    def words(self, chat: Chat, turn: Turn) -> str:
        answer = turn.answer
        if answer.error is not None:
            text = error_sentence(answer.error)
        elif answer.state is State.CANCELLED:
            text = self.tr("The answer was stopped.")
        elif answer.state is State.LENGTH:
            text = self.tr("The answer reached its length limit.")
        else:
            text = self.tr("The answer is complete.")
        if chat is self._session.chat:
            return text
        row = self._session.list.chat(chat.id) if chat.id is not None else None
        title = row.title if row else ""
        return self.tr("{chat}: {sentence}").format(chat=title or self.tr("Another chat"), sentence=text)

    def _announce_calls(self, turn: Turn) -> None:
        for call in turn.answer.calls:
            if call.state is CallState.ASKS and call not in self._asked:
                self._asked.add(call)
                self.announce(self.tr("The model wants to use the tool “{tool}”.").format(tool=call.use.tool))

    def announce(self, text: str) -> None:
        # Imported here because creating their enumerations is slow.
        from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent

        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self._window, text))
