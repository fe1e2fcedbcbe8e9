"""The progress of loading a model as one share, where a GGUF file is converted before its weights are read."""

from __future__ import annotations

from collections.abc import Callable

# Bytes of weights loaded and in total, and whether a GGUF file is being converted.
Report = Callable[[int, int, bool], object]
# Reading a byte takes about this much less time than converting one.
_FASTER = 10


class LoadProgress:
    """Adds up the passes of a load: what is converted counts by its bytes, what is read after it by a tenth of them."""

    def __init__(self, report: Report = lambda _loaded, _total, _converting: None) -> None:
        self._on_progress = report
        # The bytes that were converted for the present load.
        self._converted = 0

    def begin(self) -> None:
        """Begin a load, of which nothing is known yet."""
        self._converted = 0
        self._on_progress(0, 0, False)

    def convert(self, done: int, total: int) -> None:
        """Report the bytes of the weights that were converted, and the bytes of all weights."""
        self._converted = done
        self._on_progress(done, total + total // _FASTER, True)

    def read(self, loaded: int, total: int) -> None:
        """Report the bytes of the weights that were read, and the bytes of all weights."""
        if self._converted:
            share = loaded / max(total, 1)
            reading = self._converted // _FASTER
            self._on_progress(self._converted + int(reading * share), self._converted + reading, True)
        else:
            self._on_progress(loaded, total, False)
