"""The end of what a server writes to its standard error, read on an event loop."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable

# What a person reads to find out why a server does not work.
KEPT_BYTES = 16 * 1024


class StderrTail:
    """A pipe whose write end is `file`. `on_end` is called when every process has closed it."""

    def __init__(self, on_end: Callable[[], object]) -> None:
        self._reader, writer = os.pipe()
        os.set_blocking(self._reader, False)
        self.file = os.fdopen(writer, "w")
        self._on_end = on_end
        self._kept = b""
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._reader, self._read)

    @property
    def text(self) -> str:
        return self._kept.decode("utf-8", "replace").strip()

    def close(self) -> None:
        """Read what is left, and close the pipe."""
        self.file.close()
        self._loop.remove_reader(self._reader)
        while self._take():
            pass
        os.close(self._reader)

    def _read(self) -> None:
        if not self._take():
            self._loop.remove_reader(self._reader)
            self._on_end()

    def _take(self) -> bool:
        """Read a part; False at the end, and when there is none left for now."""
        try:
            part = os.read(self._reader, 2**16)
        except BlockingIOError:
            return False
        self._kept = (self._kept + part)[-KEPT_BYTES:]
        return bool(part)
