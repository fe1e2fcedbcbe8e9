"""The requests that wait to be started, with the parts that other threads make for those at the head of the queue.

These are the prompt, if the tokenizer is a stranger's, and the grammar of a request that has one.
"""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future, wait
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from engine.client import RequestStream
from engine.decoders.generation import prompt_job
from engine.errors import EngineError
from engine.events import Failed, Finished
from engine.grammars.constraint import CompiledGrammar
from engine.requests import ChatRequest
from engine.serving.models import Models
from engine.stats import RequestStats
from engine.tokenizers.prompt_process.client import PROMPT_PROCESS, PromptCall
from engine.tokenizers.prompts import Prompt

# With nothing else to do, wait this long for a prompt before commands are looked at again.
PROMPT_WAIT_S = 0.02


@dataclass(frozen=True, slots=True)
class _Parts:
    """The parts of a request. `prompt` is None for a model that is known to be good, `grammar` for most requests."""

    prompt: PromptCall | None
    grammar: Future[CompiledGrammar] | None

    @property
    def pending(self) -> list[Future[Any]]:
        return [part for part in (self.prompt, self.grammar) if part is not None and not part.done()]


class Waiting(deque[RequestStream]):
    """The requests in the order of their submission. Belongs to the engine's thread."""

    def __init__(self, models: Models) -> None:
        super().__init__()
        self._models = models
        self._parts: dict[RequestStream, _Parts] = {}

    @property
    def asks_for_same_text(self) -> bool:
        """Whether any request has to know first how this machine rounds."""
        return any(stream.speculation.same_text for stream in self)

    def prepare(self, most: int) -> None:
        """Start making the parts of the first `most` requests, so that their prompts can share a prefill pass."""
        for stream in islice(self, most):
            self.ready(stream)

    def ready(self, stream: RequestStream) -> bool:
        """Whether a request can start; without a model it can, and fails.

        The first call starts making its parts.
        """
        if not self._models.loaded:
            return True
        if stream not in self._parts:
            request, main = self.request_of(stream), self._models.main
            source, grammar = main.prompt_source, request.grammar
            self._parts[stream] = _Parts(
                None if source is None else PROMPT_PROCESS.start_prompt(source, prompt_job(request, main)),
                None if grammar is None or grammar.in_text else main.grammars.start(grammar),
            )
        return not self._parts[stream].pending

    def request_of(self, stream: RequestStream) -> ChatRequest:
        """Return the request completed by the engine's settings."""
        request, settings = stream.request, self._models.settings
        control_tokens = settings.control_tokens if request.control_tokens is None else request.control_tokens
        return replace(request, overflow=request.overflow or settings.overflow, control_tokens=control_tokens)

    def result(self, stream: RequestStream) -> tuple[Prompt | None, CompiledGrammar | None]:
        """Return the prompt of a request that is ready, and the grammar of its whole answer.

        Raises `TemplateFailed`, `PromptTooLong`, `GrammarNotUsable`.
        """
        parts = self._parts[stream]
        prompt = None if parts.prompt is None else parts.prompt.result()
        return prompt, None if parts.grammar is None else parts.grammar.result()

    def started(self) -> None:
        """Remove the first request, which has been started."""
        self._drop(self.popleft())

    def wait_for_parts(self) -> None:
        """Wait a moment for the parts that are being made, if any."""
        if pending := [part for parts in self._parts.values() for part in parts.pending]:
            wait(pending, PROMPT_WAIT_S)

    def drop_parts(self) -> None:
        """Forget all parts, because the main model changes or the engine ends."""
        for stream in list(self._parts):
            self._drop(stream)

    def drop_cancelled(self) -> None:
        """End the requests that were cancelled."""
        for stream in [one for one in self if one.cancelled]:
            self.remove(stream)
            self._drop(stream)
            stream.deliver(Finished("cancelled", "", (), RequestStats()))

    def fail(self, error: EngineError) -> None:
        """End all requests with `error`."""
        self.drop_parts()
        while self:
            self.popleft().deliver(Failed(error, ""))

    def _drop(self, stream: RequestStream) -> None:
        parts = self._parts.pop(stream, None)
        if parts is not None and parts.prompt is not None and not parts.prompt.done():
            parts.prompt.abandon()
