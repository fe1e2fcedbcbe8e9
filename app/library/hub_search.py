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
    """A search of the Hub.

    text: the typed words; "" for no search
    running: whether the results are still to come
    entries: the results; () while it runs, if nothing matches, and after an error
    error: why there are no results; None if there was no error
    """

    text: str = ""
    running: bool = False
    entries: tuple[Entry, ...] = ()
    error: EngineError | None = None


class HubSearch(QObject):
    """The search that the person types, and its results in `searched`. On the Qt thread.

    Emits `changed` when a search begins or ends, and `entry_changed` with a result whose details were read.
    `call(work, then=..., failed=...)` runs `work(hub_service)` off the Qt thread, and then calls `then` with its
    result or `failed` with its `EngineError` on the Qt thread.
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
        self._typing_timer = single_shot(self, self._ask, _PAUSE_MS)

    def search(self, text: str) -> None:
        """Ask the Hub once the text has not changed for a moment; "" clears the results."""
        text = text.strip()
        self._generation += 1
        self.searched = ModelSearch(text, running=bool(text))
        self.changed.emit()
        if text:
            self._typing_timer.start()
        else:
            self._typing_timer.stop()

    def judge_for(self, main_path: str) -> None:
        """Judge results as drafts for the main model in `main_path` from now on; "" for none."""
        if main_path != self._main_path:
            self._main_path = main_path
            self._read_details()

    def stop(self) -> None:
        """Forget a search that waits for typing to pause."""
        self._typing_timer.stop()

    def _ask(self) -> None:
        text = self.searched.text
        self._call(
            lambda hub: hub.search.search(text),
            then=lambda entries: self._show(ModelSearch(text, entries=entries)),
            failed=lambda error: self._show(ModelSearch(text, error=error)),
        )

    def _show(self, search: ModelSearch) -> None:
        """Show the results of a search, unless the text has changed since it was asked."""
        if self.searched.text == search.text:
            self.searched = search
            self.changed.emit()
            self._read_details()

    def _read_details(self) -> None:
        self._generation += 1
        entries = self.searched.entries
        # Only its details tell what of a repository of GGUF files can be downloaded.
        later = [entry for entry in entries[_DETAILED:] if entry.is_gguf_file]
        self._read_next(self._generation, (*entries[:_DETAILED], *later))

    def _read_next(self, generation: int, entries: tuple[Entry, ...]) -> None:
        """Read the details of the first of `entries`, then of the others, unless a newer reading has begun.

        One after the other, so that a search does not occupy every thread of the library.
        """
        if not entries or generation != self._generation:
            return
        entry = entries[0]
        only_result = len(self.searched.entries) == 1
        main_path = self._main_path

        def take(detailed: Entry) -> None:
            if generation == self._generation:
                results = [detailed if result.id == detailed.id else result for result in self.searched.entries]
                self.searched = replace(self.searched, entries=tuple(results))
                self.entry_changed.emit(detailed)
                self._read_next(generation, entries[1:])

        self._call(
            lambda hub: hub.search.read_details(entry, main_path, only_result),
            then=take,
            # A result that cannot be read stays as the search described it.
            failed=lambda _: self._read_next(generation, entries[1:]),
        )
