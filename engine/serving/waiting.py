"""The requests that wait until they can begin: for their turn, their parts, and memory for their caches.

Other threads make the parts of those at the head of the queue: the prompt, if the tokenizer is a stranger's, with its
pictures, and the grammar of a request that has one. Meanwhile those behind a request may begin.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from msgspec import structs

from engine.client import RequestStream
from engine.decoders.generation import Generation, release_unused_memory
from engine.decoders.prepared import prepare, prompt_job
from engine.errors import EngineError, NoModel, NotEnoughMemory, as_engine_error, is_device_failure
from engine.events import Failed, Finished
from engine.files.steps import WAIT_S
from engine.grammars.constraint import CompiledGrammar
from engine.pictures.reading import PictureFiles
from engine.prefix.cache import PrefixCache
from engine.requests import ChatRequest
from engine.serving.active_request import ActiveRequest, cleaned_up
from engine.stats import RequestStats
from engine.tokenizers.prompt_process import PROMPT_PROCESS, PromptCall
from engine.upkeep.models import Models


@dataclass(frozen=True, slots=True)
class _RequestParts:
    """A request's prompt (None for a model known to be good), its grammar if it has one, and its pictures."""

    prompt: PromptCall | None
    grammar: Future[CompiledGrammar] | None
    files: PictureFiles

    @property
    def pending(self) -> list[Future[Any]]:
        return [part for part in (self.prompt, self.grammar) if part is not None and not part.done()]


class Waiting(deque[RequestStream]):
    """The requests in the order of their submission.

    Belongs to the engine's thread. An answer is assumed to grow by at most the `context` of the settings.
    `unload_least_used` unloads a main model that is not in use, and returns False if there is none.
    """

    def __init__(self, models: Models, prefix_cache: PrefixCache, unload_least_used: Callable[[], bool]) -> None:
        super().__init__()
        self._models, self._prefix_cache = models, prefix_cache
        self._unload_least_used = unload_least_used
        self._parts: dict[RequestStream, _RequestParts] = {}

    @property
    def first(self) -> RequestStream | None:
        """The oldest request whose parts are not being made, None if there is none."""
        return next((stream for stream in self if not self._being_made(stream)), None)

    def _being_made(self, stream: RequestStream) -> bool:
        return stream in self._parts and bool(self._parts[stream].pending)

    def prepare(self, most: int) -> None:
        """Start making the parts of requests until `most` are ready, so that their prompts can share a prefill pass."""
        for stream in self:
            if self._being_made(stream):
                continue
            if most <= 0 or not self._models.serves(stream.request):
                return
            most -= self.ready(stream)

    def ready(self, stream: RequestStream) -> bool:
        """Whether the parts of a request are made, or have failed; the first call starts making them.

        The request has to be for the main model in use.
        """
        if stream not in self._parts:
            request = self._request_of(stream)
            main = self._models.main
            source = main.prompt_source
            grammar = request.grammar
            files = PictureFiles(request.pictures)
            job = partial(prompt_job, request, main, files)
            # A grammar in text is compiled only when the first call in the answer begins.
            self._parts[stream] = _RequestParts(
                None if source is None else PROMPT_PROCESS.start_prompt(source, job),
                None if grammar is None or grammar.in_text else main.grammars.start(grammar),
                files,
            )
        return not self._parts[stream].pending

    def begin(self, stream: RequestStream, others: Sequence[ActiveRequest]) -> ActiveRequest | None:
        """Begin a request, which is ready, while `others` are served; return None if it has failed.

        Raises `NotEnoughMemory` if it has to wait for `others`, and a failure of the device. Then it keeps its place.
        """
        active = None
        try:
            active = self._make(stream)
            if not self._models.settings.allow_oversize:
                self._make_room(active.generation, others)
            if not stream.request.embedding:
                generation = active.generation
                self._models.drafting.attach(stream.speculation, generation.conversation, generation.remaining)
                generation.recount_cached()
        except Exception as error:
            if is_device_failure(error):
                raise
            if active is not None:
                cleaned_up(active.generation.release)
            if isinstance(error, NotEnoughMemory) and others:
                raise
            stream.deliver(Failed(as_engine_error(error), ""))
            active = None
        self.remove(stream)
        self._drop(stream)
        return active

    def _make(self, stream: RequestStream) -> ActiveRequest:
        """Make the answer of a request. Raises `NoModel`, `TemplateFailed`, `PromptTooLong` and `GrammarNotUsable`."""
        if not self._models.serves(stream.request):
            raise NoModel
        request = self._request_of(stream)
        main = self._models.main
        parts = self._parts[stream]
        prompt = None if parts.prompt is None else parts.prompt.result()
        grammar = None if parts.grammar is None else parts.grammar.result()
        prepared = prepare(request, main, prompt, grammar, parts.files)
        generation = Generation(prepared, self._prefix_cache, stream.submitted)
        generation.log.figures = structs.replace(generation.log.figures, slowed=self._models.note_pace())
        needed = self._models.memory.cache_bytes(self._longest(generation))
        return ActiveRequest(stream, generation, needed_bytes=needed)

    def _make_room(self, generation: Generation, others: Sequence[ActiveRequest]) -> None:
        """Drop finished turns, then models that are not in use, if the request fits then. Raises `NotEnoughMemory`."""
        tokens = self._longest(generation)
        promised = sum(other.needed_bytes - self._held_bytes(other) for other in others)
        if generation.conversation.main.pictures_ahead and self._models.main.vision is not None:
            promised += self._models.main.vision.bytes_to_load
        try:
            self._models.memory.check_request(tokens, self._models.memory.use().free - promised)
        except NotEnoughMemory as error:
            if error.missing <= self._prefix_cache.bytes:
                self._prefix_cache.shrink(self._prefix_cache.bytes - error.missing)
                release_unused_memory()
            elif not self._unload_least_used():
                raise
            self._make_room(generation, others)

    def _held_bytes(self, active: ActiveRequest) -> int:
        """Return how many of the bytes that a request needs it has already taken."""
        sequence = active.generation.conversation.main
        cached = len(sequence.tokens) if active.batched else sequence.position
        return min(active.needed_bytes, self._models.memory.cache_bytes(cached))

    def _longest(self, generation: Generation) -> int:
        prompt = len(generation.conversation.main.tokens)
        return min(generation.max_length, prompt + self._models.settings.context)

    def _request_of(self, stream: RequestStream) -> ChatRequest:
        """Return the request completed by the engine's settings."""
        request, settings = stream.request, self._models.settings
        return replace(request, overflow=request.overflow or settings.overflow)

    def wait_for_parts(self, others: Sequence[Future[Any]] = ()) -> None:
        """Wait a moment for the next of the parts that are being made and of `others`, if any."""
        if pending := [*others, *(part for parts in self._parts.values() for part in parts.pending)]:
            wait(pending, WAIT_S, FIRST_COMPLETED)

    def drop_parts(self) -> None:
        """Forget all parts, because the main model changes or the engine ends."""
        for stream in list(self._parts):
            self._drop(stream)

    def drop_cancelled(self) -> None:
        """End the requests that were cancelled."""
        for stream in [waiting for waiting in self if waiting.cancelled]:
            self.remove(stream)
            self._drop(stream)
            stream.deliver(Finished("cancelled", "", (), RequestStats()))

    def fail(self, error: EngineError, main: Path | None = None) -> None:
        """End all requests with `error`, or only those for the main model in the folder `main`."""
        for stream in list(self):
            if main is None or self._models.wanted_by(stream.request) == main:
                self.remove(stream)
                self._drop(stream)
                stream.deliver(Failed(error, ""))

    def _drop(self, stream: RequestStream) -> None:
        parts = self._parts.pop(stream, None)
        if parts is not None and parts.prompt is not None and not parts.prompt.done():
            parts.prompt.abandoned.set()
            parts.files.abandon()
