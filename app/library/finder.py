"""Searches the Hub once typing pauses, then reads the details of the results one after the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.widgets.throttle import single_shot

if TYPE_CHECKING:
    # Imported off the Qt thread: huggingface_hub would delay the first frame.
    from app.library.entries import Entry
    from engine.errors import EngineError


_PAUSE_MS = 350
# How many results have their details read, with three small requests each.
_DETAILED = 10


@dataclass(frozen=True)
class ModelSearch:
    """A search and its results; `error` is why there are none."""

    text: str = ""
    running: bool = False
    found: tuple[Entry, ...] = ()
    error: EngineError | None = None


class Finder(QObject):
    """Emits `changed` when a search begins or ends, and `entry_changed` with a result whose details were read.

    `call(work, then, failed)` runs `work` with the hub service off the Qt thread, and passes the outcome on, on it.
    """

    changed = Signal()
    entry_changed = Signal(object)

    def __init__(self, call: Callable[..., None], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.searched = ModelSearch()
        self._call = call
        self._main_path = ""
        # Details are read for the newest search and main model only; increasing this stops older readings.
        self._generation = 0
        self._pause = single_shot(self, self._ask, _PAUSE_MS)

    def search(self, text: str) -> None:
        """Ask the Hub once the text has not changed for a moment; "" clears the results."""
        text = text.strip()
        self._generation += 1
        self.searched = ModelSearch(text, running=bool(text))
        self.changed.emit()
        if text:
            self._pause.start()
        else:
            self._pause.stop()

    def judge_for(self, main_path: str) -> None:
        """Judge results as drafts for the main model in `main_path` from now on; "" for none."""
        if main_path != self._main_path:
            self._main_path = main_path
            self._read_details()

    def stop(self) -> None:
        self._pause.stop()

    def _ask(self) -> None:
        text = self.searched.text
        self._call(
            lambda hub: hub.search(text),
            then=lambda found: self._show(ModelSearch(text, found=found)),
            failed=lambda error: self._show(ModelSearch(text, error=error)),
        )

    def _show(self, search: ModelSearch) -> None:
        if self.searched.text == search.text:
            self.searched = search
            self.changed.emit()
            self._read_details()

    def _read_details(self) -> None:
        self._generation += 1
        found = enumerate(self.searched.found)
        # Only its details tell what of a repository of GGUF files can be downloaded.
        self._read_next(self._generation, tuple(one for n, one in found if n < _DETAILED or one.is_gguf_file))

    def _read_next(self, generation: int, entries: tuple[Entry, ...]) -> None:
        """One request at a time, so that a search does not occupy every thread of the library."""
        if not entries or generation != self._generation:
            return
        entry = entries[0]
        only_result = len(self.searched.found) == 1
        main_path = self._main_path

        def take(detailed: Entry) -> None:
            if generation == self._generation:
                found = tuple(detailed if one.id == detailed.id else one for one in self.searched.found)
                self.searched = replace(self.searched, found=found)
                self.entry_changed.emit(detailed)
                self._read_next(generation, entries[1:])

        self._call(
            lambda hub: hub.read_details(entry, main_path, only_result),
            then=take,
            # A result that cannot be read stays as the search described it.
            failed=lambda _: self._read_next(generation, entries[1:]),
        )
