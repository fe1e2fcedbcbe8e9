"""Begins requests for whose caches there is memory beside those that are being served."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from engine.client import RequestStream
from engine.decoders.generation import Generation, release_unused_memory
from engine.errors import NotEnoughMemory, is_device_failure
from engine.events import Failed
from engine.prefix.cache import PrefixCache
from engine.serving.active_request import ActiveRequest, as_engine_error, cleaned_up
from engine.serving.models import Models
from engine.serving.waiting import Waiting


class Admission:
    """Begins waiting requests. An answer is assumed to grow by at most the `context` of the settings."""

    def __init__(self, models: Models, prefix_cache: PrefixCache) -> None:
        self._models = models
        self._prefix_cache = prefix_cache

    def begin(self, stream: RequestStream, waiting: Waiting, others: Sequence[ActiveRequest]) -> ActiveRequest | None:
        """Begin a request, whose parts `waiting` has; return None if it has failed.

        Raises `NotEnoughMemory` if it has to wait for `others`, and a failure of the device. Then it keeps its place.
        """
        active = None
        try:
            active = self._make(stream, waiting)
            if not (stream.request.allow_oversize or self._models.settings.allow_oversize):
                self._make_room(active.generation, others)
        except Exception as error:
            if is_device_failure(error):
                raise
            if active is not None:
                cleaned_up(active.generation.release)
            if isinstance(error, NotEnoughMemory) and others:
                raise
            stream.deliver(Failed(as_engine_error(error), ""))
            return None
        self._models.drafting.follow(stream.speculation, active.generation.conversation)
        return active

    def _make(self, stream: RequestStream, waiting: Waiting) -> ActiveRequest:
        request, main = waiting.request_of(stream), self._models.main
        made, grammar = waiting.result(stream)
        generation = Generation(request, main, self._prefix_cache, stream.submitted, made, grammar)
        generation.log.figures = replace(generation.log.figures, slowed=self._models.note_pace())
        return ActiveRequest(stream, generation, needed_bytes=self._models.cache_bytes(self._longest(generation)))

    def _make_room(self, generation: Generation, others: Sequence[ActiveRequest]) -> None:
        """Drop finished turns if the request fits then. Raises `NotEnoughMemory`."""
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
