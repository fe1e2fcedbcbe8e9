"""The search for models: asked once the text stands still, then what was found is read more closely, one by one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal

if TYPE_CHECKING:
    from app.library.entries import Entry
    from engine.errors import EngineError

_PAUSE_MS = 350
# How many of the models that a search finds are read more closely: three small requests each.
_CLOSER_LOOKS = 10


@dataclass(frozen=True)
class Search:
    """What was searched for and what came of it; `error` is why nothing came."""

    text: str = ""
    running: bool = False
    found: tuple[Entry, ...] = ()
    error: EngineError | None = None


class Finder(QObject):
    """`changed` follows a search at once and at its end; `entry_changed` carries an entry of which more is known now.

    `call(work, then, failed)` does `work` with the hub on a pool's thread.
    """

    changed = Signal()
    entry_changed = Signal(object)

    def __init__(self, call: Callable[..., None], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.searched = Search()
        self._call = call
        self._judged_for = ""
        # Only the newest round of closer looks goes on.
        self._round = 0
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(_PAUSE_MS)
        self._pause.timeout.connect(self._ask)

    def search(self, text: str) -> None:
        """Ask the Hub once the text has stood still for a moment."""
        text = text.strip()
        self._round += 1
        self.searched = Search(text, running=bool(text))
        self.changed.emit()
        if text:
            self._pause.start()
        else:
            self._pause.stop()

    def judge_for(self, path: str) -> None:
        """From now on what is found is judged as a draft for the main model in `path`, "" for none."""
        if path != self._judged_for:
            self._judged_for = path
            self._look_closer()

    def stop(self) -> None:
        self._pause.stop()

    def _ask(self) -> None:
        text = self.searched.text

        def take(found: tuple[Entry, ...]) -> None:
            if self.searched.text == text:
                self.searched = Search(text, found=found)
                self.changed.emit()
                self._look_closer()

        def fail(error: EngineError) -> None:
            if self.searched.text == text:
                self.searched = Search(text, error=error)
                self.changed.emit()

        self._call(lambda hub: hub.search(text), then=take, failed=fail)

    def _look_closer(self) -> None:
        self._round += 1
        self._look_on(self._round, self.searched.found[:_CLOSER_LOOKS])

    def _look_on(self, number: int, entries: tuple[Entry, ...]) -> None:
        """One after the other: a search must not keep the pool from all else."""
        if not entries or number != self._round:
            return
        entry, alone, main = entries[0], len(self.searched.found) == 1, self._judged_for

        def take(closer: Entry | None) -> None:
            if number != self._round:
                return
            if closer is not None:
                found = tuple(closer if one.id == closer.id else one for one in self.searched.found)
                self.searched = replace(self.searched, found=found)
                self.entry_changed.emit(closer)
            self._look_on(number, entries[1:])

        def look(hub: Any) -> Entry | None:
            closer: Entry | None = hub.look_closer(entry, main, alone)
            return closer

        # What cannot be read stays as the search described it.
        self._call(look, then=take, failed=lambda _: take(None))
