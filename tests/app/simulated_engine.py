"""An engine whose answers come from a simulated machine under load, measured as the real engine measures them."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field

from engine.client import RequestStream
from engine.events import Event, Finished, Token, TokensCommitted
from engine.requests import ChatRequest
from engine.stats import RequestStats
from engine.tuning import LearnedPair
from tests.app.scripted_engine import ScriptedEngine
from tests.engine.speculation.loaded_machine import Answered, LoadedMachine


@dataclass
class SimulatedEngine(ScriptedEngine):
    """Answers with the next of `lengths` tokens, or one if the request allows one. `answered` has the true figures."""

    machine: LoadedMachine = field(default_factory=LoadedMachine)
    lengths: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.answered: list[Answered] = []

    def submit(self, request: ChatRequest, on_event: Callable[[Event], None] | None = None) -> RequestStream:
        stream = RequestStream(request, on_event)
        self._work.put(lambda: self._answer(request, stream))
        return stream

    def learned(self) -> Future[tuple[LearnedPair, ...]]:
        future: Future[tuple[LearnedPair, ...]] = Future()

        def look() -> None:
            names = [model.name if model is not None else "" for model in (self.pair.main, self.pair.draft)]
            pair = (f"{names[0]}, 1 bytes", f"{names[1]}, 1 bytes")
            future.set_result((LearnedPair(pair, loaded=True),))

        self._work.put(look)
        return future

    def _answer(self, request: ChatRequest, stream: RequestStream) -> None:
        length = 1 if request.max_tokens == 1 else self.lengths.pop(0)
        settings = request.speculation
        self.machine.depth = settings.depth
        answered = self.machine.answer(length, settings.sample_share, plain=settings.method == "off")
        self.answered.append(answered)
        text, position = "", 0
        for record, stats in zip(answered.rounds, answered.kept, strict=True):
            tokens = []
            for index in range(record.committed):
                source = record.source if index < record.accepted else "main"
                tokens.append(Token(position % 97, "word ", source, index, record.number, -0.1))
                position += 1
            part = "".join(token.text for token in tokens)
            text += part
            stream.deliver(TokensCommitted(part, tuple(tokens), record, stats))
        last = answered.kept[-1] if answered.kept else RequestStats()
        stream.deliver(Finished("stop", text, tuple(range(position)), last))
