"""What of loading a model needs no MLX, on threads of its own: checking, parsing, and bringing files into memory."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import ParamSpec, TypeVar

T = TypeVar("T")
P = ParamSpec("P")

_PIECE_BYTES = 2**22


class DiskPool:
    """Two threads for as long as a load lasts; leaving the context ends them, whatever they are at."""

    def __init__(self) -> None:
        self._executor = ThreadPoolExecutor(2, "disk")
        self._leaving = threading.Event()

    def __enter__(self) -> DiskPool:
        return self

    def __exit__(self, *_: object) -> None:
        self._leaving.set()
        self._executor.shutdown(cancel_futures=True)

    def start(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Do `work`, which must not touch MLX: what it makes belongs to the thread that made it."""
        return self._executor.submit(work, *args, **kwargs)

    def read_ahead(self, files: Iterable[Path], most: int) -> Future[None]:
        """Read at most `most` bytes of `files` for the system's page cache, so that who needs them finds them there."""
        return self.start(self._read, list(files), most)

    def _read(self, files: Iterable[Path], most: int) -> None:
        piece = bytearray(_PIECE_BYTES)
        for path in files:
            try:
                with path.open("rb", buffering=0) as file:
                    while most > 0 and not self._leaving.is_set() and (count := file.readinto(piece)):
                        most -= count
            # Whoever reads it in earnest tells what is wrong with it.
            except OSError:
                continue
