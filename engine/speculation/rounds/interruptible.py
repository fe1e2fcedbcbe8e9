"""A pass over a prompt that is evaluated a few layers at a time, so that other work can run in between.

It can be cancelled halfway: it is undone then, and no part of it is left to be evaluated later.
"""

from __future__ import annotations

import mlx.core as mx

from engine.speculation.caches.cache_rules import copies, flatten, leaves
from engine.speculation.caches.shared_caches import SharedCaches
from engine.speculation.rounds.sequence import CachedSequence


class PrefillPass:
    """A `sequence.prefill(most)` that has begun: call `evaluate` until it returns True, or `undo`.

    Do not use the sequence meanwhile. `rows` is how many tokens it feeds. `layers` is the number of caches that can be
    evaluated one after the other; 0 if the pass cannot be evaluated layer by layer.
    """

    def __init__(self, sequence: CachedSequence, most: int) -> None:
        self._sequence = sequence
        self._caches = [*flatten(sequence.caches)] if in_parts(sequence) else []
        # Handles only. Those of a layer are dropped before it is evaluated, so that its arrays are written in place.
        self._before = copies(self._caches)
        self.layers = len(self._caches)
        self._evaluated = 0
        self.rows = sequence.begin_prefill(most)

    def evaluate(self, until: int) -> bool:
        """Evaluate the caches of the layers before `until`, or all; returns whether the pass is over.

        If it raises, the sequence is as before.
        """
        if until < self.layers:
            arrays = [*leaves([vars(cache) for cache in self._caches[self._evaluated : until]])]
            del self._before[: until - self._evaluated]
            self._evaluated = until
            try:
                mx.eval(arrays)
            except BaseException:
                self.undo()
                raise
            return False
        self._before.clear()
        if self.rows:
            self._sequence.end_prefill(self.rows)
        return True

    def undo(self) -> None:
        """Cancel the pass, and restore the sequence."""
        self._sequence.abort()
        # The layers that were not evaluated still have its graph.
        for cache, before in zip(self._caches[self._evaluated :], self._before, strict=True):
            vars(cache).update(vars(before))


def in_parts(sequence: CachedSequence) -> bool:
    """Whether its passes can be evaluated in parts.

    They cannot with shared caches, whose passes run on other machines too, or if a pass cannot be rolled back.
    """
    return sequence.plain_only is None and not isinstance(sequence.caches, SharedCaches)
