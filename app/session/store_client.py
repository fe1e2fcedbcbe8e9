"""The window's access to the store's thread: operations run there, and their results arrive between two frames.

The Qt thread never waits for a disk. If the store cannot be opened, a temporary store takes its place, and the window
says that nothing is saved.
"""

from __future__ import annotations

import logging
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Qt, Signal

from app.conversations.answer_writer import AnswerWriter
from app.conversations.conversation_list import ACTIVE
from app.conversations.database.errors import NotFound, StoreError, StoreNotWritable, as_store_error
from app.conversations.database.records import Conversation, Folder, StoreChanges
from app.conversations.pictures import PictureSource
from app.conversations.store import ConversationStore
from app.conversations.temporary_store import chats_in, chosen_folder, find_left, keep_in, remove, temporary_store_of
from app.conversations.worker import StoreThread
from app.session.bridge import Bridge
from app.session.chats import Chat, chat_of
from app.session.listed_conversations import Listed, ListedConversations
from app.settings.relocation import MoveRefused

log = logging.getLogger(__name__)

Result = TypeVar("Result")
# What an operation returned, whether it wrote, the uids of chats that lost messages, and what the list shows now.
_Outcome = tuple[Result, bool, set[str], Listed | Exception | None]

# The key in a chat's settings of the time it was last on screen; the newest chat is shown at the next start.
OPENED_AT = "opened_at"
# Seconds that closing waits for each of the store's threads.
CLOSE_WITHIN_S = 10.0


class StoreClient(QObject):
    """Owns the store's thread and the shown lists of chats and folders.

    `opened` carries the path of a damaged file that was set aside, or None, `unavailable` the error that prevents the
    store from opening, `failed` the StoreError of an operation, `purged` the uids of chats that lost messages for good.
    `saved` is emitted after every operation that wrote, `listed` after every change of `conversations`, of which
    `changed_conversations` may differ from before, and of `list_error`, which is why they cannot be read, or None.
    `replaced` precedes `opened` and carries the open StoreThread of the temporary store that the user's store has just
    replaced; `recovered_store` carries that of an earlier run with its number of chats. `moved` follows `keep_in` and
    carries the error or None.
    """

    opened = Signal(object)
    unavailable = Signal(object)
    replaced = Signal(object)
    recovered_store = Signal(object, int)
    moved = Signal(object)
    failed = Signal(object)
    saved = Signal()
    listed = Signal()
    _went_wrong = Signal(object)
    purged = Signal(object)

    def __init__(self, bridge: Bridge, path: Path | None, parent: QObject | None = None) -> None:
        """Open the store at `path`; without one, a store in memory, of which nothing is ever on disk."""
        super().__init__(parent)
        self.conversations: list[Conversation] = []
        self.folders: list[Folder] = []
        self.changed_conversations: Sequence[Conversation] = ()
        self.view = ACTIVE
        self.list_error: Exception | None = None
        self.ready = False
        self._bridge = bridge
        self._listing = ListedConversations()
        # The uids of chats that lost messages since they were last emitted. Used on the store's thread.
        self._gone: set[str] = set()
        # The file of the temporary store that is open in place of the user's; None while the user's is open.
        self._temporary_store: Path | None = None
        # The folder of a temporary store that lasts only for this run.
        self._temporary_folder: tempfile.TemporaryDirectory[str] | None = None
        # The name that SQLite gives to a database in memory.
        self.path = path or Path(":memory:")
        self._on_disk = path is not None
        # The access to the store of temporary chats, made when there is one.
        self._in_memory: StoreClient | None = None
        # Other open stores: the user's own while it is tried again, and the temporary one of an earlier run.
        self._others: list[StoreThread] = []
        self._thread = StoreThread(self.path, self._note, in_memory=path is None)
        bridge.watch(self._thread.opened, self._store_opened)
        # Queued: it is emitted on the store's thread.
        self._went_wrong.connect(self._report, Qt.ConnectionType.QueuedConnection)

    def of(self, chat: Chat) -> StoreClient:
        """Return the access to the store of a chat: for a temporary one, to a store in memory."""
        if not chat.temporary:
            return self
        if self._in_memory is None:
            self._in_memory = StoreClient(self._bridge, None, self)
            self._in_memory.failed.connect(self.failed)
        return self._in_memory

    @property
    def persistent(self) -> bool:
        """Whether this is the user's store, not a temporary one."""
        return self._temporary_store is None

    @property
    def pictures(self) -> PictureSource:
        """The pictures of the open store: their folder or, for a store in memory, their contents."""
        return self._thread.pictures

    @property
    def chosen_folder(self) -> Path | None:
        """The folder that the user chose for the temporary store."""
        return None if self._temporary_store is None else chosen_folder(self._temporary_store)

    @property
    def is_offered(self) -> bool:
        """Whether the next start finds the temporary store."""
        return self._temporary_folder is None

    def count_chats(self) -> int | None:
        """Return the number of chats with messages, None if it is not known. Waits for the store, as `close` does."""
        try:
            return len(self._thread.submit(chats_in).result(CLOSE_WITHIN_S)) if self.ready else 0
        except Exception:
            log.info("the chats of %s cannot be counted", self._thread.path, exc_info=True)
            return None

    def run(
        self,
        operation: Callable[[ConversationStore], Result],
        then: Callable[[Result], object] | None = None,
        refused: Callable[[Exception], object] | None = None,
    ) -> None:
        """Run an operation on the store's thread, then call `then` here with its result or `refused` with its error.

        `saved` follows if it wrote, `purged` if messages were deleted for good, and `listed` if the list changed. An
        error is also reported by `failed`, unless a chat was deleted meanwhile.
        """

        def job(store: ConversationStore) -> _Outcome[Result]:
            before = store.database.commits
            result = operation(store)
            wrote = store.database.commits > before
            gone = self._gone
            self._gone = set()
            return result, wrote, gone, self._listing.try_read(store, self.view)

        def done(future: Future[_Outcome[Result]]) -> None:
            error = future.exception()
            if error is not None:
                self._refuse(error, refused)
                return
            result, wrote, gone, listed = future.result()
            if gone:
                self.purged.emit(gone)
            if wrote:
                self.saved.emit()
            if then is not None:
                then(result)
            self._show_list(listed)

        self._bridge.watch(self._thread.submit(job), done)

    def _show_list(self, listed: Listed | Exception | None) -> None:
        """Show what was read of the list, or note that it cannot be read."""
        if listed is None:
            return
        if isinstance(listed, Exception):
            if self.list_error is None:
                self._report(listed)
            self.list_error = listed
            self.changed_conversations = ()
        else:
            self.list_error = None
            self.conversations, self.folders, self.changed_conversations = listed
        self.listed.emit()

    def schedule(self, operation: Callable[[ConversationStore], Any], delay: float) -> None:
        """Run an operation after `delay` seconds or when the store closes; only its error is reported."""
        self._thread.submit(operation, delay).add_done_callback(self._note_end)

    def keep_setting(self, chat: Chat, key: str, value: object) -> None:
        """Keep a setting of the chat. A chat that is not stored yet stores its settings with its first question."""
        chat.settings = {**chat.settings, key: value}
        if (chat_id := chat.id) is None:
            return

        def write(store: ConversationStore) -> None:
            stored = store.conversations.get(chat_id).settings
            store.conversations.set_settings(chat_id, {**stored, key: value})

        self.of(chat).schedule(write, 0.0)

    def _note_end(self, future: Future[Any]) -> None:
        """Report the error of an operation that nobody waits for. Runs on the store's thread."""
        if (error := future.exception()) is not None and self.ready:
            self._went_wrong.emit(error)

    def wait_for(self, operation: Callable[[ConversationStore], Result]) -> Result:
        """Run an operation and wait for its result. Not for the Qt thread."""
        return self._thread.submit(operation).result()

    def remove_from_backups(self, uids: list[str]) -> list[str]:
        """Remove chats from the backups; return the files that are too damaged. Only in an operation."""
        return list(map(str, self._thread.remove_from_backups(uids)))

    def keep_picture(self, content: bytes) -> None:
        """Write a picture's file and wait for it. Raises StoreError. Not for the Qt thread."""
        try:
            self.wait_for(lambda store: store.pictures.add(content))
        except Exception as error:
            raise as_store_error(error) from error

    def writer(self, message_id: int) -> AnswerWriter:
        """Return what writes a streaming answer to disk. Every answer ends with one call of `AnswerWriter.finish`."""
        return AnswerWriter(self._thread.submit, message_id)

    def watch_end(self, ending: Future[None], refused: Callable[[], object]) -> None:
        """Update the list once an answer's end is on disk; call `refused` if the store could not write it."""

        def done(future: Future[None]) -> None:
            error = future.exception()
            if error is None:
                self.saved.emit()
                self.reload()
            elif not isinstance(error, NotFound):
                self._refuse(error, lambda _: refused())

        self._bridge.watch(ending, done)

    def reload(self) -> None:
        """Read the list after something else wrote to the store; `listed` follows if it changed."""
        self.run(lambda _: None)

    def show_view(self, view: str) -> None:
        """List the active, the archived or the trashed chats; `listed` follows in any case."""
        self.view = view
        self.run(lambda _: self._listing.forget())

    def load(
        self,
        conversation_id: int,
        then: Callable[[Chat], object],
        refused: Callable[[Exception], object] | None = None,
        *,
        on_screen: bool = True,
    ) -> None:
        """Read a chat, and call `then` or `refused` as `run` does. One that is to be `on_screen` is noted as there."""
        self.run(lambda store: _load(store, conversation_id, on_screen), then, refused)

    def close(self) -> None:
        """Write pending changes and close the file. A temporary store without chats is removed. Safe to call twice."""
        is_empty = self._temporary_store is not None and self.ready and self.count_chats() == 0
        self.ready = False
        for thread in (self._thread, *self._others):
            thread.close(CLOSE_WITHIN_S)
        if self._in_memory is not None:
            self._in_memory.close()
        if self._temporary_store is not None and is_empty:
            remove(self._temporary_store)
        if self._temporary_folder is not None:
            self._temporary_folder.cleanup()
            self._temporary_folder = None

    def try_again(self) -> None:
        """Try to open the user's store.

        `unavailable` follows or, if it opens, `replaced` and `opened`. Until then nothing can be asked. No answer may
        be under way.
        """
        was_ready = self.ready
        self.ready = False
        thread = StoreThread(self.path, self._note)
        self._others.append(thread)

        def tried(future: Future[Path | None]) -> None:
            self._others.remove(thread)
            error = future.exception()
            if error is not None:
                thread.close()
                self.ready = was_ready
                self.unavailable.emit(error)
                return
            left = self._thread
            self._thread = thread
            self._temporary_store = None
            self._others.append(left)
            self.replaced.emit(left)
            self._begin(future.result(), None)

        self._bridge.watch(thread.opened, tried)

    def keep_in(self, folder: Path) -> None:
        """Keep the temporary store in a folder of the user's choice from now on; `moved` follows.

        Until then nothing can be asked. No answer may be under way.
        """
        assert self._temporary_store is not None
        before = self._thread
        temporary_store = self._temporary_store
        refused: list[Exception] = []

        def move() -> None:
            before.close(timeout=None)
            try:
                keep_in(temporary_store, folder)
            except (MoveRefused, OSError) as error:
                refused.append(error)

        def moved(future: Future[Path | None]) -> None:
            if (error := future.exception()) is not None:
                self._report(error)
            self.ready = error is None
            self.moved.emit(refused[0] if refused else None)

        self.ready = False
        # Operations requested in the meantime wait for the new thread.
        self._thread = StoreThread(temporary_store, self._note, prepare=move)
        self._bridge.watch(self._thread.opened, moved)

    def _store_opened(self, future: Future[Path | None]) -> None:
        """Begin with the user's store or, if it cannot be opened, with a temporary one.

        `future` has the path of a damaged file that was set aside, or None. With the user's store on disk, a temporary
        one that an earlier run left is looked for.
        """
        error = future.exception()
        if error is None:
            self._begin(future.result(), None)
            if self._on_disk:
                self.run(lambda _: find_left(self.path), self._look_for_recovered_store)
            return
        log.info("the chats in %s cannot be opened", self.path, exc_info=error)
        self._thread.close()
        self._open_temporary_store(temporary_store_of(self.path))
        self.unavailable.emit(error)

    def _open_temporary_store(self, path: Path) -> None:
        self._temporary_store = path
        self._thread = StoreThread(path, self._note)
        self._bridge.watch(self._thread.opened, self._temporary_store_opened)

    def _temporary_store_opened(self, future: Future[Path | None]) -> None:
        """Begin with the temporary store or, if it cannot be opened, with one for this run only."""
        error = future.exception()
        if error is not None and self._temporary_folder is None:
            self._thread.close()
            self._temporary_folder = tempfile.TemporaryDirectory(prefix="tandem-")
            self._open_temporary_store(Path(self._temporary_folder.name) / self.path.name)
            return
        self._begin(None, error)

    def _look_for_recovered_store(self, exists: bool) -> None:
        """Count the chats of a temporary store that an earlier run left; remove one without any."""
        if not exists:
            return
        left = StoreThread(temporary_store_of(self.path))
        self._others.append(left)

        def counted(future: Future[list[int]]) -> None:
            # Another window may be using it.
            error = future.exception()
            if error is None and future.result():
                self.recovered_store.emit(left, len(future.result()))
                return
            self._others.remove(left)
            left.close()
            if error is None:
                self.run(lambda _: remove(left.path))

        self._bridge.watch(left.submit(chats_in), counted)

    def _begin(self, damaged: Path | None, error: BaseException | None) -> None:
        """Begin with the open store, or report why there is none.

        `damaged` is where a damaged file is kept, None if there was none.
        """
        if error is not None:
            self._report(error)
            return
        self.ready = True
        self.show_view(self.view)
        self.opened.emit(damaged)

    def _note(self, changes: StoreChanges) -> None:
        """Record changes for the list. Runs on the store's thread."""
        self._listing.note(changes)
        self._gone |= changes.removed_uids

    def _refuse(self, error: BaseException, refused: Callable[[Exception], object] | None) -> None:
        """Call `refused` first, then report the error even if that raises.

        What `refused` makes possible, for example to save again, is known when the error is shown.
        """
        try:
            if refused is not None:
                refused(error)  # type: ignore[arg-type]
        finally:
            self._report(error)

    def report_error(self, error: StoreError) -> None:
        """Emit `failed` with the error of a write that `AnswerWriter` tries again."""
        self.failed.emit(error)

    def _report(self, error: BaseException) -> None:
        """Emit `failed` with an error, and log it unless the system refused a write."""
        if isinstance(error, NotFound):
            # The chat was deleted for good while an operation on it was pending.
            return
        reported = as_store_error(error)
        if not isinstance(reported, StoreNotWritable):
            log.error("an operation of the store failed", exc_info=error)
        self.failed.emit(reported)


def _load(store: ConversationStore, conversation_id: int, on_screen: bool) -> Chat:
    """Read a chat, and note in its settings if it is on screen now. Raises NotFound."""
    conversation = store.conversations.get(conversation_id)
    chat = chat_of(conversation, store.messages.path(conversation_id))
    if not on_screen:
        return chat
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
