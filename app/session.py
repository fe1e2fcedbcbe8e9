"""What the window does: chats, the loaded pair, and the requests that run. Views listen to its signals."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from app.bridge import Bridge
from app.chat.answer import Answer
from app.conversations.chats import Chat, Chats, Turn
from engine.errors import EngineError, InternalFailure
from engine.events import Failed
from engine.requests import ChatRequest, SamplingSettings, SpeculationSettings

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future
    from pathlib import Path

    from engine.engine import Engine
    from engine.events import Event

log = logging.getLogger(__name__)


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

    `opened` carries the chat that is now shown, `asked` a chat with its new turn, `arrived` a turn whose
    answer grew or ended, `problem` an error that belongs to no answer.
    """

    opened = Signal(object)
    asked = Signal(object, object)
    arrived = Signal(object, object)
    chats_changed = Signal()
    models_changed = Signal()
    speculation_changed = Signal()
    problem = Signal(object)

    def __init__(self, make_engine: Callable[[], Engine], starter_pair: tuple[Path, Path]) -> None:
        super().__init__()
        self._make_engine = make_engine
        self._engine: Engine | None = None
        self.starter_pair = starter_pair
        self.bridge = Bridge(self)
        self.chats = Chats()
        self.chat: Chat = self.chats.new()
        self.deleted: list[Chat] = []
        self.pair = Pair()
        self.speculation = SpeculationSettings()
        self.sampling = SamplingSettings()
        self.max_tokens: int | None = 1024
        self._streams: dict[Turn, Any] = {}
        self._closed = False

    # Models

    @property
    def engine(self) -> Engine:
        """Made when it is first needed: its thread's imports must not slow down the opening of the window."""
        if self._engine is None:
            self._engine = self._make_engine()
        return self._engine

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

    def new_chat(self) -> None:
        self.open(self.chats.new())

    def open(self, chat: Chat) -> None:
        """Show another chat. What streams elsewhere goes on."""
        self.chat = chat
        self.opened.emit(chat)
        self.chats_changed.emit()

    def delete(self, chat: Chat) -> None:
        """Take a chat out of the list; `restore` brings the last one back. What streams in it is stopped."""
        for turn in chat.turns:
            self._cancel(turn)
        self.chats.remove(chat)
        self.deleted.append(chat)
        if chat is self.chat:
            self.open(next(iter(self.chats), None) or self.chats.new())
        self.chats_changed.emit()

    def restore(self) -> None:
        """Bring back the chat that was deleted last."""
        chat = self.deleted.pop()
        self.chats.put_back(chat)
        self.open(chat)

    # Asking

    @property
    def ready(self) -> bool:
        """Whether a question can be asked in the open chat now."""
        return self.pair.main is not None and self.pair.loading != "main" and not self.chat.streaming

    def set_speculation(self, settings: SpeculationSettings) -> None:
        """From the next question on."""
        self.speculation = settings
        self.speculation_changed.emit()

    def ask(self, question: str) -> Turn:
        chat, turn = self.chat, Turn(question, Answer())
        self.chats.add_turn(chat, turn)
        self.asked.emit(chat, turn)
        self._start(chat, turn)
        self.chats_changed.emit()
        return turn

    def ask_again(self, turn: Turn) -> None:
        """Answer the last question once more, in the place of an answer that failed or was stopped."""
        turn.answer = Answer()
        self._start(self.chat, turn)
        self.opened.emit(self.chat)

    def stop(self) -> None:
        if self.chat.turns:
            self._cancel(self.chat.turns[-1])

    def _start(self, chat: Chat, turn: Turn) -> None:
        def receive(events: list[Event]) -> None:
            turn.answer.apply(events)
            if turn.answer.ended:
                self._streams.pop(turn, None)
                self.chats_changed.emit()
            self.arrived.emit(chat, turn)

        try:
            request = ChatRequest(
                messages=chat.messages(),
                sampling=self.sampling,
                speculation=self.speculation,
                max_tokens=self.max_tokens,
            )
            self._streams[turn] = self.engine.submit(request, self.bridge.listen(receive))
        except EngineError as error:
            receive([Failed(error, "")])

    def _cancel(self, turn: Turn) -> None:
        stream = self._streams.get(turn)
        if stream is not None:
            stream.cancel()

    def close(self) -> None:
        """Stop everything and let the engine's thread end. Safe to call twice."""
        if self._closed:
            return
        self._closed = True
        self.bridge.close()
        for stream in self._streams.values():
            stream.cancel()
        if self._engine is not None:
            self._engine.close()


def _as_engine_error(error: BaseException) -> EngineError:
    if isinstance(error, EngineError):
        return error
    log.error("the engine failed in a call", exc_info=error)
    return InternalFailure(str(error) or type(error).__name__)
