"""Device errors that arrive late, as Metal's do: passes under way have written garbage when one of them is read.

An error can even arrive one evaluation after the one that waited for the pass (mlx#4174).
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary

import mlx.core as mx
import pytest

from engine.decoders.batch_decoder import BatchDecoder
from engine.prefix.cache import PrefixCache
from engine.serving.scheduler import Scheduler
from engine.speculation.caches.cache_rules import flatten, leaves
from engine.speculation.conversation import CachedConversation

SENTENCE = "[METAL] Command buffer execution failed: Insufficient Memory (00000008:kIOGPUCommandBufferCallbackErrorOOM)"
NUMBERS = (mx.bfloat16, mx.float32)
# What a pass that failed may have left in an array: no numbers, or those of the memory's former use.
GARBAGE = (
    {mx.uint32: 2**32 - 1, mx.int32: 0, **dict.fromkeys(NUMBERS, float("nan"))},
    {mx.uint32: 12345678, mx.int32: 1, **dict.fromkeys(NUMBERS, 3.0)},
)


class LateError:
    """Lets evaluation number `at`, counted from 1, fill all caches not known to be written with garbage and raise."""

    def __init__(self, scheduler: Scheduler, at: int | None) -> None:
        self.evaluations = 0
        self._scheduler, self._at = scheduler, at
        self._thread = threading.get_ident()
        # The evaluations before the one that waited for all of a conversation's arrays; None while a request uses it.
        self._waited: WeakKeyDictionary[CachedConversation, int | None] = WeakKeyDictionary()
        for active in scheduler._all_active:
            self.takes(active.generation.conversation)

    @property
    def raised(self) -> bool:
        return self._at is not None and self.evaluations >= self._at

    def count(self) -> None:
        if threading.get_ident() != self._thread:
            return
        self.evaluations += 1
        if self.evaluations == self._at:
            garbage = GARBAGE[self._at % len(GARBAGE)]
            for array in self._under_way():
                array[:] = garbage[array.dtype]
            raise RuntimeError(SENTENCE)

    def takes(self, conversation: CachedConversation) -> None:
        self._waited[conversation] = None

    def waits(self, conversation: CachedConversation) -> None:
        if conversation in self._waited:
            self._waited[conversation] = self.evaluations

    def _under_way(self) -> Iterator[mx.array]:
        """Generate the arrays of conversations that were not waited for two evaluations ago, and those of the batch."""
        for conversation, waited in self._waited.items():
            if waited is not None and waited + 2 < self.evaluations:
                continue
            for sequence in (conversation.main, conversation.draft):
                for cache in flatten(sequence.caches if sequence is not None else ()):
                    yield from leaves(vars(cache))
            if conversation.head is not None:
                yield from conversation.head.arrays()
        batch = self._scheduler._decoding._batch
        if isinstance(batch, BatchDecoder) and batch._batch is not None:
            # The other arrays are the rows' lengths, which the host computes.
            yield from (array for array in batch._batch.arrays() if array.dtype in NUMBERS)


@contextmanager
def late_error(scheduler: Scheduler, at: int | None = None) -> Iterator[LateError]:
    """Let the evaluation number `at` of the body fail; None only counts them."""
    error = LateError(scheduler, at)
    with pytest.MonkeyPatch.context() as patched:
        for owner, name in ((mx, "eval"), (mx, "async_eval"), (mx.array, "tolist"), (mx.array, "item")):
            evaluate = getattr(owner, name)

            def counted(*arguments: Any, evaluate: Any = evaluate) -> Any:
                # Other ranks wait for passes that are not evaluated.
                value = evaluate(*arguments)
                error.count()
                return value

            patched.setattr(owner, name, counted)
        take, arrays = PrefixCache.take, CachedConversation.arrays

        def taken(*arguments: Any, **options: Any) -> CachedConversation:
            conversation = take(*arguments, **options)
            error.takes(conversation)
            return conversation

        def waiting(conversation: CachedConversation) -> list[mx.array]:
            error.waits(conversation)
            return arrays(conversation)

        patched.setattr(PrefixCache, "take", taken)
        patched.setattr(CachedConversation, "arrays", waiting)
        yield error
