"""The request history of a server without a window, which opens the store for moments only.

Only one process can have the store open, and a server must not keep the window from its chats for days. So figures wait
here until no other process has it open.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING

from app.conversations.errors import StoreError
from app.conversations.opening import visit_store
from app.conversations.request_history import MOST_OF_PROGRAMS, ProgramRequest

if TYPE_CHECKING:
    # The server's libraries must not delay the window; most people never switch it on.
    from app.api.activity import Call

log = logging.getLogger(__name__)


def answers_of(call: Call) -> list[ProgramRequest]:
    """Return the answers of an ended call as rows of the history, without empty ones that did not fail."""
    ended = call.began + (call.seconds or 0.0)
    return [
        ProgramRequest(call.client, call.endpoint, ended, call.main, call.draft, call.method, reason, stats)
        for stats, reason in zip(call.stats, call.reasons, strict=True)
        if stats.generated_tokens or reason == "failed"
    ]


class ServedCalls:
    """The answers of ended calls that are not in the store at `path` yet, the newest MOST_OF_PROGRAMS of them."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._answers: deque[ProgramRequest] = deque(maxlen=MOST_OF_PROGRAMS)
        # Never held while waiting for the disk, so that `note` returns at once.
        self._lock = threading.Lock()

    @property
    def waiting(self) -> int:
        """The number of answers that are not in the store yet."""
        return len(self._answers)

    def note(self, call: Call) -> None:
        """Keep a call if it has ended. May be called from any thread."""
        if call.ended:
            with self._lock:
                self._answers.extend(answers_of(call))

    def write(self) -> None:
        """Write the waiting answers if no other process has the store. Waits for the disk; for one thread."""
        with self._lock:
            answers = list(self._answers)
        if not answers:
            return
        try:
            with visit_store(self._path) as store:
                store.history.add(answers)
        except (StoreError, OSError, sqlite3.Error, UnicodeDecodeError) as error:
            log.info("%d answers are not in the request history yet: %s", len(answers), error)
            return
        with self._lock:
            # Calls that ended meanwhile may have pushed some of the written ones out.
            for answer in answers:
                if self._answers and self._answers[0] is answer:
                    self._answers.popleft()
