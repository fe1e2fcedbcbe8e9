"""Whether there is memory for one more text beside those that are under way."""

from __future__ import annotations

from collections.abc import Iterable

from engine.active import Active
from engine.errors import NotEnoughMemory
from engine.generation import Generation, release_unused_memory
from engine.models import Models
from engine.prefix_cache import PrefixCache


class MemoryAdmission:
    """The memory that texts share. An answer is taken to grow by as many tokens as the settings' `context` at most."""

    def __init__(self, models: Models, prefix_cache: PrefixCache) -> None:
        self._models = models
        self._prefix_cache = prefix_cache

    def needed(self, generation: Generation) -> int:
        """Bytes that the caches of both models will take for this text."""
        return self._models.text_bytes(self._most_tokens(generation))

    def make(self, generation: Generation, others: Iterable[Active]) -> None:
        """Drop finished turns where that makes the text fit; raise `NotEnoughMemory` where nothing does."""
        tokens = self._most_tokens(generation)
        promised = sum(other.needs - self._held_bytes(other) for other in others)
        try:
            self._models.check_text(tokens, self._models.use().free - promised)
        except NotEnoughMemory as error:
            if error.missing > self._prefix_cache.bytes:
                raise
            self._prefix_cache.shrink(max(0, self._prefix_cache.bytes - error.missing))
            release_unused_memory()
            self._models.check_text(tokens, self._models.use().free - promised)

    def _held_bytes(self, active: Active) -> int:
        """What of the memory that a request needs it has already taken."""
        sequence = active.generation.conversation.main
        read = len(sequence.tokens) if active.batched else sequence.position
        return min(active.needs, self._models.text_bytes(read))

    def _most_tokens(self, generation: Generation) -> int:
        read = len(generation.conversation.main.tokens)
        return min(generation.most_tokens, read + self._models.settings.context)
