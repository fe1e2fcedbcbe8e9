"""What the window does: chats, the loaded pair, and the requests that run. Views listen to its signals."""

from __future__ import annotations

import logging
import time
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from app.bridge import Bridge
from app.chat.answer import Answer, State
from app.conversations.answer_writer import FLUSH_AFTER
from app.conversations.chats import Chat, Place, Turn, place_of, turns_of
from app.conversations.keeper import OPENED_AT, Keeper, last_on_screen, next_new_chat
from app.conversations.live import Live
from app.conversations.records import AnswerSource
from app.places import data_folder
from engine.errors import EngineError, InternalFailure
from engine.events import Failed, Finished
from engine.requests import ChatRequest, SamplingSettings, SpeculationSettings

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future
    from pathlib import Path

    from app.conversations.opening import OpenReport
    from app.conversations.records import Attachment, Message
    from app.conversations.store import ConversationStore
    from engine.engine import Engine
    from engine.events import Event, Token
    from engine.scheduler import EngineStatus
    from engine.settings import EngineSettings

log = logging.getLogger(__name__)

# Chats that stay in memory after they were on screen, so that coming back costs nothing.
CHATS_IN_MEMORY = 12


@dataclass(frozen=True)
class Pair:
    """The models in use. `loading` is "main" or "draft" while one is on its way, `wanted` what was asked for.

    `draft_problem` says why the draft that was asked for is not in use.
    """

    main: Any = None
    draft: Any = None
    loading: str = ""
    wanted: str = ""
    draft_problem: EngineError | None = None


class Session(QObject):
    """Owns the engine and everything that lives as long as the window.

    `opened` carries the chat that is now shown, `asked` a chat with its new turn, `kept` the same once it is on disk,
    `arrived` a turn whose answer grew or ended, `path_changed` a chat that shows other turns now, `returned` a chat and
    a turn that could not be kept, `trashed` a chat's id and title, `problem` an error that belongs to no answer.
    """

    opened = Signal(object)
    asked = Signal(object, object)
    kept = Signal(object, object)
    arrived = Signal(object, object)
    path_changed = Signal(object)
    returned = Signal(object, object)
    trashed = Signal(int, str)
    store_opened = Signal(object)
    chats_changed = Signal()
    models_changed = Signal()
    speculation_changed = Signal()
    problem = Signal(object)

    def __init__(
        self, make_engine: Callable[[], Engine], starter_pair: tuple[Path, Path], chats: Path | None = None
    ) -> None:
        """`chats` is the store's file; None is the user's own."""
        super().__init__()
        self._make_engine = make_engine
        self._engine: Engine | None = None
        self._limits: EngineSettings | None = None
        self.starter_pair = starter_pair
        self.bridge = Bridge(self)
        self.keeper = Keeper(self.bridge, chats or data_folder() / "chats.db", self)
        self.keeper.opened.connect(self._store_opened)
        self.chat = self._blank = Chat()
        self.deleted: list[int] = []
        self.pair = Pair()
        self.speculation = SpeculationSettings()
        self.sampling = SamplingSettings()
        self.max_tokens: int | None = 1024
        self._live: dict[Turn, Live] = {}
        self._open: dict[int, Chat] = {}
        self._drafts: set[Chat] = set()
        self._refused: list[Live] = []
        self._wanted: int | None = None
        self._closed = False

    # Models

    @property
    def engine(self) -> Engine:
        """Made when it is first needed: its thread's imports must not slow down the opening of the window."""
        if self._engine is None:
            self._engine = self._make_engine()
            if self._limits is not None:
                self._engine.configure(self._limits)
        return self._engine

    def configure(self, limits: EngineSettings) -> None:
        """Set up the engine, now or when it is made; `EngineSettings` says when each of them takes effect."""
        if limits != self._limits:
            self._limits = limits
            if self._engine is not None:
                self._engine.configure(limits)

    def look_at_engine(self, then: Callable[[EngineStatus], object]) -> bool:
        """Hand what the engine holds to `then`; False where there is no engine yet or any more."""
        if self._engine is None or self._closed:
            return False

        def looked(future: Future[EngineStatus]) -> None:
            if future.exception() is None:
                then(future.result())

        self.bridge.watch(self._engine.status(), looked)
        return True

    def clear_prefix_cache(self) -> None:
        """Give back the memory of chats that are not being answered."""
        if self._engine is not None:
            self._engine.clear_prefix_cache()

    def load_starter(self) -> None:
        main, draft = self.starter_pair
        self.load(str(main), str(draft))

    def load(self, main: str, draft: str | None) -> None:
        """Load a pair; `models_changed` follows at once and again when it is there, `problem` if it cannot be
        used.
        """
        self.pair = replace(self.pair, loading="main", wanted=main, draft_problem=None)
        self.models_changed.emit()
        self.bridge.watch(self.engine.load(main, draft), self._loaded)

    def set_draft(self, draft: str | None) -> None:
        """Change the draft model without reloading the main model; None takes it away."""
        self.pair = replace(self.pair, loading="draft", wanted=draft or "", draft_problem=None)
        self.models_changed.emit()
        self.bridge.watch(self.engine.set_draft(draft), self._loaded)

    def unload(self) -> None:
        """Give back the memory of both models."""
        self.bridge.watch(self.engine.unload(), self._loaded)

    def _loaded(self, future: Future[Any]) -> None:
        error = future.exception()
        if error is None:
            pair = future.result()
            self.pair = Pair(pair.main, pair.draft, draft_problem=pair.draft_problem)
        else:
            problem = _as_engine_error(error)
            # Whatever was loaded before is still there.
            failed = problem if self.pair.loading == "draft" else None
            self.pair = replace(self.pair, loading="", wanted="", draft_problem=failed)
            self.problem.emit(problem)
        self.models_changed.emit()

    # Chats

    @property
    def saving(self) -> bool:
        """Whether the store is open, so that a question can be kept before it is asked."""
        return self.keeper.ready

    def new_chat(self) -> None:
        """Show the empty chat; there is always one, and it may hold a draft."""
        if self._blank.turns:
            self._blank = Chat()
        self.open(self._blank)

    def open(self, chat: Chat) -> None:
        """Show another chat. What streams elsewhere goes on."""
        self.chat = chat
        self._remember(chat)
        self.opened.emit(chat)

    def open_id(self, conversation_id: int, then: Callable[[Chat], object] | None = None) -> None:
        """Show a chat of the list; `then` gets it."""
        self._wanted = conversation_id

        def show(chat: Chat) -> None:
            # Only the newest wish counts, and a chat that streams has its own record.
            if self._wanted == conversation_id:
                chat = self._open.get(conversation_id, chat)
                self.open(chat)
                if then is not None:
                    then(chat)

        self.keeper.load(conversation_id, show)

    @property
    def quiet(self) -> bool:
        """Whether no answer is being written, in any chat: what is measured now is not disturbed."""
        return not self._live

    def streaming_in(self, conversation_id: int) -> bool:
        return any(live.chat.id == conversation_id for live in self._live.values())

    def keep_draft(self, chat: Chat, text: str, attachments: tuple[Attachment, ...] = ()) -> None:
        """Keep what stands in the composer; on disk within half a second."""
        if (chat.draft, chat.draft_attachments) == (text, attachments):
            return
        chat.draft, chat.draft_attachments = text, attachments
        if chat in self._drafts:
            return
        self._drafts.add(chat)

        def write(store: ConversationStore) -> None:
            self._drafts.discard(chat)
            if chat.id is not None or chat.draft:
                store.conversations.set_draft(_ensure(store, chat), chat.draft, chat.draft_attachments)

        self.keeper.later(write, FLUSH_AFTER)

    def trash(self, conversation_id: int) -> None:
        """Move a chat to the trash; its answers stop. `trashed` follows, and `restore` undoes it."""
        for live in list(self._live.values()):
            if live.chat.id == conversation_id:
                live.cancel()

        def gone(title: str) -> None:
            if self.chat.id == conversation_id:
                self.new_chat()
            self.deleted.append(conversation_id)
            self.trashed.emit(conversation_id, title)

        def trash(store: ConversationStore) -> str:
            store.conversations.trash(conversation_id)
            return store.conversations.get(conversation_id).title

        self.keeper.do(trash, gone)

    def restore(self) -> None:
        """Bring back the chat that was deleted last."""
        conversation_id = self.deleted.pop()
        self.keeper.do(lambda store: store.conversations.restore(conversation_id))
        self.open_id(conversation_id)

    def purge(self, conversation_id: int) -> None:
        """Delete a chat for good. If it is on screen, the empty chat takes its place."""
        self._open.pop(conversation_id, None)
        if conversation_id in self.deleted:
            self.deleted.remove(conversation_id)
        if self.chat.id == conversation_id:
            self.new_chat()
        self.keeper.do(lambda store: store.conversations.purge(conversation_id))

    def _remember(self, chat: Chat) -> None:
        """Chats that were on screen stay in memory, the last few and all that stream."""
        if chat.id is None:
            return
        self._open.pop(chat.id, None)
        self._open[chat.id] = chat
        for key in list(self._open)[:-CHATS_IN_MEMORY]:
            if not self.streaming_in(key):
                del self._open[key]

    def _store_opened(self, report: OpenReport | None) -> None:
        def show(found: tuple[Chat, Chat | None]) -> None:
            blank, last = found
            untouched = self.chat is self._blank and not self.chat.turns and not self.chat.draft
            if untouched:
                self._blank = blank
                self.open(blank if last is None or last.id == blank.id else last)

        self.keeper.do(lambda store: (next_new_chat(store), last_on_screen(store)), show)
        self.store_opened.emit(report)

    # Asking

    @property
    def ready(self) -> bool:
        """Whether a question can be asked in the open chat now."""
        loaded = self.pair.main is not None and self.pair.loading != "main"
        return loaded and self.keeper.ready and not self.chat.streaming

    def set_speculation(self, settings: SpeculationSettings) -> None:
        """From the next question on."""
        self.speculation = settings
        self.speculation_changed.emit()

    def ask(self, question: str, attachments: tuple[Attachment, ...] = ()) -> Turn:
        chat, turn, source = self.chat, Turn(question, Answer(), attachments), self._source()
        chat.turns.append(turn)
        chat.draft, chat.draft_attachments = "", ()
        self.asked.emit(chat, turn)

        def write(store: ConversationStore) -> tuple[int | None, int]:
            asked = store.messages.add_user_turn(_ensure(store, chat), question, attachments)
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

        self._write_and_start(chat, fresh, write, lambda: self._read_again(chat))

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

        def start(tokens: list[Token]) -> None:
            if not turn.answer.ended:
                return
            turn.answer.tokens = turn.answer.tokens or tokens
            turn.answer.go_on()
            self.arrived.emit(chat, turn)
            self._write_and_start(chat, turn, write, give_back)

        self.keeper.do(lambda store: store.messages.tokens(answered), start)

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
        message_id = turn.answer_place.id or turn.question_place.id
        if message_id is not None:
            self.keeper.do(lambda store: store.messages.branch(message_id), self.open_id)

    def want_tokens(self, chat: Chat, turn: Turn) -> None:
        """Read the tokens of a stored answer; `arrived` follows where there are any."""
        message_id = turn.answer_place.id
        if message_id is None or turn.answer.tokens:
            return

        def show(tokens: list[Token]) -> None:
            if tokens and not turn.answer.tokens and turn.answer.ended:
                turn.answer.tokens = tokens
                self.arrived.emit(chat, turn)

        self.keeper.do(lambda store: store.messages.tokens(message_id), show)

    def stop(self) -> None:
        if self.chat.turns and (live := self._live.get(self.chat.turns[-1])):
            live.cancel()

    def save_again(self) -> None:
        """Try once more to write the ends of answers that the system refused."""
        refused, self._refused = self._refused, []
        for live in refused:
            self._end(live)

    def _source(self) -> AnswerSource:
        main, draft = self.pair.main, self.pair.draft
        return AnswerSource(
            main_model=main.name if main else "",
            draft_model=draft.name if draft else "",
            method=self.speculation.method,
            settings={"sampling": asdict(self.sampling), "speculation": asdict(self.speculation)},
            seed=self.sampling.seed,
        )

    def _replace(self, chat: Chat, turn: Turn, fresh: Turn) -> None:
        """A turn takes the place of another and of all that follow it."""
        chat.turns[chat.turns.index(turn) :] = [fresh]
        self.path_changed.emit(chat)

    def _read_again(self, chat: Chat) -> None:
        self.keeper.do(lambda store: _path(store, chat), lambda path: self._take_path(chat, path))

    def _take_path(self, chat: Chat, path: list[Message]) -> None:
        streaming = [live.turn for live in self._live.values() if live.chat is chat]
        chat.turns = turns_of(path, [turn for turn in chat.turns if turn.answer.ended] + streaming)
        self.path_changed.emit(chat)

    def _write_and_start(
        self,
        chat: Chat,
        turn: Turn,
        write: Callable[[ConversationStore], tuple[int | None, int]],
        give_back: Callable[[], object],
    ) -> None:
        """Write the turn down; only when it is on disk, hand it to the engine."""
        live = self._live[turn] = Live(chat, turn, self.speculation, self.sampling)

        def job(store: ConversationStore) -> tuple[Message | None, Message]:
            asked, answered = write(store)
            return None if asked is None else store.messages.get(asked), store.messages.get(answered)

        def written(messages: tuple[Message | None, Message]) -> None:
            asked, answered = messages
            turn.question_place, turn.answer_place = place_of(asked), place_of(answered)
            self._remember(chat)
            live.writer = self.keeper.writer(answered.id)
            self.kept.emit(chat, turn)
            self._start(live)

        def refused(_: Exception) -> None:
            self._live.pop(turn, None)
            give_back()

        self.keeper.do(job, written, refused)

    def _start(self, live: Live) -> None:
        def receive(events: list[Event]) -> None:
            live.receive(events)
            if live.turn.answer.ended:
                self._end(live)
            elif live.writer is not None and live.writer.trouble is not None and not live.told:
                live.told = True
                self.keeper.trouble.emit(live.writer.trouble)
            self.arrived.emit(live.chat, live.turn)

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
        return ChatRequest(chat.messages(turn), sampling, speculation, max_tokens=self.max_tokens)

    def _end(self, live: Live) -> None:
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
        self.keeper.close()
        if self._engine is not None:
            self._engine.close()


def _ensure(store: ConversationStore, chat: Chat) -> int:
    """The chat's id, after giving it a row if it has none yet. On the store's thread, where such wishes queue."""
    if chat.id is None:
        settings = {**chat.settings, OPENED_AT: time.time()}
        chat.id = store.conversations.create(system_prompt=chat.system_prompt, settings=settings)
    return chat.id


def _path(store: ConversationStore, chat: Chat) -> list[Message]:
    return [] if chat.id is None else store.messages.path(chat.id)


def _as_engine_error(error: BaseException) -> EngineError:
    if isinstance(error, EngineError):
        return error
    log.error("the engine failed in a call", exc_info=error)
    return InternalFailure(str(error) or type(error).__name__)
