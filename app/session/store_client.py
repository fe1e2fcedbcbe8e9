"""Between the window and the store's thread: operations go there, their results come back between two frames.

The Qt thread never waits for a disk. Where the store cannot be opened, a temporary one replaces it, so that the
app can be used; the window says that nothing will be kept.
"""

from __future__ import annotations

import logging
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Signal

from app.conversations.answer_writer import AnswerWriter
from app.conversations.conversation_list import ACTIVE
from app.conversations.errors import NotFound, StoreError, StoreNotWritable
from app.conversations.listing import Listed, Listing
from app.conversations.opening import OpenReport
from app.conversations.records import Changes, Conversation, Folder
from app.conversations.store import ConversationStore
from app.conversations.worker import StoreThread
from app.session.bridge import Bridge
from app.session.chats import Chat, chat_of

log = logging.getLogger(__name__)

Result = TypeVar("Result")

# In a chat's settings: when it was last on screen. The newest is shown at the next start.
OPENED_AT = "opened_at"
CLOSE_WITHIN_S = 10.0


class StoreClient(QObject):
    """Owns the store's thread and the lists of chats and folders that are shown.

    `opened` carries the OpenReport of a good start, `unavailable` the error that keeps the store shut, `failed` an
    error of one operation, `listed` follows every change of `conversations`, `purged` carries the uids of chats that,
    or messages of which, are gone for good.
    """

    opened = Signal(object)
    unavailable = Signal(object)
    failed = Signal(object)
    listed = Signal()
    purged = Signal(object)

    def __init__(self, bridge: Bridge, path: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.path = path
        self.conversations: list[Conversation] = []
        self.folders: list[Folder] = []
        self.view = ACTIVE
        self.ready = False
        self._bridge = bridge
        self._listing = Listing()
        self._gone: frozenset[str] = frozenset()
        self._stand_in: tempfile.TemporaryDirectory[str] | None = None
        self._thread = StoreThread(path, self._note)
        bridge.watch(self._thread.opened, self._store_opened)

    @property
    def persistent(self) -> bool:
        """Whether what is kept will be there at the next start."""
        return self._stand_in is None

    def run(
        self,
        operation: Callable[[ConversationStore], Result],
        then: Callable[[Result], object] | None = None,
        refused: Callable[[Exception], object] | None = None,
    ) -> None:
        """Run an operation on the store's thread, then `then` with its result here; `refused` gets what it raised."""

        def job(store: ConversationStore) -> tuple[Result, Listed | None, frozenset[str]]:
            result = operation(store)
            gone, self._gone = self._gone, frozenset()
            return result, self._listing.read(store, self.view), gone

        def done(future: Future[tuple[Result, Listed | None, frozenset[str]]]) -> None:
            error = future.exception()
            if error is not None:
                self._report(error)
                if refused is not None:
                    refused(error)  # type: ignore[arg-type]
                return
            result, listed, gone = future.result()
            if gone:
                self.purged.emit(gone)
            if then is not None:
                then(result)
            if listed is not None:
                self.conversations, self.folders = listed
                self.listed.emit()

        self._bridge.watch(self._thread.submit(job), done)

    def schedule(self, operation: Callable[[ConversationStore], Any], delay: float) -> None:
        """Run an operation in a while, or when the store closes; its outcome is dropped."""
        self._thread.submit(operation, delay)

    def wait_for(self, operation: Callable[[ConversationStore], Result]) -> Result:
        """For other threads, which may wait: run an operation and return its result."""
        return self._thread.submit(operation).result()

    def writer(self, message_id: int) -> AnswerWriter:
        return self._thread.answer_writer(message_id)

    def watch_end(self, ending: Future[None], refused: Callable[[], object]) -> None:
        """An answer's end is on its way to disk; the list follows it."""

        def done(future: Future[None]) -> None:
            error = future.exception()
            if error is None:
                self.reload()
            elif not isinstance(error, NotFound):
                self._report(error)
                refused()

        self._bridge.watch(ending, done)

    def reload(self) -> None:
        """Something was written elsewhere; `listed` follows if that changes the list."""
        self.run(lambda _: None)

    def show_view(self, view: str) -> None:
        """List the active, the archived or the trashed chats; `listed` follows in any case."""
        self.view = view
        self.run(lambda _: self._listing.forget())

    def load(self, conversation_id: int, then: Callable[[Chat], object]) -> None:
        """Read a chat and note that it is the one on screen."""
        self.run(lambda store: _load(store, conversation_id), then)

    def close(self) -> None:
        """Write what waits and close the file. Safe to call twice."""
        self._thread.close(CLOSE_WITHIN_S)
        if self._stand_in is not None:
            self._stand_in.cleanup()
            self._stand_in = None

    def _store_opened(self, future: Future[OpenReport]) -> None:
        error = future.exception()
        if error is not None:
            log.info("the chats in %s cannot be opened", self.path, exc_info=error)
            self._thread.close()
            self._stand_in = tempfile.TemporaryDirectory(prefix="tandem-")
            self._thread = StoreThread(Path(self._stand_in.name) / "chats.db", self._note)
            self._bridge.watch(self._thread.opened, lambda opened: self._begin(None, opened.exception()))
            self.unavailable.emit(error)
            return
        self._begin(future.result(), None)

    def _begin(self, report: OpenReport | None, error: BaseException | None) -> None:
        if error is not None:
            self._report(error)
            return
        self.ready = True
        self.show_view(self.view)
        self.opened.emit(report)

    def _note(self, changes: Changes) -> None:
        """On the store's thread."""
        self._listing.note(changes)
        self._gone |= changes.removed_uids

    def _report(self, error: BaseException) -> None:
        if isinstance(error, NotFound):
            # The chat was deleted for good while something of it was still on its way.
            return
        if not isinstance(error, StoreNotWritable):
            log.error("an operation of the store failed", exc_info=error)
        self.failed.emit(error if isinstance(error, StoreError) else StoreError(str(error)))


def _load(store: ConversationStore, conversation_id: int) -> Chat:
    conversation = store.conversations.get(conversation_id)
    chat = chat_of(conversation, store.messages.path(conversation_id))
    try:
        settings = {**conversation.settings, OPENED_AT: time.time()}
        store.conversations.set_settings(conversation_id, settings)
    except StoreNotWritable:
        log.info("the last chat on screen cannot be noted", exc_info=True)
    return chat


def last_on_screen(store: ConversationStore) -> Chat | None:
    """The chat that was on screen when the app was last used, or None at the very first start."""
    now = store.database.clock()
    seen = [chat for chat in store.conversations.view(ACTIVE) if isinstance(chat.settings.get(OPENED_AT), float)]
    if not seen:
        return None
    # A time in the future is from a clock that was wrong: it must not win for years.
    newest = max(seen, key=lambda chat: (chat.settings[OPENED_AT] <= now, chat.settings[OPENED_AT]))
    return chat_of(newest, store.messages.path(newest.id))


def next_new_chat(store: ConversationStore) -> Chat:
    """The empty chat that holds a draft, if there is one."""
    for conversation in store.conversations.view(ACTIVE):
        if not conversation.title and store.messages.active_leaf(conversation.id) is None:
            return chat_of(conversation, ())
    return Chat()
