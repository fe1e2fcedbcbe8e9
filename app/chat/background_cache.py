"""A cache of values that another thread computes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

from PySide6.QtCore import QObject, Signal

from app.system.background import Background

Key = TypeVar("Key")
Value = TypeVar("Value")


class BackgroundCache(QObject, Generic[Key, Value]):
    """Up to `size` values of `compute`, the latest ones. It is used on the Qt thread; `compute` runs on another one.

    `ready` is emitted once after every `batch` requested values, and when none is pending any more.
    """

    ready = Signal()

    def __init__(self, name: str, compute: Callable[[Key], Value], size: int, batch: int = 1) -> None:
        super().__init__()
        self._compute, self._size, self._batch = compute, size, batch
        self.known: OrderedDict[Key, Value] = OrderedDict()
        self._pending: set[Key] = set()
        self._background = Background(name, parent=self)

    def has(self, key: Key) -> bool:
        """Whether the value is known. If not, compute it and emit `ready` later."""
        if key in self.known:
            self.known.move_to_end(key)
            return True
        if key not in self._pending:
            self._pending.add(key)
            self._background.run(lambda: self._compute(key), lambda value: self._add(key, value))
        return False

    def _add(self, key: Key, value: Value) -> None:
        self._pending.discard(key)
        self.known[key] = value
        if len(self.known) > self._size:
            self.known.popitem(last=False)
        if len(self._pending) % self._batch == 0:
            self.ready.emit()
