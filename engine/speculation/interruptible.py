"""Prompts that can be cancelled in the middle of a long pass: it is evaluated a few layers at a time.

A pass that is interrupted is undone, so that nothing of it is left to be evaluated later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import mlx.core as mx

from engine.speculation.cache_rules import copies, flatten, leaves
from engine.speculation.sequence import Sequence
from engine.speculation.shared_caches import SharedCaches


class Interrupted(Exception):
    """The pass was given up between two of its parts."""


class _Parts:
    """The layers' caches in `count` parts. Before each part but the last is done, `stopped` is asked."""

    def __init__(self, caches: Iterable[Any], count: int, stopped: Callable[[], bool]) -> None:
        self._caches = [*flatten(caches)]
        # Only handles: a layer's are dropped before it is evaluated, so that its arrays are written in place.
        self._before = copies(self._caches)
        self._count, self._stopped = count, stopped
        self._evaluated = 0

    def evaluate(self) -> None:
        """Evaluate all parts but the last, whose arrays the caller evaluates with all else. Raises `Interrupted`."""
        for number in range(1, self._count):
            until = number * len(self._caches) // self._count
            arrays = [*leaves([vars(cache) for cache in self._caches[self._evaluated : until]])]
            del self._before[: until - self._evaluated]
            self._evaluated = until
            mx.eval(arrays)
            if self._stopped():
                raise Interrupted
        self._before.clear()

    def undo(self) -> None:
        """Give the layers that were not evaluated the arrays of before; the transaction has been aborted."""
        for cache, before in zip(self._caches[self._evaluated :], self._before, strict=True):
            vars(cache).update(vars(before))


def prefill_in_parts(sequence: Sequence, most: int, parts: int, stopped: Callable[[], bool]) -> int:
    """`sequence.prefill(most)`, in whose middle `stopped` is asked so that its pass falls into `parts` of equal length.

    Raises `Interrupted`, with the sequence as before, once `stopped()` is true. Shared caches, whose passes run on
    other machines too, and those that cannot be rolled back are prefilled at once.
    """
    if parts < 2 or sequence.plain_only is not None or isinstance(sequence.caches, SharedCaches):
        return sequence.prefill(most)
    pass_ = _Parts(sequence.caches, parts, stopped)
    try:
        return sequence.prefill(most, pass_.evaluate)
    except Interrupted:
        pass_.undo()
        raise
