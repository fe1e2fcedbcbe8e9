"""Keeps the latest log records of this run in memory, to show and to export. This module does not use Qt."""

from __future__ import annotations

import logging
from collections import deque

MOST_LINES = 2000
_LOGGERS = ("app", "engine", "transformers")
_FORMAT = logging.Formatter("%(asctime)s  %(levelname)-7s  %(name)s  %(message)s")


class LogBuffer(logging.Handler):
    """Keeps the last MOST_LINES records of `app`, `engine` and transformers as text. Safe from any thread."""

    def __init__(self) -> None:
        super().__init__()
        self._lines: deque[str] = deque(maxlen=MOST_LINES)
        self.setFormatter(_FORMAT)

    def emit(self, record: logging.LogRecord) -> None:
        self._lines.append(self.format(record))

    @property
    def text(self) -> str:
        return "\n".join(tuple(self._lines))

    def start(self) -> None:
        """Keep records from now on."""
        # Our loggers now pass records below the root logger's level to its handlers, so give them that level.
        root = logging.getLogger()
        for handler in root.handlers:
            handler.setLevel(max(handler.level, root.level))
        for logger in _LOGGERS:
            logging.getLogger(logger).addHandler(self)
            logging.getLogger(logger).setLevel(logging.INFO)

    def stop(self) -> None:
        for logger in _LOGGERS:
            logging.getLogger(logger).removeHandler(self)
            logging.getLogger(logger).setLevel(logging.NOTSET)


# One for each process, like the loggers that it is attached to.
LOG_BUFFER = LogBuffer()
