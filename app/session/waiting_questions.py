"""Questions that were sent before they can be answered: models are being loaded, or an answer is being written."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Signal

from app.conversations.database.records import Attachment
from app.session.answer import Answer, State
from app.session.answer_service import AnswerService
from app.session.chat_service import ChatService
from app.session.chats import Chat, Turn
from app.session.model_service import ModelService
from app.session.store_client import StoreClient


class WaitingQuestions(QObject):
    """Asks the questions that wait, those of each chat in their order, as soon as they can be answered.

    The questions are in `Chat.waiting`; until they are asked, the store has them in the chat's unsent message. Those
    that cannot be asked any more become a part of that message again: where no model is loaded in the end, and after
    an answer that was stopped or failed, because a follow-up may say something else then. `changed` carries a chat
    whose waiting questions are others now.
    """

    changed = Signal(object)

    def __init__(
        self, answers: AnswerService, models: ModelService, chats: ChatService, store: StoreClient, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._answers = answers
        self._chats = chats
        # The chats with questions that wait, the longest waiting first.
        self._waiting: list[Chat] = []
        models.changed.connect(self._ask_those_ready)
        # After those that show other chats, whose ids mean others in another store.
        store.opened.connect(self._ask_those_ready, Qt.ConnectionType.QueuedConnection)
        chats.opened.connect(lambda _chat: self._ask_those_ready())
        models.failed.connect(lambda _error: self._give_back_those_refused())
        chats.removing.connect(self._give_back_removed)
        answers.not_stored.connect(lambda chat, _turn: self.give_back(chat))
        answers.ended.connect(self._answer_ended)

    def takes(self, chat: Chat) -> bool:
        """Return whether a question in that chat can be asked now, or waits until it can."""
        return self._answers.can_ask_in(chat) or self._answers.queues_in(chat)

    def ask(self, chat: Chat, question: str, attachments: tuple[Attachment, ...] = ()) -> None:
        """Ask a question in a chat. It waits, after those that wait there, while it cannot be asked."""
        if not chat.waiting and self._answers.can_ask_in(chat):
            self._ask_now(chat, question, attachments)
            return
        chat.waiting.append(Turn(question, Answer(), attachments))
        if chat not in self._waiting:
            self._waiting.append(chat)
        self._chats.keep_waiting(chat)
        self.changed.emit(chat)
        self._ask_those_ready()

    def take_back(self, chat: Chat, question: Turn) -> None:
        """Put a question that waits before the text of the chat's unsent message."""
        if question not in chat.waiting:
            return
        chat.waiting.remove(question)
        chat.put_back(question.question, question.attachments)
        self._changed(chat)

    def give_back(self, chat: Chat) -> None:
        """Make all questions that wait in a chat a part of its unsent message."""
        if not chat.waiting:
            return
        for question in reversed(chat.waiting):
            chat.put_back(question.question, question.attachments)
        chat.waiting.clear()
        self._changed(chat)

    def gather_in(self, chat: Chat) -> None:
        """Make the questions that wait in any chat a part of one chat's unsent message, in memory alone.

        For a chat that goes on in another store: there, the ids of the others mean other chats. Those of temporary
        chats, which have a store of their own, stay.
        """
        for other in reversed(self._waiting.copy()):
            if other.temporary:
                continue
            for question in reversed(other.waiting):
                chat.put_back(question.question, question.attachments)
            other.waiting.clear()
            self._waiting.remove(other)

    def _changed(self, chat: Chat) -> None:
        """Store and show what waits in a chat, and its unsent message, after a question left the one for the other."""
        if not chat.waiting and chat in self._waiting:
            self._waiting.remove(chat)
        self._chats.keep_waiting(chat)
        self._chats.unsent_kept.emit(chat)
        self.changed.emit(chat)

    def _ask_those_ready(self) -> None:
        """Ask the first question of each chat that can have an answer, and give back those that nothing will answer."""
        for chat in self._waiting.copy():
            if not chat.waiting:
                # A temporary chat that was left is deleted.
                self._waiting.remove(chat)
            elif chat in self._chats.restorable:
                # It may be restored.
                continue
            elif self._answers.can_ask_in(chat):
                self._ask_first(chat)
            elif not self._answers.queues_in(chat):
                self.give_back(chat)

    def _ask_first(self, chat: Chat) -> None:
        question = chat.waiting.pop(0)
        if not chat.waiting:
            self._waiting.remove(chat)
        self.changed.emit(chat)
        self._ask_now(chat, question.question, question.attachments)
        self._chats.keep_waiting(chat)

    def _ask_now(self, chat: Chat, question: str, attachments: tuple[Attachment, ...]) -> None:
        """Ask a question. Asking empties what is unsent, which was written for later, so that is kept again."""
        unsent = chat.unsent, chat.unsent_attachments
        self._answers.ask(question, attachments, chat)
        self._chats.keep_unsent(chat, *unsent)

    def _give_back_those_refused(self) -> None:
        """Give back what waited for a model that could not be loaded; another one shall not answer it unasked."""
        for chat in self._waiting.copy():
            if not self._answers.queues_in(chat):
                self.give_back(chat)

    def _give_back_removed(self, chat_id: int) -> None:
        """Give back what waits in a chat that is being moved to the trash: asking it would take the chat out again."""
        for chat in self._waiting.copy():
            if chat.id == chat_id and not chat.temporary:
                self.give_back(chat)

    def _answer_ended(self, chat: Chat, turn: Turn) -> None:
        if turn.answer.state in (State.DONE, State.LENGTH):
            self._ask_those_ready()
        elif not chat.streaming:
            self.give_back(chat)
