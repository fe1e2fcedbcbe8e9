"""Sends requests to the loaded models: questions, further answers, edited questions and continued answers."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.conversations.chat_settings import GenerationSettings, filled
from app.conversations.database.records import AnswerSource, Attachment
from app.conversations.projects import files_text, picture_files
from app.conversations.store import ConversationStore
from app.session import prompt_variables
from app.session.answer import Answer, State
from app.session.calls import ToolRun
from app.session.chat_requests import OtherModel, Services, prepare_request
from app.session.chats import AnswerStep, Chat, Turn
from app.session.stored_chats import ensure_stored
from app.session.streaming_answer import StreamingAnswer, WriteTurn
from engine.errors import EngineError
from engine.events import Token
from engine.model_files.names import name_of_snapshot
from engine.requests import ChatRequest
from engine.stats import RoundRecord

# The engine's reasons of answers that did not end by themselves.
_REASON_BY_STATE = {State.LENGTH: "length", State.CANCELLED: "cancelled"}


class AnswerService(QObject):
    """Owns the answers that are being written. All methods act on the chat on screen unless they name one.

    Every signal carries a chat and a turn. `asked` is emitted when the turn is new, `stored` when it is on disk,
    `not_stored` when it could not be written (its question returns to the composer), `arrived` when its answer grew or
    ended, and `ended` after the last of these.
    """

    asked = Signal(object, object)
    stored = Signal(object, object)
    not_stored = Signal(object, object)
    arrived = Signal(object, object)
    ended = Signal(object, object)

    def __init__(self, services: Services, parent: QObject) -> None:
        super().__init__(parent)
        self.services = services
        self._models = services.models
        self._chats = services.chats
        self._settings = services.settings
        self._store = services.store
        self._running: dict[Turn, StreamingAnswer] = {}
        # Answers that ended, and whose ends the store could not write.
        self._ends_not_stored: list[StreamingAnswer] = []
        # Turns whose tokens are being read from disk.
        self._loading_tokens: set[Turn] = set()
        # The uids of folders, each with the paths of the models that have the caches of its files.
        self._files_kept: set[tuple[str, tuple[str, str | None]]] = set()
        services.chats.removing.connect(self._stop_in)

    @property
    def ready(self) -> bool:
        """Whether a question can be asked in the chat on screen now."""
        return self.can_ask_in(self._chats.shown)

    def can_ask_in(self, chat: Chat) -> bool:
        """Return whether a question can be asked in that chat now."""
        pair = self._models.pair
        loaded = pair.main is not None and pair.loading != "main"
        return loaded and self._store.ready and not chat.streaming

    def queues_in(self, chat: Chat) -> bool:
        """Return whether a question in that chat waits for models, for the chats to be opened, or for an answer."""
        pair = self._models.pair
        loads = pair.loading == "main" or (pair.main is not None and not self._store.ready)
        return loads or chat.streaming

    @property
    def is_idle(self) -> bool:
        """Whether no answer is being written in any chat, so that nothing disturbs measurements."""
        return not self._running

    @property
    def chat_ids(self) -> frozenset[int]:
        """The chats in which an answer is being written, or waits for the person's consent to a call of a tool."""
        return frozenset(answer.chat.id for answer in self._running.values() if answer.chat.id is not None)

    @property
    def asking_ids(self) -> frozenset[int]:
        """The chats in which an answer waits for the person's consent to a call of a tool."""
        asking = (answer.chat.id for turn, answer in self._running.items() if turn.answer.asks)
        return frozenset(chat_id for chat_id in asking if chat_id is not None)

    def ask(self, question: str, attachments: tuple[Attachment, ...] = (), chat: Chat | None = None) -> Turn:
        """Ask a question, in the chat on screen unless one is given, and return its turn.

        The question is written first; if that fails, the turn is taken away and `not_stored` follows.
        """
        chat = chat or self._chats.shown
        turn = Turn(question, Answer(), attachments)
        source = self._source(chat)
        chat.turns.append(turn)
        chat.unsent = ""
        chat.unsent_attachments = ()

        def write(store: ConversationStore) -> tuple[int | None, int]:
            question_id = store.messages.add_user_turn(ensure_stored(store, chat), question, attachments)
            return question_id, store.answers.start(question_id, source)

        def give_back() -> None:
            self._chats.remove_turn(chat, turn)
            self.not_stored.emit(chat, turn)

        # Before `asked`: the disk writes while the window draws.
        self._begin(chat, turn, source, write, give_back)
        self.asked.emit(chat, turn)
        return turn

    def ask_again(self, turn: Turn, other: OtherModel | None = None, chat: Chat | None = None) -> None:
        """Answer a question once more, perhaps with another model; the old answer stays as a sibling of the new one.

        If the results of an answer's calls have no answer yet, the answer continues from these results.
        """
        chat = chat or self._chats.shown
        varied = self._settings.varied_generation_of(chat, turn.version_node.count)
        source = self._source(chat, varied)
        if other is not None:
            draft = name_of_snapshot(Path(other.draft)) if other.draft else ""
            source = replace(source, main_model=other.name, draft_model=draft)
        question_id = turn.question_node.id
        before = turn.answer_node.id
        if before is None and question_id is None:
            return
        steps = [*turn.steps]
        called = turn.answer.calls
        results = called[-1].id if called and all(call.has_outcome for call in called) else None
        if results is not None:
            steps.append(AnswerStep(turn.answer, turn.answer_node))
        fresh = Turn(turn.question, Answer(), turn.attachments, turn.question_node, asks=turn.asks, steps=steps)
        fresh.answer.earlier = fresh.step_figures
        undo = self._chats.replace_turn(chat, turn, fresh)

        def write(store: ConversationStore) -> tuple[int | None, int]:
            if before is None:
                assert question_id is not None
                return question_id, store.answers.start(question_id, source)
            if results is not None:
                return question_id, store.answers.start(results, source)
            return question_id, store.answers.regenerate(before, source)

        self._begin(chat, fresh, source, write, undo, varied, other)

    def add_version(self, chat: Chat, turn: Turn, answer: Answer, generation: GenerationSettings) -> None:
        """Store an ended answer that is in no chat as another version of a turn's answer, and show it.

        `generation` are the settings that it was written with.
        """
        before = turn.answer_node.id
        if before is None:
            return
        source = self._source(chat, generation)
        reason = _REASON_BY_STATE.get(answer.state, "stop")
        show = self._chats.show_branch_of

        def write(store: ConversationStore) -> int:
            version = store.answers.regenerate(before, source)
            store.answers.finish(version, reason, answer.stats, answer.text, answer.tokens, answer.rounds)
            return version

        self._store.of(chat).run(write, lambda version: show(chat, version, lambda: None))

    def edit(self, turn: Turn, question: str, chat: Chat | None = None) -> None:
        """Ask an edited question; the old question stays as its sibling."""
        chat = chat or self._chats.shown
        question_id = turn.question_node.id
        source = self._source(chat)
        if question_id is None:
            return
        fresh = Turn(question, Answer(), turn.attachments)
        undo = self._chats.replace_turn(chat, turn, fresh)

        def write(store: ConversationStore) -> tuple[int | None, int]:
            sibling = store.messages.edit(question_id, question)
            return sibling, store.answers.start(sibling, source)

        def give_back() -> None:
            undo()
            self.not_stored.emit(chat, fresh)

        self._begin(chat, fresh, source, write, give_back)

    def continue_answer(self, turn: Turn, chat: Chat | None = None) -> None:
        """Continue an answer that stopped, in the same message."""
        chat = chat or self._chats.shown
        answer_id = turn.answer_node.id
        source = self._source(chat)
        if answer_id is None or not turn.answer.unfinished:
            return

        def write(store: ConversationStore) -> tuple[int | None, int]:
            store.answers.resume(answer_id, source)
            return turn.question_node.id, answer_id

        def give_back() -> None:
            turn.answer.take_back_resume()
            self.arrived.emit(chat, turn)

        def start(stored: tuple[list[Token], list[RoundRecord]]) -> None:
            # Another question may have been asked since.
            if turn not in chat.turns or chat.streaming:
                return
            turn.answer.take_stored(*stored)
            turn.answer.resume()
            self.arrived.emit(chat, turn)
            self._begin(chat, turn, source, write, give_back)

        self._store.of(chat).run(partial(_tokens_and_rounds, answer_id), start)

    def stop_repeating(self, turn: Turn, chat: Chat | None = None) -> None:
        """End an answer that is paused because it repeats itself."""
        answer_id = turn.answer_node.id
        if answer_id is None or turn.answer.state is not State.REPEATING:
            return
        chat = chat or self._chats.shown
        turn.answer.state = State.CANCELLED
        self._store.of(chat).run(lambda store: store.answers.stop_repeating(answer_id))
        self.arrived.emit(chat, turn)

    def stop(self, chat: Chat | None = None) -> None:
        """Stop the answers in a chat: the last one, or an earlier one that is being continued."""
        for turn in (chat or self._chats.shown).turns:
            if answer := self._running.get(turn):
                answer.cancel()

    def choose(self, turn: Turn, call: ToolRun, choice: str) -> None:
        """Apply the person's choice to a call that asks, see `streaming_answer.StreamingAnswer.choose`."""
        if answer := self._running.get(turn):
            answer.choose(call, choice)

    def load_tokens(self, chat: Chat, turn: Turn) -> None:
        """Read the tokens and rounds of a stored answer, once; `arrived` follows if there are any."""
        answer_id = turn.answer_node.id
        if answer_id is None or turn.answer.tokens or turn in self._loading_tokens:
            return
        self._loading_tokens.add(turn)

        def show(stored: tuple[list[Token], list[RoundRecord]]) -> None:
            self._loading_tokens.discard(turn)
            if turn.answer.ended and turn.answer.take_stored(*stored):
                self.arrived.emit(chat, turn)

        store = self._store.of(chat)
        store.run(partial(_tokens_and_rounds, answer_id), show, lambda _error: self._loading_tokens.discard(turn))

    @property
    def can_save_again(self) -> bool:
        """Whether there are ends of answers that the store could not write."""
        return bool(self._ends_not_stored)

    @property
    def writing_fails(self) -> bool:
        """Whether there is text of answers that the store could not write so far."""
        return self.can_save_again or any(answer.writing_fails for answer in self._running.values())

    def save_again(self) -> None:
        """Try again to write the ends of answers that the store could not write."""
        answers = self._ends_not_stored.copy()
        self._ends_not_stored.clear()
        for answer in answers:
            answer.store_end()

    def close(self) -> None:
        """Cancel all answers and write the ends that could not be written so far.

        At the next start, an answer cancelled here is interrupted and has all of its text.
        """
        for answer in self._running.values():
            answer.interrupt()
        for answer in self._ends_not_stored:
            # The disk may have space again.
            answer.write_end()

    def _source(self, chat: Chat, generation: GenerationSettings | None = None) -> AnswerSource:
        """Return what writes the next answer of a chat, as it is stored with that answer."""
        main, draft = self._models.pair.names
        chosen = generation or self._settings.generation_of(chat)
        settings: dict[str, object] = {"sampling": asdict(chosen.sampling), "speculation": asdict(chosen.speculation)}
        if chat.system_prompt:
            settings["system_prompt"] = filled(chat.system_prompt, prompt_variables.values(self._models.pair))
        return AnswerSource(
            main_model=main,
            draft_model=draft,
            method=chosen.speculation.method,
            settings=settings,
            seed=chosen.sampling.seed,
        )

    def _begin(
        self,
        chat: Chat,
        turn: Turn,
        source: AnswerSource,
        write: WriteTurn,
        give_back: Callable[[], object],
        generation: GenerationSettings | None = None,
        other: OtherModel | None = None,
    ) -> None:
        """Start an answer: write its turn, then submit its request. `give_back` is called if it could not be written.

        Without `generation` the chat's settings are used. The `other` model answers instead of the loaded one, if it is
        given. `source` names the models and the settings that answer.
        """
        turn.answer.model = source.main_model
        turn.answer.pair = source.pair
        turn.answer.asked_at = turn.answer.asked_at or time.time()
        generation = generation or self._settings.generation_of(chat)
        turn.answer.sampling = generation.sampling
        end_not_stored = self._ends_not_stored.append
        answer = StreamingAnswer(chat, turn, generation, source, self.services, self._arrived, end_not_stored, other)
        self._running[turn] = answer
        chat.answering.append(turn)

        def not_stored() -> None:
            self._remove(answer)
            give_back()

        answer.store(write, lambda: self.stored.emit(chat, turn), not_stored)

    def _arrived(self, answer: StreamingAnswer) -> None:
        """Pass on that an answer grew; one that ended is no longer running."""
        # What the store found of an answer that has ended may arrive later.
        ended = answer.turn.answer.ended and self._running.get(answer.turn) is answer
        if ended:
            self._remove(answer)
        self.arrived.emit(answer.chat, answer.turn)
        if ended:
            self.ended.emit(answer.chat, answer.turn)
            self._keep_files(answer.chat, answer.turn)

    def _keep_files(self, chat: Chat, turn: Turn) -> None:
        """Have the engine store the caches of the files that an answered chat began with, under their own name.

        The caches then remain after the chat is deleted. Keeping them reads little again, because the chat's own cache
        holds the rest of the prompt.
        """
        folder = self.services.projects.folder(chat.folder_id)
        pair = self._models.pair
        begins = folder is not None and (files_text(folder.sources) or picture_files(folder))
        if folder is None or not begins or not self._store.persistent:
            return
        prefix = folder.uid, pair.paths
        if prefix in self._files_kept or not turn.answer.text or pair.main is None or pair.loading:
            return
        like = Chat(turns=[Turn(".", Answer(), tools=turn.tools)], settings=chat.settings, folder_id=folder.id)

        def keep(request: ChatRequest) -> None:
            request = replace(request, max_tokens=1, grammar=None, conversation=prefix[0], shared=True)
            with suppress(EngineError):
                self._models.submit(request, lambda _events: None)
                self._files_kept.add(prefix)

        generation = self._settings.generation_of(chat)
        prepare_request(like, like.turns[0], generation, self.services, keep, lambda _error: None)

    def _remove(self, answer: StreamingAnswer) -> None:
        self._running.pop(answer.turn, None)
        answer.chat.answering.remove(answer.turn)

    def _stop_in(self, chat_id: int) -> None:
        """Stop the answers in a chat."""
        # One that still waits for files or tools is removed at once.
        for answer in [*self._running.values()]:
            if answer.chat.id == chat_id:
                answer.cancel()


def _tokens_and_rounds(answer_id: int, store: ConversationStore) -> tuple[list[Token], list[RoundRecord]]:
    return store.messages.tokens(answer_id), store.messages.rounds(answer_id)
