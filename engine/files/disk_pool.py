"""Threads for the parts of loading a model that do not use MLX: checking, parsing, reading files ahead."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

_CHUNK_BYTES = 2**22


class DiskPool(ThreadPoolExecutor):
    """Three threads for the time of one load; leaving the context sets `leaving`, stops reading ahead and joins them.

    Their functions must not use MLX: arrays belong to the thread that made them.
    """

    start = ThreadPoolExecutor.submit

    def __init__(self) -> None:
        super().__init__(3, "disk")
        self.leaving = threading.Event()

    def __exit__(self, *_: object) -> None:
        self.leaving.set()
        self.shutdown(cancel_futures=True)

    def read_ahead(self, files: Iterable[Path], max_bytes: int) -> Future[None]:
        """Read at most `max_bytes` of `files` into the system's page cache, where MLX will find them."""
        return self.start(self._read, list(files), max_bytes)

    def _read(self, files: Iterable[Path], left: int) -> None:
        chunk = bytearray(_CHUNK_BYTES)
        for path in files:
            try:
                with path.open("rb", buffering=0) as file:
                    while left > 0 and not self.leaving.is_set() and (count := file.readinto(chunk)):
                        left -= count
            # Loading the weights reports the error.
            except OSError:
                continue
