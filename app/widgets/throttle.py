"""Timers: one that runs once, and a limit on how often a widget that follows a stream is refreshed."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QElapsedTimer, QObject, QTimer


def single_shot(parent: QObject, run: Callable[[], object], milliseconds: int = 0) -> QTimer:
    """Return a timer that calls `run` once, `milliseconds` after each `start`."""
    timer = QTimer(parent)
    timer.setSingleShot(True)
    timer.setInterval(milliseconds)
    timer.timeout.connect(run)
    return timer


class Throttle(QObject):
    """Calls `show` at most once in `milliseconds`: at once if that long has passed since the last call, else later.

    While requests keep coming, `show` runs inside of one of them, so that both are painted in one frame.
    """

    def __init__(self, milliseconds: int, show: Callable[[], object], parent: QObject) -> None:
        super().__init__(parent)
        self._milliseconds = milliseconds
        self._refresh = show
        self._since = QElapsedTimer()
        self._delay = single_shot(self, self._run, milliseconds)

    def request(self) -> None:
        """Refresh now or soon, because something changed."""
        if not self._since.isValid() or self._since.elapsed() >= self._milliseconds:
            self._run()
        elif not self._delay.isActive():
            self._delay.start()

    def _run(self) -> None:
        self._delay.stop()
        self._since.start()
        self._refresh()
