"""Device errors that arrive late, as Metal's do: passes under way have written garbage when one is read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import mlx.core as mx
import pytest

from engine.decoders.ragged_decoder import RaggedDecoder
from engine.serving.scheduler import Scheduler
from engine.speculation.rounds.cache_rules import flatten, leaves

SENTENCE = "[METAL] Command buffer execution failed: Insufficient Memory (00000008:kIOGPUCommandBufferCallbackErrorOOM)"
GARBAGE = {mx.uint32: 2**32 - 1, mx.int32: 0}


class LateError:
    """Lets evaluation number `at`, counted from 1, fill the caches of active requests with garbage and raise."""

    def __init__(self, scheduler: Scheduler, at: int | None) -> None:
        self.evaluations = 0
        self._scheduler, self._at = scheduler, at

    def count(self) -> None:
        self.evaluations += 1
        if self.evaluations == self._at:
            for array in _under_way(self._scheduler):
                array[:] = GARBAGE.get(array.dtype, float("nan"))
            raise RuntimeError(SENTENCE)


@contextmanager
def late_error(scheduler: Scheduler, at: int | None = None) -> Iterator[LateError]:
    """Let the evaluation number `at` of the body fail; None only counts them."""
    error = LateError(scheduler, at)
    with pytest.MonkeyPatch.context() as patched:
        for owner, name in ((mx, "eval"), (mx.array, "tolist"), (mx.array, "item")):
            evaluate = getattr(owner, name)

            def counted(*arguments: Any, evaluate: Any = evaluate) -> Any:
                error.count()
                return evaluate(*arguments)

            patched.setattr(owner, name, counted)
        yield error


def _under_way(scheduler: Scheduler) -> Iterator[mx.array]:
    """Generate the arrays that passes write for active requests, without those of the prefix cache."""
    for active in (*scheduler._decoding, *scheduler._prefilling):
        conversation = active.generation.conversation
        for sequence in (conversation.main, conversation.draft):
            for cache in flatten(sequence.caches if sequence is not None else ()):
                yield from leaves(vars(cache))
        if conversation.head is not None:
            yield from conversation.head.arrays()
    batch = scheduler._decoding._batch
    if isinstance(batch, RaggedDecoder) and batch._batch is not None:
        # The other arrays are the rows' lengths, which the host computes.
        yield from (array for array in batch._batch.arrays() if array.dtype == mx.float32)
