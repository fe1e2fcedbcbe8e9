"""The requests that wait to be started, with what other threads make for those at the head of the queue."""

from __future__ import annotations

from collections import deque
from concurrent.futures import wait
from dataclasses import replace
from itertools import islice

from engine.client import RequestStream
from engine.errors import EngineError
from engine.events import Failed, Finished
from engine.grammars.constraint import CompiledGrammar
from engine.requests import ChatRequest
from engine.serving.models import Models
from engine.serving.preparation import Preparation
from engine.stats import RequestStats
from engine.tokenizers.prompts import Prompt

# With nothing else to do, wait this long for a prompt before commands are looked at again.
PROMPT_WAIT_S = 0.02


class Waiting(deque[RequestStream]):
    """In the order of their submission. Belongs to the engine's thread."""

    def __init__(self, models: Models) -> None:
        super().__init__()
        self._models = models
        self._preparation = Preparation()

    def prepare(self, most: int) -> None:
        """Have the parts of the first `most` made: prompts that are ready at the same time are read together."""
        for stream in islice(self, most):
            self.ready(stream)

    def ready(self, stream: RequestStream) -> bool:
        """Whether a request can start: without a model it fails as it does."""
        if not self._models.loaded:
            return True
        return self._preparation.ready(stream, self.request_of(stream), self._models.main)

    def request_of(self, stream: RequestStream) -> ChatRequest:
        """The request as the engine's settings complete it."""
        return replace(stream.request, overflow=stream.request.overflow or self._models.settings.overflow)

    def result(self, stream: RequestStream) -> tuple[Prompt | None, CompiledGrammar | None]:
        """What was made for a request that is ready; see `Preparation.result`."""
        return self._preparation.result(stream)

    def started(self) -> None:
        """The first of them waits no longer."""
        self._preparation.drop(self.popleft())

    def wait_for_parts(self) -> None:
        """Wait shortly for what is being made, if anything is."""
        if pending := self._preparation.pending:
            wait(pending, PROMPT_WAIT_S)

    def drop_parts(self) -> None:
        """Forget what was made, because the main model changes."""
        self._preparation.drop_all()

    def drop_cancelled(self) -> None:
        """End those that were cancelled."""
        for stream in [one for one in self if one.cancelled]:
            self.remove(stream)
            self._preparation.drop(stream)
            stream.deliver(Finished("cancelled", "", (), RequestStats()))

    def fail(self, error: EngineError) -> None:
        """End all of them with `error`."""
        while self:
            self.popleft().deliver(Failed(error, ""))
