"""Decides whether there is memory for one more request beside those that are being served."""

from __future__ import annotations

from collections.abc import Iterable

from engine.decoders.generation import Generation, release_unused_memory
from engine.errors import NotEnoughMemory
from engine.prefix.cache import PrefixCache
from engine.serving.active_request import ActiveRequest
from engine.serving.models import Models


class MemoryAdmission:
    """Admits requests while their caches fit. An answer is assumed to grow by at most the `context` of the settings."""

    def __init__(self, models: Models, prefix_cache: PrefixCache) -> None:
        self._models = models
        self._prefix_cache = prefix_cache

    def needed_bytes(self, generation: Generation) -> int:
        """Return the bytes that the caches of both models will take for this request."""
        return self._models.cache_bytes(self._longest(generation))

    def admit(self, generation: Generation, others: Iterable[ActiveRequest]) -> None:
        """Make room for the request, by dropping finished turns if that helps. Raises `NotEnoughMemory`."""
        tokens = self._longest(generation)
        promised = sum(other.needed_bytes - self._held_bytes(other) for other in others)
        try:
            self._models.check_request(tokens, self._models.memory_use().free - promised)
        except NotEnoughMemory as error:
            if error.missing > self._prefix_cache.bytes:
                raise
            self._prefix_cache.shrink(max(0, self._prefix_cache.bytes - error.missing))
            release_unused_memory()
            self._models.check_request(tokens, self._models.memory_use().free - promised)

    def _held_bytes(self, active: ActiveRequest) -> int:
        """Return how many of the bytes that a request needs it has already taken."""
        sequence = active.generation.conversation.main
        cached = len(sequence.tokens) if active.batched else sequence.position
        return min(active.needed_bytes, self._models.cache_bytes(cached))

    def _longest(self, generation: Generation) -> int:
        prompt = len(generation.conversation.main.tokens)
        return min(generation.max_length, prompt + self._models.settings.context)
