"""Limits how often a widget that follows a stream is refreshed."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QElapsedTimer, QObject, QTimer


class Throttle(QObject):
    """Calls `show` at most once in `milliseconds`: at once if that long has passed, else when it has.

    While requests keep coming, `show` runs inside of one of them, so that its painting joins that of the same frame.
    """

    def __init__(self, milliseconds: int, show: Callable[[], object], parent: QObject) -> None:
        super().__init__(parent)
        self._milliseconds, self._show = milliseconds, show
        self._since = QElapsedTimer()
        self._delay = QTimer(self)
        self._delay.setSingleShot(True)
        self._delay.setInterval(milliseconds)
        self._delay.timeout.connect(self._run)

    def request(self) -> None:
        """Refresh now or soon, because something changed."""
        if not self._since.isValid() or self._since.elapsed() >= self._milliseconds:
            self._run()
        elif not self._delay.isActive():
            self._delay.start()

    def _run(self) -> None:
        self._delay.stop()
        self._since.start()
        self._show()
