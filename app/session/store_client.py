"""The window's access to the store's thread: operations run there, and their results arrive between two frames.

The Qt thread never waits for a disk. If the store cannot be opened, a temporary one replaces it, and the window says
that nothing will be kept.
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

# The key in a chat's settings of the time it was last on screen; the newest chat is shown at the next start.
OPENED_AT = "opened_at"
CLOSE_WITHIN_S = 10.0


class StoreClient(QObject):
    """Owns the store's thread and the shown lists of chats and folders.

    `opened` carries the OpenReport, None for a temporary store, `unavailable` the error that keeps the store from
    opening, `failed` an error of one operation, `purged` the uids of chats that lost messages for good. `listed`
    follows every change of `conversations`.
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
        """Whether the store is kept until the next start."""
        return self._stand_in is None

    def run(
        self,
        operation: Callable[[ConversationStore], Result],
        then: Callable[[Result], object] | None = None,
        refused: Callable[[Exception], object] | None = None,
    ) -> None:
        """Run an operation on the store's thread, then call `then` here with its result or `refused` with its error."""

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
        """Run an operation after `delay` seconds or when the store closes, and drop its result."""
        self._thread.submit(operation, delay)

    def wait_for(self, operation: Callable[[ConversationStore], Result]) -> Result:
        """Run an operation and wait for its result. Not for the Qt thread."""
        return self._thread.submit(operation).result()

    def writer(self, message_id: int) -> AnswerWriter:
        return self._thread.answer_writer(message_id)

    def watch_end(self, ending: Future[None], refused: Callable[[], object]) -> None:
        """Update the list once an answer's end is on disk; call `refused` if the store could not write it."""

        def done(future: Future[None]) -> None:
            error = future.exception()
            if error is None:
                self.reload()
            elif not isinstance(error, NotFound):
                self._report(error)
                refused()

        self._bridge.watch(ending, done)

    def reload(self) -> None:
        """Read the list after something else wrote to the store; `listed` follows if it changed."""
        self.run(lambda _: None)

    def show_view(self, view: str) -> None:
        """List the active, the archived or the trashed chats; `listed` follows in any case."""
        self.view = view
        self.run(lambda _: self._listing.forget())

    def load(self, conversation_id: int, then: Callable[[Chat], object]) -> None:
        """Read a chat and note that it is on screen now."""
        self.run(lambda store: _load(store, conversation_id), then)

    def close(self) -> None:
        """Write pending changes and close the file. Safe to call twice."""
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
        """Note changes for the list. Runs on the store's thread."""
        self._listing.note(changes)
        self._gone |= changes.removed_uids

    def _report(self, error: BaseException) -> None:
        if isinstance(error, NotFound):
            # The chat was deleted for good while an operation on it was pending.
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
    """Return the chat that was on screen in the last run, or None at the first start."""
    now = store.database.clock()
    seen = [chat for chat in store.conversations.view(ACTIVE) if isinstance(chat.settings.get(OPENED_AT), float)]
    if not seen:
        return None
    # A time in the future comes from a wrong clock and must not win.
    newest = max(seen, key=lambda chat: (chat.settings[OPENED_AT] <= now, chat.settings[OPENED_AT]))
    return chat_of(newest, store.messages.path(newest.id))


def next_new_chat(store: ConversationStore) -> Chat:
    """Return the stored empty chat, which holds an unsent message, or a new one."""
    for conversation in store.conversations.view(ACTIVE):
        if not conversation.title and store.messages.active_leaf(conversation.id) is None:
            return chat_of(conversation, ())
    return Chat()
