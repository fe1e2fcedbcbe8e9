"""The only way from the engine's thread to Qt.

Other threads append to a deque. While a request streams, a timer on the GUI thread empties it once a frame; the end of
a call wakes the GUI thread at once. No timer runs while the window is idle.
"""

from __future__ import annotations

import logging
import sys
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from itertools import count
from typing import Any

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from app.widgets.layouts import settle_layouts
from engine.events import Event, Failed, Finished

log = logging.getLogger(__name__)

# Shorter than the 16.7 ms of a frame: a tick that is a little late still has events for the next frame.
FRAME_MS = 15


class Bridge(QObject):
    """Passes events and results of the engine to the GUI thread.

    Receivers are called once a frame, or when a call has ended, with everything that has arrived for them.
    `frame_begins` comes before the first of them is called.
    """

    frame_begins = Signal()
    _call_ended = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._inbox: deque[tuple[int, Event | Future[Any]]] = deque()
        self._receivers: dict[int, Callable[[list[Event]], None]] = {}
        self._callbacks: dict[int, Callable[[Future[Any]], None]] = {}
        # A number for each request and each call, by which what arrives for it is told apart.
        self._tickets = count()
        self._closed = False
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(FRAME_MS)
        self._timer.timeout.connect(self.drain)
        # Queued on this thread as well, so that no callback runs before `watch` has returned.
        self._call_ended.connect(self.drain, Qt.ConnectionType.QueuedConnection)

    @property
    def busy(self) -> bool:
        """Whether a request streams or a call has not ended."""
        return bool(self._receivers or self._callbacks)

    def listen(self, receiver: Callable[[list[Event]], None]) -> Callable[[Event], None]:
        """Return the callback for `Engine.submit` that passes the request's events to `receiver`."""
        ticket = next(self._tickets)
        self._receivers[ticket] = receiver
        # A restart would begin a new frame, so that requests in quick succession could delay it without end.
        if not self._timer.isActive():
            self._timer.start()
        return lambda event: self._inbox.append((ticket, event))

    def watch(self, future: Future[Any], done: Callable[[Future[Any]], None]) -> None:
        """Call `done` on the GUI thread when the future is done."""
        ticket = next(self._tickets)
        self._callbacks[ticket] = done
        future.add_done_callback(partial(self._end_call, ticket))

    def drain(self) -> None:
        """Hand over everything that has arrived, the results of calls first. Only on the GUI thread."""
        if self._inbox:
            self.frame_begins.emit()
        arrived: dict[int, list[Event]] = {}
        finished: list[tuple[int, Future[Any]]] = []
        while self._inbox:
            ticket, item = self._inbox.popleft()
            if ticket in self._callbacks:
                finished.append((ticket, item))  # type: ignore[arg-type]
            elif ticket in self._receivers:
                arrived.setdefault(ticket, []).append(item)  # type: ignore[arg-type]
        for ticket, future in finished:
            _call(self._callbacks.pop(ticket), future)
        for ticket, events in arrived.items():
            receiver = self._receivers[ticket]
            if isinstance(events[-1], (Finished, Failed)):
                del self._receivers[ticket]
            _call(receiver, events)
        if not self._receivers:
            self._timer.stop()
        if arrived or finished:
            settle_layouts()

    def close(self) -> None:
        """Deliver nothing from now on."""
        self._closed = True
        self._timer.stop()
        self._receivers.clear()
        self._callbacks.clear()
        self._inbox.clear()

    def _end_call(self, ticket: int, finished: Future[Any]) -> None:
        """Put the result of a call into the inbox. Runs on any thread."""
        self._inbox.append((ticket, finished))
        if not self._closed:
            self._call_ended.emit()


def _call(receiver: Callable[[Any], object], arrived: Any) -> None:
    """Call a receiver. As for slots, `sys.excepthook` gets its errors, so that the other receivers are called."""
    try:
        receiver(arrived)
    except Exception:
        sys.excepthook(*sys.exc_info())
