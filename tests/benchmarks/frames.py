"""Measures frames, the Qt thread's work for one picture on the screen, while text streams into the real window.

A frame is a picture that shows new text of the answer. It begins when the session passes on events of the engine, and
appears when the window has been painted; its work ends when the Qt thread has nothing left to do. Its interval is the
time since the previous frame was painted. Pictures in between, of a blinking cursor or of a panel that is updated less
often than the text, are work but no frames: they make no interval shorter.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from PySide6.QtCore import QAbstractEventDispatcher, QCoreApplication, QEvent, QObject
from PySide6.QtWidgets import QWidget

from app.session.session import Session

# Two frames at 60 a second; a picture with a longer interval is late.
LATE_MS = 32.0


@dataclass
class Frames:
    """Records times of the Qt thread in ms."""

    busy_ms: list[float] = field(default_factory=list)
    """How long the thread worked, for each picture."""
    cpu_ms: list[float] = field(default_factory=list)
    """Processor time since the picture before it: without the waits for a processor that others have."""
    interval_ms: list[float] = field(default_factory=list)
    """How long after the frame before it, for each frame but the first."""
    waited_ms: list[float] = field(default_factory=list)
    """How much of the interval the thread was ready, but all processors were taken; 0 where no system tells that."""
    streams: Callable[[], bool] = lambda: True
    """Whether there are words of the answer yet: pictures before them do not count."""
    _news: bool = False
    _waited: float = 0.0
    _since: float | None = None
    _spent: float = 0.0
    _cpu: float = 0.0
    _painted: float | None = None
    _last: float | None = None

    @contextmanager
    def recording(self, session: Session, window: QWidget, streams: Callable[[], bool]) -> Iterator[None]:

        self.streams, self._cpu = streams, time.thread_time()

        frames = self

        class Paints(QObject):
            """Notes the time after each paint of the window."""

            inside = False

            def eventFilter(self, watched: QObject, event: QEvent) -> bool:
                if event.type() != QEvent.Type.UpdateRequest or self.inside:
                    return False
                frames.begins()
                self.inside = True
                QCoreApplication.sendEvent(watched, event)
                self.inside = False
                frames.painted()
                return True

        dispatcher, paints = QAbstractEventDispatcher.instance(), Paints()
        window.installEventFilter(paints)
        session.frame_begins.connect(self.begin_frame)
        dispatcher.aboutToBlock.connect(self.waits)
        try:
            yield
        finally:
            dispatcher.aboutToBlock.disconnect(self.waits)
            session.frame_begins.disconnect(self.begin_frame)
            window.removeEventFilter(paints)

    def begin_frame(self) -> None:
        """Note that events of the engine have arrived: they begin the next frame even if the thread was never idle."""
        if self._painted is not None:
            self._end(self._painted)
        self._news = True
        self.begins()

    def begins(self) -> None:
        """Note that there is work for a picture."""
        if self._since is None:
            self._since = time.perf_counter()

    def painted(self) -> None:
        """Note that a picture, or a missing part of it, has been painted."""
        self._painted = time.perf_counter()

    def waits(self) -> None:
        """Note that the thread has nothing to do."""
        if self._since is None:
            return
        now = time.perf_counter()
        if self._painted is None:
            self._spent += now - self._since
            self._since = None
        else:
            self._end(now)

    def _end(self, now: float) -> None:
        """Note that the work for the picture ended at `now`."""
        assert self._since is not None
        cpu_before, self._cpu = self._cpu, time.thread_time()
        if self.streams():
            self.cpu_ms.append(1000 * (self._cpu - cpu_before))
            self.busy_ms.append(1000 * (self._spent + now - self._since))
            if self._news:
                self._count_frame()
        self._spent, self._since, self._painted, self._news = 0.0, None, None, False

    def _count_frame(self) -> None:
        assert self._painted is not None
        waited_before, self._waited = self._waited, _waited_for_a_processor()
        if self._last is not None:
            self.interval_ms.append(1000 * (self._painted - self._last))
            self.waited_ms.append(1000 * (self._waited - waited_before))
        self._last = self._painted


def _waited_for_a_processor() -> float:
    """Return the seconds for which this thread was ready but did not run, as Linux counts them."""
    try:
        return int(Path("/proc/thread-self/schedstat").read_text(encoding="ascii").split()[1]) / 1e9
    except OSError:
        return 0.0
