"""Search in the open chat: connects the find bar, the transcript and the session."""

from __future__ import annotations

from PySide6.QtCore import QObject

from app.chat.find_bar import FindBar
from app.chat.transcript import Transcript
from app.session.chats import Chat, Turn
from app.session.session import Session


class ChatSearch(QObject):
    """Marks the matches, and searches again when the chat changes."""

    def __init__(self, session: Session, transcript: Transcript, bar: FindBar, parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._transcript, self._bar = session, transcript, bar
        bar.chosen.connect(self._show)
        bar.changed.connect(self._mark)
        transcript.shown_as.connect(self._search_again)
        session.chats.opened.connect(lambda _chat: bar.close_bar())
        session.chats.path_changed.connect(lambda _chat: self._search_again())
        session.answers.ended.connect(lambda chat, _turn: self._search_again() if chat is session.chat else None)

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

    def _search_again(self) -> None:
        self._bar.search_again()
        if self._bar.query is not None:
            self._mark()

    def _show(self, turn: Turn, position: int | None) -> None:
        self._mark()
        if position is None:
            self._transcript.reveal(turn)
        else:
            self._transcript.reveal_match(turn, position)
