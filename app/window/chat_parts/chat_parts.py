"""The parts with which a window shows one chat and asks in it, made and connected alike for all windows."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from app.actions.actions import Actions
from app.composer.attachment_row import attach_button
from app.composer.composer import Composer
from app.composer.context_meter import ContextMeter
from app.session.chat_requests import OtherModel
from app.session.chats import Chat, Turn
from app.session.session import Session
from app.transcript.transcript import Transcript
from app.widgets.banner import Banner
from app.window.chat_parts.attachment_reader import AttachmentReader
from app.window.chat_parts.chat_commands import ChatSearch
from app.window.chat_parts.find_bar import FindBar
from app.window.chat_parts.turn_commands import TurnCommands


class ChatParts(QObject):
    """The turns of a chat, the search in them, the message box, and what runs the commands of turns.

    They show what the session reports of the window's chat. The window lays the widgets out and calls `show_chat` for
    another chat, `update_actions` after changes that only the window knows of, and `close` at its end.

    `turns_changed` is emitted before the transcript shows other turns or other waiting questions of the chat, and
    `updated` after every `update_actions`.
    """

    turns_changed = Signal()
    updated = Signal()

    def __init__(
        self,
        session: Session,
        actions: Actions,
        chat: Callable[[], Chat],
        other_models: Callable[[], Sequence[OtherModel]],
        middle: QWidget,
        transcript_parent: QWidget,
    ) -> None:
        """Make the widgets as children of `middle`, and the transcript as a child of `transcript_parent`.

        `chat` returns the chat of the window, and `other_models` the models that can answer a question again.
        """
        super().__init__(middle)
        self._session = session
        self._middle = middle
        self._actions = actions
        self._chat = chat
        # The window's chat may be the next one already, until the window calls `show_chat`.
        self._shown = chat()
        self.banner = Banner(middle)
        self.transcript = Transcript(transcript_parent)
        self.find_bar = FindBar(lambda: chat().turns, self.transcript.count_matches, middle)
        self.search = ChatSearch(session, self.transcript, self.find_bar, chat, self)
        self.composer = Composer(actions["send"], actions["stop"], middle)
        self.composer.files.pictures = lambda: session.store.of(chat()).pictures
        self.transcript.pictures = self.composer.files.pictures
        self.composer.add_tools(attach_button(actions["attach"], self.composer))
        self.attachments = AttachmentReader(session, self.banner, self)
        self.meter = ContextMeter(session, self.composer, chat, self)
        self.turns = TurnCommands(session, self.transcript, self.composer, other_models, chat, self)
        self._connect_session()
        self._connect_composer()

    def _connect_session(self) -> None:
        session = self._session
        answers = session.answers
        answers.asked.connect(self._show_new_turn)
        answers.arrived.connect(self._show_arrived)
        session.chats.path_changed.connect(self._show_path)
        session.chats.unsent_kept.connect(self._follow_unsent)
        session.waiting.changed.connect(self._show_waiting)
        self.transcript.taken_back.connect(self._take_back)
        self.transcript.question_wanted.connect(self.ask)
        # Some of these signals carry an argument.
        for changed in (answers.stored, session.store.opened, session.store.unavailable):
            changed.connect(lambda *_: self.update_actions())
        for changed in (answers.ended, session.models.changed, self.find_bar.searched, self.turns.speaker.changed):
            changed.connect(self.update_actions)

    def _connect_composer(self) -> None:
        composer = self.composer
        composer.sent.connect(self.ask)
        composer.sendable_changed.connect(self.update_actions)
        composer.files.removed.connect(self._follow_removal)
        for written in (composer.edit.edited, composer.files.changed):
            written.connect(self.update_actions)
            written.connect(self._keep_unsent)
        composer.edit.history = lambda: [turn.question for turn in self._chat().turns if turn.question]
        composer.edit.escaped.connect(self.find_bar.close_bar)
        for done in (self.transcript.focus_lost, self.find_bar.focus_lost):
            done.connect(composer.setFocus)
        self._middle.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Type into the message box what is typed while a text or a button of the chat has the focus."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and self.composer.take_key(event):
            return True
        return super().eventFilter(watched, event)

    @property
    def shown(self) -> Chat:
        """The chat of the last `show_chat`."""
        return self._shown

    def show_chat(self, chat: Chat) -> None:
        """Show a chat with its unsent message. One that is shown already keeps its scroll position and open editor."""
        is_shown = chat is self._shown and self.transcript.shows(chat)
        self._shown = chat
        if not is_shown:
            self.transcript.show_chat(chat)
        self.composer.show_unsent(chat, chat.unsent, chat.unsent_attachments)

    def ask(self, text: str) -> None:
        """Ask a question with the files of the message box. Does nothing while the chat takes none."""
        waiting = self._session.waiting
        chat = self._chat()
        if waiting.takes(chat):
            self.attachments.forget_reasons()
            attachments = self.composer.take_attachments()
            # The text may not be that of the message box, where an unsent text then stays.
            self._keep_unsent()
            waiting.ask(chat, text, attachments)
            self.update_actions()

    def _follow_removal(self) -> None:
        """Once no file is left, drop the reasons why others could not be attached."""
        if not self.composer.files.attachments and not self.composer.files.reading:
            self.attachments.forget_reasons()

    def update_actions(self) -> None:
        """Enable the actions and buttons that are possible now."""
        self._actions.update()
        self.composer.set_streaming(self._chat().streaming)
        self.updated.emit()

    def close(self) -> None:
        """Stop reading files, reading aloud and counting, before the session ends."""
        self.attachments.close()
        self.turns.speaker.close()
        self.meter.close()

    def _show_new_turn(self, chat: Chat, turn: Turn) -> None:
        if chat is self._chat():
            self.turns_changed.emit()
            self.transcript.add_turn(turn)
            self.update_actions()

    def _show_arrived(self, chat: Chat, turn: Turn) -> None:
        if chat is self._chat():
            self.transcript.refresh(turn)
            # The answer has ended, or continues after it had stopped.
            if turn.answer.ended or not self._actions["stop"].isEnabled():
                self.update_actions()

    def _show_path(self, chat: Chat) -> None:
        if chat is self._chat():
            self.turns_changed.emit()
            self.transcript.show_path(chat)
            self.update_actions()

    def _show_waiting(self, chat: Chat) -> None:
        if chat is self._chat():
            self.turns_changed.emit()
            self.transcript.show_waiting(chat)
            self.update_actions()

    def _take_back(self, question: Turn) -> None:
        """Put a question that waits back into the message box."""
        self._session.waiting.take_back(self._chat(), question)
        self.composer.setFocus()

    def _follow_unsent(self, chat: Chat) -> None:
        """Show the unsent message, which another window that shows the chat may have changed."""
        if chat is self._chat():
            self.composer.follow_unsent(chat)

    def _keep_unsent(self) -> None:
        files = self.composer.files.attachments
        self._session.chats.keep_unsent(self._shown, self.composer.edit.toPlainText(), files)
