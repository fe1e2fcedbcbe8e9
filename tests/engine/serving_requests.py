"""Helpers that load models into a scheduler, submit requests, run its steps and collect events."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from engine.client import RequestStream
from engine.events import Event, Finished, TokensCommitted
from engine.files.steps import run_to_completion
from engine.grammars.grammar import Grammar
from engine.requests import ChatRequest, SamplingSettings, SpeculationSettings
from engine.serving.scheduler import Scheduler
from engine.settings import EngineSettings
from engine.status import LoadedPair

# Two logits of tiny random models are seldom closer than the difference that a batch's order of sums makes.
PLAIN = SpeculationSettings(method="off")


class Client:
    """One request and its events."""

    def __init__(self, request: ChatRequest) -> None:
        self.events: list[Event] = []
        self.on_event: Callable[[Event], None] | None = None
        self.stream = RequestStream(request, on_event=self._listen)

    def _listen(self, event: Event) -> None:
        self.events.append(event)
        if self.on_event is not None:
            self.on_event(event)

    @property
    def last(self) -> Event:
        return self.events[-1]

    @property
    def finished(self) -> Finished:
        assert isinstance(self.last, Finished), self.last
        return self.last

    @property
    def committed(self) -> list[TokensCommitted]:
        return [event for event in self.events if isinstance(event, TokensCommitted)]

    @property
    def reasons(self) -> list[str]:
        return [span.reason for span in self.finished.stats.plain_spans]


def request(
    text: str = "the quick brown fox",
    *,
    max_tokens: int = 28,
    temperature: float = 0.0,
    seed: int = 5,
    speculation: SpeculationSettings | None = None,
    stop: tuple[str, ...] = (),
    grammar: Grammar | None = None,
    alternatives: int = 0,
    **sampling: Any,
) -> ChatRequest:
    return ChatRequest(
        [{"role": "user", "content": text}],
        sampling=SamplingSettings(temperature=temperature, seed=seed, **sampling),
        speculation=speculation or SpeculationSettings(method="draft", depth=3, sample_share=0.0),
        max_tokens=max_tokens,
        stop=stop,
        grammar=grammar,
        alternatives=alternatives,
    )


def load_models(scheduler: Scheduler, main: str | Path, draft: Path | None) -> LoadedPair:
    """Replace both models without other work in between."""
    return run_to_completion(scheduler.changes.load(main, draft))


@contextmanager
def open_scheduler(main: str | Path | None = None, draft: Path | None = None, **settings: Any) -> Iterator[Scheduler]:
    """Open a scheduler with these settings and models; it is closed at the end of the block."""
    with closing(Scheduler(EngineSettings(**settings))) as scheduler:
        if main is not None:
            load_models(scheduler, main, draft)
        yield scheduler


def set_draft(scheduler: Scheduler, draft: Path | None) -> LoadedPair:
    """Replace the draft model without other work in between."""
    return run_to_completion(scheduler.changes.set_draft(draft))


def submit(scheduler: Scheduler, asked: ChatRequest) -> Client:
    client = Client(asked)
    scheduler.admit(client.stream)
    return client


def run(scheduler: Scheduler, *requests: ChatRequest) -> list[Client]:
    """Submit all requests at once, and serve them to the end."""
    clients = [submit(scheduler, asked) for asked in requests]
    while scheduler.step():
        pass
    return clients


def serve_and_act(scheduler: Scheduler, client: Client, after: int, act: Callable[[], object]) -> None:
    """Serve all requests, and call `act` once after `after` of the client's rounds were reported."""
    while scheduler.busy:
        scheduler.step()
        if len(client.committed) == after:
            act()
            after = 0


def alone(scheduler: Scheduler, asked: ChatRequest) -> Finished:
    """Serve the request alone, from an empty prefix cache; returns its end."""
    scheduler.clear_prefix_cache()
    [client] = run(scheduler, asked)
    scheduler.clear_prefix_cache()
    return client.finished
