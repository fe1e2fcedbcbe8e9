"""What the window does: chats, the loaded pair, and the requests that run. Views listen to its signals.

Models and chats are in the two classes below it; here is what asks.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal

from app.conversations.chat_settings import filled
from app.conversations.records import AnswerSource
from app.session import prompt_variables
from app.session.answer import Answer, State
from app.session.chat_session import ChatSession, ensure_stored
from app.session.chats import Chat, Place, Turn, place_of, turns_of
from app.session.streaming_answer import StreamingAnswer
from engine.errors import EngineError
from engine.events import Failed, Finished
from engine.requests import ChatRequest, SamplingSettings, SpeculationSettings

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from app.conversations.records import Attachment, Message
    from app.conversations.store import ConversationStore
    from engine.client import EngineClient
    from engine.events import Event, Token
    from engine.stats import RoundRecord


class Session(ChatSession):
    """Owns the engine and everything that lives as long as the window.

    `asked` carries a chat with its new turn, `kept` the same once it is on disk, `arrived` a turn whose answer grew or
    ended, `ended` one whose answer has just been written to its end, `path_changed` a chat that shows other turns now,
    `returned` a chat and a turn that could not be kept.
    """

    asked = Signal(object, object)
    kept = Signal(object, object)
    arrived = Signal(object, object)
    ended = Signal(object, object)
    path_changed = Signal(object)
    returned = Signal(object, object)
    chats_changed = Signal()

    def __init__(
        self, make_engine: Callable[[], EngineClient], starter_pair: tuple[Path, Path], chats: Path | None = None
    ) -> None:
        """`chats` is the store's file; None is the user's own."""
        super().__init__(make_engine, starter_pair, chats)
        self._refused: list[StreamingAnswer] = []
        self._reading: set[Turn] = set()

    @property
    def ready(self) -> bool:
        """Whether a question can be asked in the open chat now."""
        loaded = self.pair.main is not None and self.pair.loading != "main"
        return loaded and self.keeper.ready and not self.chat.streaming

    def ask(self, question: str, attachments: tuple[Attachment, ...] = ()) -> Turn:
        chat, turn, source = self.chat, Turn(question, Answer(), attachments), self._source()
        chat.turns.append(turn)
        chat.draft, chat.draft_attachments = "", ()
        self.asked.emit(chat, turn)

        def write(store: ConversationStore) -> tuple[int | None, int]:
            asked = store.messages.add_user_turn(ensure_stored(store, chat), question, attachments)
            return asked, store.answers.start(asked, source)

        def give_back() -> None:
            chat.turns.remove(turn)
            self.path_changed.emit(chat)
            self.returned.emit(chat, turn)

        self._write_and_start(chat, turn, write, give_back)
        return turn

    def ask_again(self, turn: Turn) -> None:
        """Answer a question once more: a sibling of the answer that is there, which is kept."""
        chat, before, source = self.chat, turn.answer_place.id, self._source()
        if before is None and turn.question_place.id is None:
            return
        fresh = Turn(turn.question, Answer(), turn.attachments, turn.question_place, asks=turn.asks)
        self._replace(chat, turn, fresh)

        def write(store: ConversationStore) -> tuple[int | None, int]:
            if before is None:
                assert turn.question_place.id is not None
                return turn.question_place.id, store.answers.start(turn.question_place.id, source)
            return turn.question_place.id, store.answers.regenerate(before, source)

        self._write_and_start(chat, fresh, write, lambda: self._read_again(chat))

    def edit(self, turn: Turn, question: str) -> None:
        """Ask something else in the place of a question, which is kept as its sibling."""
        chat, asked, source = self.chat, turn.question_place.id, self._source()
        if asked is None:
            return
        fresh = Turn(question, Answer(), turn.attachments)
        self._replace(chat, turn, fresh)

        def write(store: ConversationStore) -> tuple[int | None, int]:
            sibling = store.messages.edit(asked, question)
            return sibling, store.answers.start(sibling, source)

        def give_back() -> None:
            self._read_again(chat)
            self.returned.emit(chat, fresh)

        self._write_and_start(chat, fresh, write, give_back)

    def go_on(self, turn: Turn) -> None:
        """Let the model write on where an answer stopped."""
        chat, answered, source = self.chat, turn.answer_place.id, self._source()
        if answered is None or not turn.answer.unfinished:
            return

        def write(store: ConversationStore) -> tuple[int | None, int]:
            store.answers.resume(answered, source)
            return turn.question_place.id, answered

        def give_back() -> None:
            turn.answer.state = State.INTERRUPTED
            self.arrived.emit(chat, turn)

        def start(kept: tuple[list[Token], list[RoundRecord]]) -> None:
            # Something else may have been asked since.
            if turn not in chat.turns or chat.streaming:
                return
            turn.answer.take_kept(*kept)
            turn.answer.go_on()
            self.arrived.emit(chat, turn)
            self._write_and_start(chat, turn, write, give_back)

        self.keeper.do(lambda store: _tokens_and_rounds(store, answered), start)

    def switch(self, chat: Chat, place: Place, step: int) -> None:
        """Show the sibling of a message that is `step` places after it, with what was last shown below it."""
        if place.id is None:
            return
        message_id = place.id

        def select(store: ConversationStore) -> list[Message]:
            siblings = store.messages.siblings(message_id)
            store.messages.select(siblings[(siblings.index(message_id) + step) % len(siblings)])
            return _path(store, chat)

        self.keeper.do(select, lambda path: self._take_path(chat, path))

    def show_message(self, conversation_id: int, message_id: int, then: Callable[[Chat], object]) -> None:
        """Open the chat of a message on the branch that holds it; `then` gets the chat."""

        def select(store: ConversationStore) -> None:
            store.messages.select(message_id)

        def show(chat: Chat) -> None:
            def take(path: list[Message]) -> None:
                self._take_path(chat, path)
                then(chat)

            self.keeper.do(lambda store: _path(store, chat), take)

        self.keeper.do(select, lambda _: self.open_id(conversation_id, show))

    def branch(self, turn: Turn) -> None:
        """A new chat with everything down to this turn; it is shown."""
        chat_id, message_id = self.chat.id, turn.answer_place.id or turn.question_place.id
        if chat_id is None or message_id is None:
            return

        def copy(store: ConversationStore) -> int:
            return store.messages.branch(message_id, store.conversations.title_of_copy(chat_id))

        self.keeper.do(copy, self.open_id)

    def want_tokens(self, chat: Chat, turn: Turn) -> None:
        """Read the tokens and the rounds of a stored answer, once; `arrived` follows where there are any."""
        message_id = turn.answer_place.id
        if message_id is None or turn.answer.tokens or turn in self._reading:
            return
        self._reading.add(turn)

        def show(kept: tuple[list[Token], list[RoundRecord]]) -> None:
            self._reading.discard(turn)
            if turn.answer.ended and turn.answer.take_kept(*kept):
                self.arrived.emit(chat, turn)

        self.keeper.do(lambda store: _tokens_and_rounds(store, message_id), show, lambda _: self._reading.discard(turn))

    def stop(self) -> None:
        """End what is written in the chat on screen: its last answer, or one further up that is continued."""
        for turn in self.chat.turns:
            if live := self._live.get(turn):
                live.cancel()

    def save_again(self) -> None:
        """Try once more to write the ends of answers that the system refused."""
        refused, self._refused = self._refused, []
        for live in refused:
            self._end(live)

    def _source(self) -> AnswerSource:
        (main, draft), chosen = self.pair.names, self.generation_of(self.chat)
        settings: dict[str, object] = {"sampling": asdict(chosen.sampling), "speculation": asdict(chosen.speculation)}
        if self.chat.system_prompt:
            settings["system_prompt"] = filled(self.chat.system_prompt, prompt_variables.values(self.pair))
        return AnswerSource(
            main_model=main,
            draft_model=draft,
            method=chosen.speculation.method,
            settings=settings,
            seed=chosen.sampling.seed,
        )

    def _replace(self, chat: Chat, turn: Turn, fresh: Turn) -> None:
        """A turn takes the place of another and of all that follow it."""
        chat.turns[chat.turns.index(turn) :] = [fresh]
        self.path_changed.emit(chat)

    def _read_again(self, chat: Chat) -> None:
        self.keeper.do(lambda store: _path(store, chat), lambda path: self._take_path(chat, path))

    def _show_asked(self, chat: Chat, answered: int, then: Callable[[], object]) -> None:
        """Show the branch of an answer that is about to be written, and only that."""

        def select(store: ConversationStore) -> list[Message]:
            store.messages.select(answered)
            return _path(store, chat)

        def take(path: list[Message]) -> None:
            self._take_path(chat, path)
            then()

        self.keeper.do(select, take, lambda _: then())

    def read_anew(self, conversation_id: int) -> None:
        """A chat was written to elsewhere: what is in memory of it is read once more."""
        if chat := self._open.get(conversation_id):
            self.keeper.do(lambda store: _path(store, chat), lambda path: self._take_path(chat, path, anew=True))

    def _take_path(self, chat: Chat, path: list[Message], anew: bool = False) -> None:
        """Show these messages. Turns that are in memory stay what they are, or with `anew` only those that stream."""
        streaming = [live.turn for live in self._live.values() if live.chat is chat]
        ended = [] if anew else [turn for turn in chat.turns if turn.answer.ended]
        turns = turns_of(path, ended + streaming)
        for turn in streaming:
            # Asked since the path was read: it is on its way to the end of that path, or to a question in it.
            if turn.answer_place.id is None:
                asked = turn.question_place.id
                known = (place for place, one in enumerate(turns) if asked and one.question_place.id == asked)
                turns[next(known, len(turns)) :] = [turn]
        chat.turns = turns
        self.path_changed.emit(chat)

    def _write_and_start(
        self,
        chat: Chat,
        turn: Turn,
        write: Callable[[ConversationStore], tuple[int | None, int]],
        give_back: Callable[[], object],
    ) -> None:
        """Write the turn down; only when it is on disk, hand it to the engine."""
        chosen = self.generation_of(chat)
        live = self._live[turn] = StreamingAnswer(chat, turn, chosen.speculation, chosen.sampling)

        def job(store: ConversationStore) -> tuple[Message | None, Message, list[int]]:
            asked, answered = write(store)
            message = store.messages.get(answered)
            # Who goes on in a chat of the trash does not want it to be emptied away.
            store.conversations.restore(message.conversation_id)
            shown = store.messages.path_ids(message.conversation_id)
            return None if asked is None else store.messages.get(asked), message, shown

        def written(kept: tuple[Message | None, Message, list[int]]) -> None:
            asked, answered, shown = kept
            turn.question_place, turn.answer_place = place_of(asked), place_of(answered)
            self._remember(chat)
            if chat.id in self.deleted:
                self.deleted.remove(chat.id)
            live.writer = self.keeper.writer(answered.id)
            self.kept.emit(chat, turn)
            if shown == _ids(chat):
                self._start(live)
            else:
                # Another branch was chosen while this was on its way to the store.
                self._show_asked(chat, answered.id, lambda: self._start(live))

        def refused(_: Exception) -> None:
            self._live.pop(turn, None)
            give_back()

        self.keeper.do(job, written, refused)

    def _start(self, live: StreamingAnswer) -> None:
        def receive(events: list[Event]) -> None:
            live.receive(events)
            if live.turn.answer.ended:
                self._end(live)
            elif live.writer is not None and live.writer.trouble is not None and not live.told:
                live.told = True
                self.keeper.trouble.emit(live.writer.trouble)
            self.arrived.emit(live.chat, live.turn)
            if live.turn.answer.ended:
                self.ended.emit(live.chat, live.turn)

        if live.cancelled:
            receive([Finished("cancelled", "", (), live.turn.answer.stats)])
            return
        try:
            request = self.request(live.chat, live.turn, live.sampling, live.speculation)
            live.stream = self.engine.submit(request, self.bridge.listen(receive))
        except EngineError as error:
            receive([Failed(error, "")])

    def request(
        self, chat: Chat, turn: Turn, sampling: SamplingSettings, speculation: SpeculationSettings
    ) -> ChatRequest:
        """What the engine is asked for a turn. Raises `BadRequest`."""
        messages = chat.messages(turn, prompt_variables.values(self.pair))
        return ChatRequest(
            messages,
            sampling,
            speculation,
            max_tokens=self.generation_of(chat).max_tokens,
            conversation=chat.uid if self.keeper.lasting and chat.uid else None,
        )

    def _end(self, live: StreamingAnswer) -> None:
        self._live.pop(live.turn, None)
        self.keeper.watch_end(live.write_end(), lambda: self._refused.append(live))
        self.chats_changed.emit()

    def close(self) -> None:
        """Stop everything, write what there is, and let both threads end. Safe to call twice.

        An answer that is cut short here is found interrupted at the next start, with all of its text.
        """
        if self._closed:
            return
        self._closed = True
        self.bridge.drain()
        self.bridge.close()
        for live in self._live.values():
            live.cancel()
        for live in self._refused:
            # The disk may have room again.
            live.write_end()
        self.keeper.close()
        if self._engine is not None:
            self._engine.close()


def _tokens_and_rounds(store: ConversationStore, message_id: int) -> tuple[list[Token], list[RoundRecord]]:
    return store.messages.tokens(message_id), store.messages.rounds(message_id)


def _path(store: ConversationStore, chat: Chat) -> list[Message]:
    return [] if chat.id is None else store.messages.path(chat.id)


def _ids(chat: Chat) -> list[int]:
    """Of the messages that the chat has on screen and on disk."""
    places = (place.id for turn in chat.turns for place in (turn.question_place, turn.answer_place))
    return [place for place in places if place is not None]
