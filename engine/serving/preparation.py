"""What other threads make for a waiting request before it can start: its prompt, and its grammar if it has one."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from engine.client import RequestStream
from engine.decoders.generation import prompt_job
from engine.grammars.constraint import CompiledGrammar
from engine.main_model.loading import LoadedModel
from engine.requests import ChatRequest
from engine.tokenizers.prompt_process.client import PROMPT_PROCESS, PromptCall
from engine.tokenizers.prompts import Prompt


@dataclass(frozen=True, slots=True)
class _Parts:
    """None where nothing has to be made: a prompt for a model that is known to be good; most requests' grammar."""

    prompt: PromptCall | None
    grammar: Future[CompiledGrammar] | None

    @property
    def pending(self) -> list[Future[Any]]:
        return [part for part in (self.prompt, self.grammar) if part is not None and not part.done()]


class Preparation:
    """Of the requests at the head of the queue, for one main model at a time. Belongs to the engine's thread."""

    def __init__(self) -> None:
        self._parts: dict[RequestStream, _Parts] = {}

    @property
    def pending(self) -> list[Future[Any]]:
        """What is being made."""
        return [part for parts in self._parts.values() for part in parts.pending]

    def ready(self, stream: RequestStream, request: ChatRequest, main: LoadedModel) -> bool:
        """Whether everything is there; what is not is being made from the first call on."""
        if stream not in self._parts:
            source, grammar = main.prompt_source, request.grammar
            self._parts[stream] = _Parts(
                None if source is None else PROMPT_PROCESS.start_prompt(source, prompt_job(request, main)),
                None if grammar is None else main.grammars.start(grammar),
            )
        return not self._parts[stream].pending

    def result(self, stream: RequestStream) -> tuple[Prompt | None, CompiledGrammar | None]:
        """The parts of a request that is ready. Raises `TemplateFailed`, `PromptTooLong` and `GrammarNotUsable`."""
        parts = self._parts[stream]
        prompt = None if parts.prompt is None else parts.prompt.result()
        return prompt, None if parts.grammar is None else parts.grammar.result()

    def drop(self, stream: RequestStream) -> None:
        """The request has started, or ended before it could."""
        parts = self._parts.pop(stream, None)
        if parts is not None and parts.prompt is not None and not parts.prompt.done():
            parts.prompt.abandon()

    def drop_all(self) -> None:
        """The main model changes, or the engine ends."""
        for stream in list(self._parts):
            self.drop(stream)
