"""The requests that wait until they can begin: for their turn, their main model, their inputs, and memory for caches.

The inputs are the prompt, if the tokenizer is a stranger's, with its pictures, and the grammar of a request that has
one. Other threads make the inputs of the first requests; meanwhile those behind a request may begin.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
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
from engine.status import LoadedPair
from engine.tokenizers.prompt_process import PROMPT_PROCESS, PromptCall
from engine.upkeep.model_changes import ModelChanges
from engine.upkeep.models import Models


@dataclass(frozen=True, slots=True)
class _RequestInputs:
    """A request's prompt (None for a model known to be good), its grammar if it has one, and its pictures."""

    prompt: PromptCall | None
    grammar: Future[CompiledGrammar] | None
    files: PictureFiles

    @property
    def pending(self) -> list[Future[Any]]:
        return [future for future in (self.prompt, self.grammar) if future is not None and not future.done()]


class Waiting(deque[RequestStream]):
    """The requests in the order of their submission.

    Belongs to the engine's thread. An answer is assumed to grow by at most the `context` of the settings.
    """

    def __init__(self, models: Models, prefix_cache: PrefixCache, changes: ModelChanges) -> None:
        super().__init__()
        self._models = models
        self._prefix_cache = prefix_cache
        self._changes = changes
        self._inputs: dict[RequestStream, _RequestInputs] = {}
        # A request whose caches do not fit until another one has ended.
        self._blocked: RequestStream | None = None

    def use_model_of_first(self) -> None:
        """Begin to use the main model of the oldest request whose inputs are not being made, if no change is under way.

        An unloaded one is loaded; one in memory is used once all answers of another one have ended.
        """
        first = self._first
        if first is None or self._changes.busy:
            return
        wanted = self._models.wanted_by(first.request)
        if wanted is None:
            return
        if wanted in self._models.reloadable:
            loading = self._changes.load_additional(wanted, self._models.reloadable[wanted])
            self._changes.enqueue(loading, partial(self._model_restored, wanted))
        elif self._models.is_resident(wanted) and not self._models.streaming():
            self._changes.switch(wanted)

    def _model_restored(self, main: Path, outcome: LoadedPair | EngineError) -> None:
        """Fail the requests for a model that was to be loaded again, and cannot be."""
        if isinstance(outcome, EngineError):
            self.fail(outcome, main)

    def start_inputs_of_first(self, most: int) -> None:
        """Start making the inputs of requests until `most` have all, so that their prompts can share a prefill pass."""
        if self._changes.blocks_requests:
            return
        for stream in self:
            if self._are_being_made(stream):
                continue
            if most <= 0 or not self._models.serves(stream.request):
                return
            most -= self._start_inputs(stream)

    def next_to_begin(self) -> RequestStream | None:
        """Return the oldest request, if it can begin now; those whose inputs are being made are passed over.

        A request for a main model that is not known can begin, and fails then.
        """
        while not self._changes.blocks_requests:
            stream = self._first
            if stream is None or stream is self._blocked:
                return None
            if not self._models.serves(stream.request):
                wanted = self._models.wanted_by(stream.request)
                is_known = self._models.is_resident(wanted) or wanted in self._models.reloadable
                return None if is_known else stream
            if self._start_inputs(stream):
                return stream
            # Its inputs are being made from now on, so `_first` passes it over.
        return None

    def unblock(self) -> None:
        """Try again to begin a request that lacked memory, because another one has ended."""
        self._blocked = None

    @property
    def _first(self) -> RequestStream | None:
        """The oldest request whose inputs are not being made, None if there is none."""
        return next((stream for stream in self if not self._are_being_made(stream)), None)

    def _are_being_made(self, stream: RequestStream) -> bool:
        return stream in self._inputs and bool(self._inputs[stream].pending)

    def _start_inputs(self, stream: RequestStream) -> bool:
        """Start making the inputs of a request, once; return whether they are made, or have failed.

        The request has to be for the main model in use.
        """
        if stream not in self._inputs:
            request = self._request_of(stream)
            main = self._models.main
            source = main.prompt_source
            grammar = request.grammar
            files = PictureFiles(request.pictures)
            job = partial(prompt_job, request, main, files)
            # A grammar in text is compiled only when the first call in the answer begins.
            self._inputs[stream] = _RequestInputs(
                None if source is None else PROMPT_PROCESS.start_prompt(source, job),
                None if grammar is None or grammar.in_text else main.grammars.start(grammar),
                files,
            )
        return not self._inputs[stream].pending

    def begin(self, stream: RequestStream, others: Sequence[ActiveRequest]) -> ActiveRequest | None:
        """Begin a request, which is ready, while `others` are served; return None if it has failed.

        Raises `NotEnoughMemory` if it has to wait for `others`, and is not tried again before `unblock`; also a failure
        of the device. Then it keeps its place.
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
                self._blocked = stream
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
        inputs = self._inputs[stream]
        prompt = None if inputs.prompt is None else inputs.prompt.result()
        grammar = None if inputs.grammar is None else inputs.grammar.result()
        prepared = prepare(request, main, prompt, grammar, inputs.files)
        generation = Generation(prepared, self._prefix_cache, stream.submitted)
        generation.log.figures = structs.replace(generation.log.figures, slowed=self._models.update_slowdown())
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
            elif not self._changes.unload_least_used():
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
        request = stream.request
        return replace(request, overflow=request.overflow or self._models.settings.overflow)

    def wait_for_inputs(self, others: Sequence[Future[Any]] = ()) -> None:
        """Wait a moment for the next of the inputs that are being made and of `others`, if any."""
        if pending := [*others, *(future for inputs in self._inputs.values() for future in inputs.pending)]:
            wait(pending, WAIT_S, FIRST_COMPLETED)

    def drop_inputs(self) -> None:
        """Forget all inputs, because the main model changes or the engine ends."""
        for stream in list(self._inputs):
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
        inputs = self._inputs.pop(stream, None)
        if inputs is not None and inputs.prompt is not None and not inputs.prompt.done():
            inputs.prompt.abandoned.set()
            inputs.files.abandon()
