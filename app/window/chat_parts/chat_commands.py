"""Runs the window's actions on the chat on screen, keeps the list of chats up to date, and searches in the chat."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication

from app.conversations.conversation_list import ConversationList
from app.conversations.projects import models_of
from app.session.chats import Chat, Turn
from app.session.session import Session
from app.sidebar.pane import ChatPane
from app.transcript.transcript import Transcript
from app.window.chat_parts.find_bar import FindBar
from app.window.notifications import Notifications


class ChatSearch(QObject):
    """Marks the matches, and searches again when the chat changes."""

    def __init__(
        self, session: Session, transcript: Transcript, bar: FindBar, chat: Callable[[], Chat], parent: QObject
    ) -> None:
        """`chat` returns the chat that the transcript shows."""
        super().__init__(parent)
        self._session = session
        self._transcript = transcript
        self._bar = bar
        bar.chosen.connect(self._show)
        bar.changed.connect(self._mark)
        transcript.shown_as.connect(bar.search_again)
        session.chats.path_changed.connect(lambda _chat: bar.search_again())
        session.answers.ended.connect(lambda ended, _turn: bar.search_again() if ended is chat() else None)

    def show_hit(self, chat_id: int, message_id: int, text: str) -> None:
        """Show a message that the search over all chats found for `text`, with the matches marked."""

        def show(opened: Chat) -> None:
            turn = next((turn for turn in opened.turns if message_id in turn.stored_ids), None)
            # The user may have opened another chat while this one was read.
            if turn is not None and opened is self._session.chat:
                self._bar.search_for(text, turn, message_id != turn.question_node.id)

        self._session.chats.show_message(chat_id, message_id, show)

    def _mark(self) -> None:
        self._transcript.highlight(self._bar.query, self._bar.current)

    def _show(self, turn: Turn, position: int | None) -> None:
        self._mark()
        if position is None:
            self._transcript.reveal(turn)
        else:
            self._transcript.reveal_match(turn, position)


class ChatCommands(QObject):
    def __init__(
        self, session: Session, sidebar: ChatPane, search: ChatSearch, notifications: Notifications, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._sidebar = sidebar
        self._notifications = notifications
        self._asking: frozenset[int] = frozenset()
        session.answers.arrived.connect(lambda *_: self._follow_asking())
        sidebar.hit_chosen.connect(lambda chat, message: search.show_hit(chat, message, sidebar.search.words))
        for changed in (session.answers.ended, session.chats.opened, session.answers.stored, session.list.changed):
            changed.connect(lambda *_: self.refresh_list())
        # After midnight, or in another time zone, chats belong to other days.
        QApplication.instance().applicationStateChanged.connect(self.refresh_list)  # type: ignore[union-attr]
        session.chats.trashed.connect(lambda _chat_id, title: notifications.show_trashed(title))
        session.chats.messages_deleted.connect(notifications.show_deleted)
        session.chats.left.connect(notifications.show_left)
        session.chats.branched.connect(notifications.show_branched)
        session.list.archived.connect(notifications.show_archived)
        session.store.opened.connect(lambda damaged: notifications.show_damage(damaged) if damaged else None)
        session.store.failed.connect(
            lambda error: notifications.show_store_error(error, session.answers.can_save_again)
        )
        session.store.saved.connect(
            lambda: None if session.answers.writing_fails else notifications.hide_refused_writes()
        )

    def refresh_list(self) -> None:
        """Show the list. Nothing is written in a chat that waits for the person's consent."""
        answers = self._session.answers
        self._asking = answers.asking_ids
        self._sidebar.refresh(self._session.chat.id, answers.chat_ids - self._asking)

    def _follow_asking(self) -> None:
        if self._session.answers.asking_ids != self._asking:
            self.refresh_list()

    def on_shown(self, run: Callable[[int], object]) -> None:
        """Call `run` with the id of the chat on screen, if the chat is in the list."""
        if self._session.chat.id is not None and not self._session.chat.temporary:
            run(self._session.chat.id)

    def begin_in_folder(self, folder_id: int) -> None:
        """Show a new chat in a folder, and load the models that its chats begin with."""
        folder = self._session.list.folder(folder_id)
        models = self._session.models
        if folder is None:
            return
        self._session.chats.new_chat(folder)
        if folder.closed:
            # The new chat will be below it.
            self._session.list.change(ConversationList.close_folder, folder.id, False)
        if (wanted := models_of(folder)) and wanted != models.pair.paths and not models.pair.loading:
            models.load(*wanted)

    def step(self, by: int) -> None:
        """Show the chat `by` rows further down the list; from the new chat, show the first."""
        ids = [chat.id for chat in self._session.list.chats]
        shown = self._session.chat.id
        index = ids.index(shown) + by if shown in ids else 0
        if 0 <= index < len(ids):
            self._session.chats.open_id(ids[index])

    def restore_deleted(self) -> None:
        """Bring back the chat or the messages that were deleted last."""
        self._notifications.hide_deleted()
        if self._session.chats.restorable:
            self._session.chats.restore_last()

    def show_folder(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._session.store.path.parent)))
