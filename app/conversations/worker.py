"""The store's thread, which takes operations and returns futures, so that the window never waits for a disk.

Operations run one at a time in the order of their submission; a delayed one runs when it is due. After a commit, the
listener gets what changed, on this thread.
"""

from __future__ import annotations

import heapq
import itertools
import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Collection
from concurrent.futures import Future
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from app.conversations.backups import copy_daily, finish, remove_chats
from app.conversations.database.records import StoreChanges
from app.conversations.database.recovery import problem_in
from app.conversations.opening import open_in_memory, open_store
from app.conversations.pictures import PictureSource, pictures_of
from app.conversations.store import ConversationStore

_log = logging.getLogger(__name__)

Result = TypeVar("Result")
_Operation = Callable[[ConversationStore], Any]


class _Job(NamedTuple):
    """An operation in the queue. Jobs are sorted by time, then by number.

    `due` is a monotonic time in seconds; `number` counts the jobs in the order of submission, so it is unique.
    """

    due: float
    number: int
    future: Future[Any]
    operation: _Operation


# Seconds from the start to the first check whether a daily backup is due.
FIRST_BACKUP_S = 60.0
# Seconds between further checks.
BACKUP_EVERY_S = 3600.0
# Seconds from a deletion until its words are merged out of the search index.
MERGE_AFTER_S = 10.0
# Seconds between two steps of merging.
MERGE_PAUSE_S = 0.05
# Seconds for all steps of merging while the store is being closed.
MERGE_CLOSING_S = 2.0


class _EndedError(Exception):
    """Ends a daily backup because the store is closing, or its search index has deleted words."""


class StoreThread:
    """Owns the store and the one thread that uses it. Any thread may call any method, and only `close` waits.

    `opened` becomes what `open_store` returns next to the store, or the error that prevented it; operations then fail
    with it, too. `listener` gets the StoreChanges of every commit. `prepare` runs on this thread first. Of a store
    `in_memory` nothing is on disk. `pictures` are its pictures, which only this thread changes.
    """

    def __init__(
        self,
        path: Path,
        listener: Callable[[StoreChanges], None] = lambda _changes: None,
        clock: Callable[[], float] = time.time,
        prepare: Callable[[], object] = lambda: None,
        *,
        in_memory: bool = False,
    ) -> None:
        self.opened: Future[Path | None] = Future()
        self.path = path
        self._listener = listener
        self._clock = clock
        self._prepare = prepare
        self.pictures: PictureSource = {} if in_memory else pictures_of(path)
        self._queue_changed = threading.Condition()
        self._jobs: list[_Job] = []
        self._numbers = itertools.count()
        self._closing = False
        # Whether a step of merging the search index is in the queue.
        self._merging = False
        # The thread that makes the last backup durable.
        self._finishing: threading.Thread | None = None
        self._thread = threading.Thread(target=self._run, name="store", daemon=True)
        self._thread.start()

    def submit(self, operation: Callable[[ConversationStore], Result], delay: float = 0.0) -> Future[Result]:
        """Run `operation` on the store's thread, `delay` seconds from now at the earliest, and return its future.

        Closing runs the operations that are still in the queue, without delay. After that, the future fails with
        RuntimeError.
        """
        future: Future[Result] = Future()
        with self._queue_changed:
            if self._closing:
                future.set_exception(RuntimeError("the store is closed"))
                return future
            due = time.monotonic() + delay
            heapq.heappush(self._jobs, _Job(due, next(self._numbers), future, operation))
            self._queue_changed.notify()
        return future

    def close(self, timeout: float | None = 10.0) -> None:
        """Run the operations in the queue, close the file and end the thread; wait for `timeout` seconds at most."""
        with self._queue_changed:
            self._closing = True
            self._queue_changed.notify()
        for thread in (self._thread, self._finishing):
            if thread is not None and threading.current_thread() is not thread:
                thread.join(timeout)

    def remove_from_backups(self, uids: Collection[str]) -> list[Path]:
        """Remove chats as `backups.remove_chats` does, also from a backup that is being finished.

        Only on the store's thread.
        """
        if self._finishing is not None:
            self._finishing.join()
        return remove_chats(self.path, uids)

    def _run(self) -> None:
        """Open the store, run its operations until it is closed, and close it. Runs on the store's thread."""
        try:
            self._prepare()
            if isinstance(self.pictures, dict):
                store = open_in_memory(self.pictures, self._clock)
                set_aside = None
            else:
                store, set_aside = open_store(self.path, self._clock)
        except Exception as error:
            failure = error
            self.opened.set_exception(failure)
            self._serve(lambda future, _operation: future.set_exception(failure), self._next_job)
            return
        store.database.on_commit = self._report
        self.opened.set_result(set_aside)
        if isinstance(self.pictures, Path):
            self.submit(self._back_up_daily, FIRST_BACKUP_S)
            # A run that was killed may have left deleted words.
            self.submit(self._merge_index, MERGE_AFTER_S)
        self._serve(lambda future, operation: _run_into(future, operation, store), self._next_job)
        store.close()

    def _back_up_daily(self, store: ConversationStore) -> None:
        """Copy the store if a backup is due. Operations submitted meanwhile run between its pages."""

        def between() -> None:
            self._serve(lambda future, operation: _run_into(future, operation, store), self._due_job)
            if self._closing or self._merging:
                raise _EndedError

        if self._closing:
            return
        unfinished = None
        try:
            unfinished = copy_daily(store, self.path, between)
        except (OSError, sqlite3.Error, _EndedError):
            _log.info("the daily backup of %s was not made", self.path, exc_info=True)
        if unfinished is None:
            self.submit(self._back_up_daily, FIRST_BACKUP_S if self._merging else BACKUP_EVERY_S)
            return
        # Waiting for the disk on another thread leaves this one free for other operations.
        self._finishing = threading.Thread(
            target=self._finish_backup, args=(unfinished,), name="store-backup", daemon=True
        )
        self._finishing.start()

    def _merge_index(self, store: ConversationStore) -> None:
        """Merge some deleted words out of the search index, then submit the next step or truncate the log."""
        ends_at = time.monotonic() + MERGE_CLOSING_S
        # After an error, the next deletion begins again.
        self._merging = False
        more = store.search.merge()
        while more and self._closing and time.monotonic() < ends_at:
            more = store.search.merge()
        if more:
            self._merging = True
            self.submit(self._merge_index, MERGE_PAUSE_S)
        else:
            store.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def _finish_backup(self, unfinished: Path) -> None:
        """Finish a sound copy. If the copy is damaged, so is the store: have it mended before the next backup."""
        try:
            problem = problem_in(unfinished)
            if problem:
                _log.warning("%s is damaged and is mended: %s", self.path, problem)
                self.submit(ConversationStore.mend)
                unfinished.unlink()
            else:
                finish(unfinished, self.path)
        except (OSError, sqlite3.Error):
            _log.info("the daily backup of %s was not finished", self.path, exc_info=True)
        finally:
            # Not earlier: the next copy has the same unfinished file.
            self.submit(self._back_up_daily, BACKUP_EVERY_S)

    def _serve(self, handle: Callable[[Future[Any], _Operation], None], next_job: Callable[[], _Job | None]) -> None:
        """Handle jobs until `next_job` returns None; cancelled ones are dropped."""
        while (job := next_job()) is not None:
            if job.future.set_running_or_notify_cancel():
                handle(job.future, job.operation)

    def _next_job(self) -> _Job | None:
        """Wait for the next due job; None when the queue is empty and closed."""
        with self._queue_changed:
            while True:
                now = time.monotonic()
                if self._jobs and (self._closing or self._jobs[0].due <= now):
                    return heapq.heappop(self._jobs)
                if self._closing:
                    return None
                self._queue_changed.wait(self._jobs[0].due - now if self._jobs else None)

    def _due_job(self) -> _Job | None:
        """Return the next job if one is due now, else None."""
        with self._queue_changed:
            is_due = bool(self._jobs) and self._jobs[0].due <= time.monotonic()
            return heapq.heappop(self._jobs) if is_due else None

    def _report(self, changes: StoreChanges) -> None:
        """Pass the changes of a commit to the listener, and merge the search index soon if something was deleted."""
        if changes.removed_uids and not self._merging:
            self._merging = True
            self.submit(self._merge_index, MERGE_AFTER_S)
        try:
            self._listener(changes)
        except Exception:
            _log.exception("a listener of the store failed")


def _run_into(future: Future[Any], operation: _Operation, store: ConversationStore) -> None:
    """Run an operation, and give its result or its error to the future."""
    try:
        future.set_result(store.run(operation))
    except Exception as error:
        future.set_exception(error)
