"""How often something that follows a stream is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QElapsedTimer, QObject, QTimer

if TYPE_CHECKING:
    from collections.abc import Callable


class Throttle(QObject):
    """Calls `show` once in `milliseconds` at most, at once where that long has passed, and never loses the last wish.

    Where wishes keep coming it is one of them that is granted, so that what is shown is painted with what it came with.
    """

    def __init__(self, milliseconds: int, show: Callable[[], object], parent: QObject) -> None:
        super().__init__(parent)
        self._milliseconds, self._show = milliseconds, show
        self._since = QElapsedTimer()
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(milliseconds)
        self._rest.timeout.connect(self._act)

    def ask(self) -> None:
        """There is something new to show."""
        if not self._since.isValid() or self._since.elapsed() >= self._milliseconds:
            self._act()
        elif not self._rest.isActive():
            self._rest.start()

    def _act(self) -> None:
        self._rest.stop()
        self._since.start()
        self._show()
