"""Trains the loaded draft model on stored chats, and returns to the downloaded model on request."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from app.conversations.conversation_list import ACTIVE, ARCHIVED
from app.conversations.database.records import pictures_in
from app.conversations.projects import picture_files, start_of
from app.conversations.store import ConversationStore
from app.session.answer import State
from app.session.chats import chat_of
from app.session.model_service import ModelService
from app.session.store_client import StoreClient
from engine.errors import EngineError
from engine.requests import DRAWN_TOKENS, OwnAnswer
from engine.status import TaughtDraft, TeachingProgress, TeachingResult

# Milliseconds between two looks at the progress.
_LOOK_MS = 500
# Tokens of answers that are taught, the newest chats first: more would take hours.
MOST_TOKENS = 100_000
# With fewer tokens of own answers, the main model also answers questions that others answered, up to this number.
FEW_TOKENS = 10_000


class TeachingService(QObject):
    """Starts and stops the teaching. `changed` is emitted after every change of the attributes.

    `known` is the record of the loaded draft model's teaching, None before `refresh` or without models. `running` is
    true from `start` to the end; then `result` or `error` says how it ended, and both are None if the person stopped
    it.
    """

    changed = Signal()

    def __init__(self, models: ModelService, store: StoreClient, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._models = models
        self._store = store
        self.known: TaughtDraft | None = None
        self.progress = TeachingProgress()
        self.running = False
        self.result: TeachingResult | None = None
        self.error: EngineError | None = None
        # The paths of the pair that the attributes are about.
        self._paths: tuple[str, str | None] = ("", None)
        self._progress_timer = QTimer(self)
        self._progress_timer.setInterval(_LOOK_MS)
        self._progress_timer.timeout.connect(self._take_progress)
        models.changed.connect(self._models_changed)

    def refresh(self) -> None:
        """Ask the engine what the loaded draft model was taught."""
        take = self._take_known
        if not self._models.call_engine(lambda engine: engine.taught(), take, lambda _: take(None)):
            take(None)

    def start(self) -> None:
        """Teach with the answers of the loaded main model in the chats."""
        if self.running or self._models.pair.main is None:
            return
        self.running = True
        self.result = None
        self.error = None
        self.progress = TeachingProgress("reading")
        self.changed.emit()
        main = self._models.pair.names[0]
        self._store.run(lambda store: material_of(store, main), self._teach, lambda _: self._end(None))

    def stop(self) -> None:
        """End the teaching; nothing of it is kept."""
        self._models.call_engine(lambda engine: engine.stop_teaching(), lambda _: None)

    def remove(self) -> None:
        """Delete what the draft model was taught, and use it as it was downloaded."""
        self.result = None
        self.error = None
        self.changed.emit()
        self._models.call_engine(lambda engine: engine.forget_taught(), self._reload, self._fail)

    def close(self) -> None:
        """Stop looking at the progress."""
        self._progress_timer.stop()

    def _teach(self, answers: list[OwnAnswer]) -> None:
        """Pass the answers to the engine, and follow the progress."""
        if self._models.call_engine(lambda engine: engine.teach(answers), self._take_result, self._fail):
            self._progress_timer.start()
        else:
            self._end(None)

    def _take_progress(self) -> None:
        """Show how far the teaching is."""
        if self._models.made:
            progress = self._models.engine.teaching_progress
            if progress.phase and progress != self.progress:
                self.progress = progress
                self.changed.emit()

    def _take_result(self, result: TeachingResult | None) -> None:
        self.result = result
        self._end(None)
        if result is not None and result.better:
            self._reload()

    def _fail(self, error: EngineError) -> None:
        self._end(error)
        self.refresh()

    def _end(self, error: EngineError | None) -> None:
        """Change the attributes to those of an ended teaching, with its error if it has one."""
        self._progress_timer.stop()
        self.running = False
        self.error = error
        self.progress = TeachingProgress()
        self.changed.emit()

    def _reload(self, _: object = None) -> None:
        """Load the draft model again, which was changed or is as it was downloaded."""
        self._models.set_draft(self._models.pair.paths[1])

    def _take_known(self, known: TaughtDraft | None) -> None:
        self.known = known
        self.changed.emit()

    def _models_changed(self) -> None:
        """Forget the teaching of the pair before, once another pair is loaded."""
        pair = self._models.pair
        if not pair.loading and pair.paths != self._paths:
            self._paths = pair.paths
            self.result = None
            self.error = None
            self.known = None
            self.changed.emit()


def material_of(store: ConversationStore, main: str) -> list[OwnAnswer]:
    """Return the whole answers of a main model, of the newest chats first, for the draft model to learn from.

    If they are few, questions follow whose answers are another model's or were edited: the main model answers them
    first. Chats in the trash, answers that were cut off, turns with tools and chats with pictures are left out.
    """
    chats = [*store.conversations.view(ACTIVE), *store.conversations.view(ARCHIVED)]
    own_answers: list[OwnAnswer] = []
    questions: list[OwnAnswer] = []
    left = MOST_TOKENS
    for conversation in sorted(chats, key=lambda chat: -chat.updated_at):
        if left <= 0:
            break
        chat = chat_of(conversation, store.messages.path(conversation.id))
        folder = store.conversations.folder(conversation.folder_id)
        if picture_files(folder) or any(pictures_in(turn.attachments) for turn in chat.turns):
            # Without its pictures, the main model would have answered something else.
            continue
        start = start_of(folder, {})
        for turn in chat.turns:
            answer = turn.answer
            node = turn.answer_node
            if answer.state is not State.DONE or turn.steps or not turn.asks or node.id is None:
                continue
            tokens = store.messages.tokens(node.id) if answer.model == main else ()
            ids = tuple(token.id for token in tokens)
            if ids or len(questions) < FEW_TOKENS // DRAWN_TOKENS:
                kind = own_answers if ids else questions
                kind.append(OwnAnswer(conversation.uid, chat.messages(turn, start=start), ids))
            left -= len(ids)
    lacking = max(0, FEW_TOKENS - (MOST_TOKENS - left))
    return own_answers + questions[: lacking // DRAWN_TOKENS]
