"""Work that takes some milliseconds of Python each and must not stand between two frames."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable

log = logging.getLogger(__name__)


class SerialWorker:
    """Runs jobs in their order, on a thread that is there only while there are any."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._jobs: deque[Callable[[], object]] = deque()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def do(self, job: Callable[[], object]) -> None:
        """Run a job soon; returns at once."""
        with self._lock:
            self._jobs.append(job)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
                self._thread.start()

    def _run(self) -> None:
        while True:
            with self._lock:
                if not self._jobs:
                    self._thread = None
                    return
                job = self._jobs.popleft()
            try:
                job()
            except Exception:
                log.exception("a job of %s failed", self._name)
