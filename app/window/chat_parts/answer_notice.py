"""Announces ended answers and calls that wait for consent to screen readers, and to the user of another app."""

from __future__ import annotations

import time
from weakref import WeakKeyDictionary, WeakSet

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from app.session.answer import State
from app.session.calls import CallState, OpenQuestion, ToolRun
from app.session.chats import Chat, Turn
from app.session.session import Session
from app.settings.store import SettingsStore
from app.widgets.outside import Notifier, show_count
from app.wording.errors import error_sentence

# In seconds. Shorter answers cause no notification.
LEAST_S = 10.0


class AnswerNotice(QObject):
    """Shows notifications that say nothing of the chat, since a locked screen may show them. A click opens the chat."""

    def __init__(self, session: Session, settings: SettingsStore, window: QWidget) -> None:
        super().__init__(window)
        self._session = session
        self._settings = settings
        self._begun: WeakKeyDictionary[Turn, float] = WeakKeyDictionary()
        self._newest = Chat()
        self._unread = 0
        # Turns with a call that asks: each notifies once until none of its calls asks.
        self._asking: WeakSet[Turn] = WeakSet()
        self._notifier = Notifier("send", window)
        self._notifier.opened.connect(self._show_chat)
        self._notifier.seen.connect(self._mark_read)
        session.answers.stored.connect(lambda _chat, turn: self._begun.setdefault(turn, time.monotonic()))
        session.answers.arrived.connect(self._arrived)
        session.answers.ended.connect(self._ended)

    def _ended(self, chat: Chat, turn: Turn) -> None:
        took = time.monotonic() - self._begun.pop(turn, time.monotonic())
        stopped = turn.answer.state is State.CANCELLED
        if stopped or took < LEAST_S:
            return
        if turn.answer.state is State.FAILED:
            self._notify(chat, self.tr("An answer stopped with an error."))
        elif turn.answer.state is State.REPEATING:
            self._notify(chat, self.tr("An answer repeats itself and is paused."))
        else:
            self._notify(chat, self.tr("Your answer is ready."))

    def _arrived(self, chat: Chat, turn: Turn) -> None:
        calls = turn.answer.calls
        asks_to_run = any(call.state is CallState.ASKS for call in calls)
        if not (asks_to_run or any(call.question is not None for call in calls)):
            self._asking.discard(turn)
        elif turn not in self._asking:
            self._asking.add(turn)
            permission = self.tr("A tool is waiting for your permission.")
            self._notify(chat, permission if asks_to_run else self.tr("A tool is waiting for your reply."))

    def _notify(self, chat: Chat, sentence: str) -> None:
        """Show a notification, unless the user does not want any."""
        if self._settings.values.notify_answers and self._notifier.notify(sentence):
            self._newest = chat
            self._unread = self._unread + 1
            show_count("answers", self._unread)

    def _show_chat(self) -> None:
        """Show the chat of the last notification."""
        if self._newest.id is not None and self._newest is not self._session.chat:
            self._session.chats.open_id(self._newest.id)

    def _mark_read(self) -> None:
        if self._unread:
            self._unread = 0
            show_count("answers", 0)


class Announcer(QObject):
    """Announces every answer once, whether its chat is on screen or not, and every call that waits for the person."""

    def __init__(self, session: Session, window: QWidget) -> None:
        super().__init__(window)
        self._session = session
        self._window = window
        self._asked: WeakSet[ToolRun | OpenQuestion] = WeakSet()
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
        elif answer.state is State.REPEATING:
            text = self.tr("The answer repeats itself and is paused. Continue it, or stop it.")
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
            if call.question is not None and call.question not in self._asked:
                self._asked.add(call.question)
                self.announce(self.tr("The tool “{tool}” waits for your reply.").format(tool=call.use.tool))

    def announce(self, text: str) -> None:
        # Imported here because creating their enumerations is slow.
        from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent

        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self._window, text))
