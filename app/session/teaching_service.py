"""Teaching the loaded draft model: what it was taught, its lessons from the stored chats, and the way back."""

from __future__ import annotations

import time
from collections.abc import Sequence

from PySide6.QtCore import QObject, QTimer, Signal

from app.conversations.conversation_list import ACTIVE, ARCHIVED
from app.conversations.store import ConversationStore
from app.session.answer import State
from app.session.chats import chat_of
from app.session.model_service import ModelService
from app.session.store_client import StoreClient
from engine.errors import EngineError
from engine.requests import OwnAnswer
from engine.status import TaughtDraft, TeachingProgress, TeachingResult

DAY_S = 86_400
# Milliseconds between two looks at the progress.
_LOOK_MS = 500
# Tokens of answers that are taught, the newest chats first: more would take hours.
MOST_TOKENS = 100_000


class TeachingService(QObject):
    """`changed` follows every change of the attributes.

    `known` is what the loaded draft model was taught, None before `refresh` or without models. `running` is true from
    `start` to the end; then `result` or `error` say how it ended.
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

    def start(self, days: int) -> None:
        """Teach with answers of the loaded main model in the chats of the last `days` days, or in all for 0."""
        if self.running or self._models.pair.main is None:
            return
        self.running, self.result, self.error = True, None, None
        self.progress = TeachingProgress("reading")
        main = self._models.pair.main.name
        since = time.time() - days * DAY_S if days else 0.0
        self._store.run(lambda store: own_answers(store, main, since), self._teach, lambda _: self._end(None))
        self.changed.emit()

    def pause(self) -> None:
        """Interrupt it; `start` goes on where it was."""
        self._models.call_engine(lambda engine: engine.stop_teaching(), lambda _: None)

    def use(self, number: int) -> None:
        """Use a version of what the draft model was taught, or the draft model as it was downloaded for 0."""

        self.result = None
        self._models.call_engine(lambda engine: engine.choose_taught(number), self._reload, self._fail)

    def forget(self) -> None:
        """Delete all that the draft model was taught, and use it as it was downloaded."""
        self.result = None
        self._models.call_engine(lambda engine: engine.forget_taught(), self._reload, self._fail)

    def close(self) -> None:
        self._look.stop()

    def _teach(self, answers: Sequence[OwnAnswer]) -> None:
        if self._models.call_engine(lambda engine: engine.teach(answers), self._take_result, self._fail):
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
        self._end(error)
        self.refresh()

    def _end(self, error: EngineError | None) -> None:
        self._look.stop()
        self.running, self.error, self.progress = False, error, TeachingProgress()
        self.changed.emit()

    def _reload(self, _: object = None) -> None:
        """Load the draft model again, as it is now to be used."""
        self._models.set_draft(self._models.pair.paths[1])

    def _take_known(self, known: TaughtDraft | None) -> None:
        self.known = known
        self.changed.emit()

    def _models_changed(self) -> None:
        pair = self._models.pair
        if not pair.loading and pair.paths != self._pair:
            self._pair, self.result, self.error, self.known = pair.paths, None, None, None


def own_answers(store: ConversationStore, main: str, since: float) -> list[OwnAnswer]:
    """Return the whole answers of a main model in chats used `since` then, the newest chats first. Not those in the
    trash, and none that was edited or that called tools.
    """
    chats = [*store.conversations.view(ACTIVE), *store.conversations.view(ARCHIVED)]
    found: list[OwnAnswer] = []
    left = MOST_TOKENS
    for conversation in sorted(chats, key=lambda chat: -chat.updated_at):
        if conversation.updated_at < since or left <= 0:
            break
        chat = chat_of(conversation, store.messages.path(conversation.id))
        for turn in chat.turns:
            answer, node = turn.answer, turn.answer_node
            if answer.model != main or answer.state is not State.DONE or turn.steps or not turn.asks or node.id is None:
                continue
            ids = tuple(token.id for token in store.messages.tokens(node.id))
            if ids:
                found.append(OwnAnswer(conversation.uid, chat.messages(turn), ids))
                left -= len(ids)
    return found
