"""The record: the latest log records of this run, in memory, for a person who looks for the cause of a problem.

No Qt in here.
"""

from __future__ import annotations

import logging
from collections import deque

MOST_LINES = 2000
_LOGGERS = ("app", "engine")
_FORM = logging.Formatter("%(asctime)s  %(levelname)-7s  %(name)s  %(message)s")


class Record(logging.Handler):
    """Keeps the last MOST_LINES records of our own code, as text. Safe from any thread."""

    def __init__(self) -> None:
        super().__init__()
        self._lines: deque[str] = deque(maxlen=MOST_LINES)
        self.setFormatter(_FORM)
        self._started = False
        self._taken_in = logging.WARNING

    def emit(self, record: logging.LogRecord) -> None:
        self._lines.append(self.format(record))

    @property
    def text(self) -> str:
        return "\n".join(tuple(self._lines))

    def set_level(self, name: str) -> None:
        """Take in "warning", "info" or "debug" and what is graver. Other handlers go on at their own level."""
        self._taken_in = logging.getLevelNamesMapping()[name.upper()]
        if self._started:
            for logger in _LOGGERS:
                logging.getLogger(logger).setLevel(self._taken_in)

    def start(self) -> None:
        """Listen from now on."""
        self._started = True
        # Handlers of the root logger have relied on its level, which ours now undercut.
        root = logging.getLogger()
        for handler in root.handlers:
            handler.setLevel(max(handler.level, root.level))
        for logger in _LOGGERS:
            logging.getLogger(logger).addHandler(self)
            logging.getLogger(logger).setLevel(self._taken_in)

    def stop(self) -> None:
        self._started = False
        for logger in _LOGGERS:
            logging.getLogger(logger).removeHandler(self)
            logging.getLogger(logger).setLevel(logging.NOTSET)


# One record a process, like the loggers that it listens to.
LOG_BUFFER = Record()
