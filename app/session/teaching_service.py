"""Trains the loaded draft model on stored chats, and returns to the downloaded model on request."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from app.conversations.conversation_list import ACTIVE, ARCHIVED
from app.conversations.projects import start_of
from app.conversations.store import ConversationStore
from app.session.answer import State
from app.session.chats import chat_of
from app.session.model_service import ModelService
from app.session.store_client import StoreClient
from engine.errors import EngineError
from engine.requests import DRAWN_TOKENS, OwnAnswer
from engine.status import EngineStatus, TaughtDraft, TeachingProgress, TeachingResult

# Milliseconds between two checks of the progress.
_LOOK_MS = 500
# Tokens of answers that are taught, the newest chats first: more would take hours.
MOST_TOKENS = 100_000
# With fewer tokens of own answers, the main model also answers questions that others answered, up to this number.
FEW_TOKENS = 10_000
# Teaching begins automatically after as many new tokens as a first teaching needs, with one chat in five held out.
ENOUGH_TOKENS = 2_000
# Seconds without a request until it does. Within a conversation, people ask again sooner.
IDLE_S = 180.0


@dataclass(frozen=True)
class Material:
    """What a draft model can be taught: `answers`, the newest chats first, and their tokens that are `new`."""

    answers: list[OwnAnswer]
    new: int


class TeachingService(QObject):
    """Starts and stops the teaching. `changed` is emitted after every change of the attributes.

    `known` is the record of the loaded draft model's teaching, None before `refresh` or without models. `running` is
    true from `start` to the end; then `result` or `error` says how it ended. Once `configure` allows it, teaching also
    starts automatically.
    """

    changed = Signal()

    def __init__(self, models: ModelService, store: StoreClient, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._models, self._store = models, store
        self.known: TaughtDraft | None = None
        self.progress = TeachingProgress()
        self.running = False
        self.result: TeachingResult | None = None
        self.error: EngineError | None = None
        self._pair: tuple[str, str | None] = ("", None)
        self._by_itself = False
        # When the teaching of a pair was stopped or failed; only newer answers start it again automatically.
        self._ended_at: dict[tuple[str, str | None], float] = {}
        self._idle = QTimer(self, singleShot=True, timerType=Qt.TimerType.PreciseTimer)
        self._idle.timeout.connect(self._look_whether_idle)
        self._look = QTimer(self)
        self._look.setInterval(_LOOK_MS)
        self._look.timeout.connect(self._take_progress)
        models.changed.connect(self._models_changed)

    def refresh(self) -> None:
        """Ask the engine what the loaded draft model was taught."""

        def unknown(_: EngineError) -> None:
            self._take_known(None)

        if not self._models.call_engine(lambda engine: engine.taught(), self._take_known, unknown):
            self._take_known(None)

    def configure(self, by_itself: bool) -> None:
        """Start `by_itself` when idle if that is true."""
        self._by_itself = by_itself
        self.wait_until_idle()

    def start(self) -> None:
        """Teach with the answers of the loaded main model in the chats."""
        if not self.running and self._models.pair.main is not None:
            self._begin()
            self._read(0.0, self._teach)

    def pause(self) -> None:
        """Interrupt the teaching; `start` resumes it."""
        self._ended_at[self._pair] = time.time()
        self._models.call_engine(lambda engine: engine.stop_teaching(), lambda _: None)

    def use(self, used: bool) -> None:
        """Use what the draft model was taught, or the draft model as it was downloaded."""
        self.result = None
        self._models.call_engine(lambda engine: engine.use_taught(used), self._reload, self._fail)

    def forget(self) -> None:
        """Delete all that the draft model was taught, and use it as it was downloaded."""
        self.result, self._ended_at[self._pair] = None, time.time()
        self._models.call_engine(lambda engine: engine.forget_taught(), self._reload, self._fail)

    def wait_until_idle(self) -> None:
        """If teaching may start automatically, check after some time without requests whether it should."""
        if self._by_itself and self._models.pair.draft is not None:
            self._idle.start(round(1000 * IDLE_S))
        else:
            self._idle.stop()

    def close(self) -> None:
        self._look.stop()
        self._idle.stop()
        self._by_itself = False

    def _look_whether_idle(self) -> None:
        def take(status: EngineStatus) -> None:
            if status.active or status.waiting or status.idle_s < IDLE_S:
                self.wait_until_idle()
            else:
                self._models.call_engine(lambda engine: engine.taught(), begin, lambda _: None)

        def begin(known: TaughtDraft) -> None:
            if known.refusal is None:
                self._read(max(known.judged_from, self._ended_at.get(self._pair, 0.0)), self._teach_by_itself)

        if not (self.running or self._models.pair.loading):
            self._models.call_engine(lambda engine: engine.status(), take, lambda _: None)

    def _teach_by_itself(self, material: Material) -> None:
        if self._by_itself and not self.running and material.new >= ENOUGH_TOKENS:
            self._begin()
            self._teach(material)

    def _begin(self) -> None:
        self.running, self.result, self.error = True, None, None
        self.progress = TeachingProgress("reading")
        self.changed.emit()

    def _read(self, after: float, then: Callable[[Material], None]) -> None:
        """Pass what the loaded main model can teach to `then`; what it answered `after` that time is new."""
        main = self._models.pair.names[0]
        self._store.run(lambda store: material_of(store, main, after), then, lambda _: self._end(None))

    def _teach(self, material: Material) -> None:
        if self._models.call_engine(lambda engine: engine.teach(material.answers), self._take_result, self._fail):
            self._look.start()
        else:
            self._end(None)

    def _take_progress(self) -> None:
        if self._models.made:
            progress = self._models.engine.teaching_progress
            if progress.phase and progress != self.progress:
                self.progress = progress
                self.changed.emit()

    def _take_result(self, result: TeachingResult) -> None:
        self.result = result if result.complete else None
        self._end(None)
        if result.number:
            self._reload()
        else:
            self.refresh()

    def _fail(self, error: EngineError) -> None:
        self._ended_at[self._pair] = time.time()
        self._end(error)
        self.refresh()

    def _end(self, error: EngineError | None) -> None:
        self._look.stop()
        self.running, self.error, self.progress = False, error, TeachingProgress()
        self.changed.emit()

    def _reload(self, _: object = None) -> None:
        """Load the draft model again after a change."""
        self._models.set_draft(self._models.pair.paths[1])

    def _take_known(self, known: TaughtDraft | None) -> None:
        self.known = known
        self.changed.emit()

    def _models_changed(self) -> None:
        pair = self._models.pair
        if not pair.loading and pair.paths != self._pair:
            self._pair, self.result, self.error, self.known = pair.paths, None, None, None
        self.wait_until_idle()


def material_of(store: ConversationStore, main: str, after: float) -> Material:
    """Return the whole answers of a main model, of the newest chats first; those written `after` a time are new.

    If they are few, questions follow whose answers are another model's or were edited. Chats in the trash, answers that
    were cut off, turns with tools and chats with pictures are left out.
    """
    chats = [*store.conversations.view(ACTIVE), *store.conversations.view(ARCHIVED)]
    own: list[tuple[float, OwnAnswer]] = []
    questions: list[tuple[float, OwnAnswer]] = []
    left = MOST_TOKENS
    for conversation in sorted(chats, key=lambda chat: -chat.updated_at):
        if left <= 0:
            break
        chat = chat_of(conversation, store.messages.path(conversation.id))
        if any(turn.pictures(with_results=False) for turn in chat.turns):
            # Without its pictures, the main model would have answered something else.
            continue
        start = start_of(store.conversations.folder(conversation.folder_id), {})
        for turn in chat.turns:
            answer, node = turn.answer, turn.answer_node
            if answer.state is not State.DONE or turn.steps or not turn.asks or node.id is None:
                continue
            tokens = store.messages.tokens(node.id) if answer.model == main else ()
            ids = tuple(token.id for token in tokens)
            if ids or len(questions) < FEW_TOKENS // DRAWN_TOKENS:
                kind = own if ids else questions
                kind.append(
                    (answer.asked_at or 0.0, OwnAnswer(conversation.uid, chat.messages(turn, start=start), ids))
                )
            left -= len(ids)
    found = own + questions[: max(0, FEW_TOKENS - (MOST_TOKENS - left)) // DRAWN_TOKENS]
    return Material([one for _, one in found], sum(one.tokens for asked_at, one in found if asked_at > after))
