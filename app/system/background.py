"""Runs work off the Qt thread, and caches its results. The window uses nothing else for work longer than a frame."""

from __future__ import annotations

import logging
import sys
import threading
from collections import OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from typing import Any, Generic, TypeVar

import shiboken6
from PySide6.QtCore import QObject, Qt, Signal

log = logging.getLogger(__name__)

T = TypeVar("T")


class Background(QObject):
    """Runs work in order on at most `threads` threads, which exist only while there is work.

    Create, use and close it on the Qt thread. `then` gets the result there and `failed` the error, unless the job was
    cancelled, its `owner` was destroyed or `close` was called first. An error without `failed` is logged. What `then`
    or `failed` raise goes to `sys.excepthook`, like errors in slots.
    """

    _arrived = Signal()

    def __init__(self, name: str, threads: int = 1, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._name = name
        self._most = threads
        self._lock = threading.Lock()
        self._jobs: deque[tuple[Future[Any], Callable[[], Any]]] = deque()
        self._threads: set[threading.Thread] = set()
        self._inbox: deque[Callable[[], object]] = deque()
        self._closed = False
        self._arrived.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    def run(
        self,
        work: Callable[[], T],
        then: Callable[[T], object] | None = None,
        failed: Callable[[Exception], object] | None = None,
        owner: QObject | None = None,
    ) -> Future[T]:
        """Run `work` on a thread. The future's `cancel()` drops work that has not begun; then no callback is called."""
        future: Future[T] = Future()

        def deliver() -> None:
            if self._closed or future.cancelled() or (owner is not None and not shiboken6.isValid(owner)):
                return
            error = future.exception()
            if error is None:
                if then is not None:
                    then(future.result())
            elif failed is not None and isinstance(error, Exception):
                failed(error)
            else:
                log.error("work of %s failed", self._name, exc_info=error)

        def done(_: Future[T]) -> None:
            self._inbox.append(deliver)
            # If this object was destroyed meanwhile, the outcome is dropped.
            if shiboken6.isValid(self):
                self._arrived.emit()

        future.add_done_callback(done)
        with self._lock:
            if self._closed:
                future.cancel()
                return future
            self._jobs.append((future, work))
            if len(self._threads) < self._most:
                thread = threading.Thread(target=self._work, name=self._name, daemon=True)
                self._threads.add(thread)
                thread.start()
        return future

    @property
    def busy(self) -> bool:
        """Whether any work waits, runs or has an outcome that is not delivered yet."""
        with self._lock:
            return bool(self._jobs or self._threads or self._inbox)

    def close(self, wait: bool = True) -> None:
        """Drop work that has not begun, deliver nothing more and, with `wait`, join the threads. Safe to call twice."""
        with self._lock:
            self._closed = True
            dropped = list(self._jobs)
            threads = list(self._threads)
            self._jobs.clear()
        for future, _ in dropped:
            future.cancel()
        if wait:
            for thread in threads:
                thread.join()
        self._inbox.clear()

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._jobs:
                    self._threads.discard(threading.current_thread())
                    return
                future, work = self._jobs.popleft()
            if not future.set_running_or_notify_cancel():
                continue
            try:
                result = work()
            except CancelledError:
                # The work itself raised it.
                future.set_exception(CancelledError())
            except BaseException as error:
                future.set_exception(error)
            else:
                future.set_result(result)
            # Release the last job before waiting for the next one.
            del future, work

    def _deliver(self) -> None:
        while self._inbox:
            deliver = self._inbox.popleft()
            try:
                deliver()
            except Exception:
                sys.excepthook(*sys.exc_info())


Key = TypeVar("Key")
Value = TypeVar("Value")


class BackgroundCache(QObject, Generic[Key, Value]):
    """Up to `size` values of `compute`, the latest ones. It is used on the Qt thread; `compute` runs on another one.

    `ready` is emitted once after every `batch` requested values, and when none is pending any more.
    """

    ready = Signal()

    def __init__(self, name: str, compute: Callable[[Key], Value], size: int, batch: int = 1) -> None:
        super().__init__()
        self._compute = compute
        self._size = size
        self._batch = batch
        self.known: OrderedDict[Key, Value] = OrderedDict()
        self._pending: set[Key] = set()
        self._background = Background(name, parent=self)

    def request(self, key: Key) -> bool:
        """Return whether the value is known. If it is not, compute it on the other thread and emit `ready` later."""
        if key in self.known:
            self.known.move_to_end(key)
            return True
        if key not in self._pending:
            self._pending.add(key)
            self._background.run(lambda: self._compute(key), lambda value: self._add(key, value))
        return False

    def _add(self, key: Key, value: Value) -> None:
        self._pending.discard(key)
        self.known[key] = value
        if len(self.known) > self._size:
            self.known.popitem(last=False)
        if len(self._pending) % self._batch == 0:
            self.ready.emit()
