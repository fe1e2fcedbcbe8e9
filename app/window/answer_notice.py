"""Tells screen readers, and notifies a user of another app, of answers that ended and calls that wait for consent."""

from __future__ import annotations

import time
from weakref import WeakKeyDictionary, WeakSet

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QApplication, QSystemTrayIcon, QWidget

from app.session.answer import State
from app.session.calls import Call, CallState
from app.session.chats import Chat, Turn
from app.session.session import Session
from app.settings.store import SettingsStore
from app.widgets.outside import notify, show_count, system_tray
from app.wording.errors import error_sentence

# In seconds. Shorter answers cause no notification.
LEAST_S = 10.0


class AnswerNotice(QObject):
    """Shows notifications that say nothing of the chat, since a locked screen may show them. A click opens the chat."""

    def __init__(self, session: Session, settings: SettingsStore, window: QWidget) -> None:
        super().__init__(window)
        self._session, self._settings, self._window = session, settings, window
        self._begun: WeakKeyDictionary[Turn, float] = WeakKeyDictionary()
        self._unread: list[Chat] = []
        # Turns with a call that asks: each notifies once until none of its calls asks.
        self._asking: WeakSet[Turn] = WeakSet()
        self._tray: QSystemTrayIcon | None = None
        session.answers.stored.connect(lambda _chat, turn: self._begun.setdefault(turn, time.monotonic()))
        session.answers.arrived.connect(self._arrived)
        session.answers.ended.connect(self._ended)
        QApplication.instance().applicationStateChanged.connect(self._state_changed)  # type: ignore[union-attr]

    def _ended(self, chat: Chat, turn: Turn) -> None:
        took = time.monotonic() - self._begun.pop(turn, time.monotonic())
        stopped = turn.answer.state is State.CANCELLED
        if stopped or took < LEAST_S:
            return
        failed = turn.answer.state is State.FAILED
        self._notify(chat, self.tr("An answer stopped with an error.") if failed else self.tr("Your answer is ready."))

    def _arrived(self, chat: Chat, turn: Turn) -> None:
        if not any(call.state is CallState.ASKS for call in turn.answer.calls):
            self._asking.discard(turn)
        elif turn not in self._asking:
            self._asking.add(turn)
            self._notify(chat, self.tr("A tool is waiting for your permission."))

    def _notify(self, chat: Chat, sentence: str) -> None:
        """Show a notification, unless a window of the app is in front or the user does not want any."""
        if QApplication.activeWindow() is not None or not self._settings.values.notify_answers:
            return
        self._unread.append(chat)
        show_count("answers", len(self._unread))
        if self._tray is None:
            self._tray = system_tray(self, "send")
            if self._tray is not None:
                self._tray.activated.connect(self._show_chat)
                self._tray.messageClicked.connect(self._show_chat)
        notify(self._window, self._tray, sentence)

    def _show_chat(self) -> None:
        """Show the chat of the last notification."""
        chat = self._unread[-1] if self._unread else None
        self._window.show()
        self._window.activateWindow()
        if chat is not None and chat.id is not None and chat is not self._session.chat:
            self._session.chats.open_id(chat.id)
        self._mark_read()

    def _state_changed(self, state: Qt.ApplicationState) -> None:
        if state == Qt.ApplicationState.ApplicationActive:
            self._mark_read()

    def _mark_read(self) -> None:
        if self._unread:
            self._unread.clear()
            show_count("answers", 0)
            if self._tray is not None:
                self._tray.hide()


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
