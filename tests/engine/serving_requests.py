"""Asks an engine or a scheduler: loads its models, submits requests, runs its steps and collects the events.

`run(scheduler, request(...))` is the usual way, `alone` and `plain` give the answers that others are compared with.
`ask` is shorter where only the method and a few settings matter, and asks an engine as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine import Engine
from engine.client import RequestStream
from engine.cluster.client import RemoteEngine
from engine.events import Event, Finished, TokensCommitted
from engine.files.steps import run_to_completion
from engine.grammars.grammar import Grammar
from engine.main_model.loaded_model import LoadedModel
from engine.requests import ChatRequest, SamplingSettings, SpeculationSettings
from engine.serving.scheduler import Scheduler
from engine.settings import EngineSettings
from engine.status import LoadedPair

QUESTION = [{"role": "user", "content": "the quick brown fox"}]
# Two logits of tiny random models are seldom closer than the difference that a batch's order of sums makes.
PLAIN = SpeculationSettings(method="off")
DEPTH = 3
DRAFT = SpeculationSettings(method="draft", depth=DEPTH)


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


@contextmanager
def open_with_pair(pair: tuple[LoadedModel, LoadedModel], **settings: Any) -> Iterator[Scheduler]:
    """Open a scheduler with these settings and a pair that is loaded already, as the fixture `pair` is."""
    with open_scheduler(**settings) as scheduler:
        scheduler.changes.install(*pair)
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


def plain(scheduler: Scheduler, asked: ChatRequest) -> Finished:
    """Serve the request alone, without speculation and from an empty prefix cache; returns its end."""
    return alone(scheduler, replace(asked, speculation=PLAIN))


class Expected:
    """Answers of `main`, served alone without speculation. Equal requests are served once."""

    def __init__(self, main: LoadedModel) -> None:
        self._scheduler = Scheduler()
        self._scheduler.changes.install(main, None)
        self._answers: dict[str, Finished] = {}

    def __call__(self, asked: ChatRequest) -> Finished:
        unspeculated = replace(asked, speculation=PLAIN)
        key = repr(unspeculated)
        if key not in self._answers:
            self._answers[key] = alone(self._scheduler, unspeculated)
        return self._answers[key]

    def ids(self, *requests: ChatRequest) -> list[tuple[int, ...]]:
        return [self(asked).ids for asked in requests]

    def close(self) -> None:
        self._scheduler.close()


def step_until(scheduler: Scheduler, reached: Callable[[], object]) -> None:
    while not reached():
        scheduler.step()


def finish(scheduler: Scheduler) -> None:
    """Serve all requests and end all changes of models."""
    while scheduler.busy:
        scheduler.step()


def ask(
    server: Engine | RemoteEngine | Scheduler,
    *,
    messages: list[dict[str, str]] = QUESTION,
    max_tokens: int = 60,
    temperature: float = 0.0,
    seed: int = 5,
    stop: tuple[str, ...] = (),
    **speculation: Any,
) -> list[Event]:
    """Ask an engine, or a scheduler whose steps are run here, and return all events of the answer."""
    asked = ChatRequest(
        messages=messages,
        sampling=SamplingSettings(temperature=temperature, seed=seed),
        speculation=SpeculationSettings(**speculation),
        max_tokens=max_tokens,
        stop=stop,
    )
    if isinstance(server, Scheduler):
        client = submit(server, asked)
        finish(server)
        return client.events
    return list(server.submit(asked))


def finished(events: list[Event]) -> Finished:
    last = events[-1]
    assert isinstance(last, Finished), last
    return last


def ids(events: list[Event]) -> tuple[int, ...]:
    return finished(events).ids


def user(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


def worded_request(
    scheduler: Scheduler,
    *messages: dict[str, str],
    max_tokens: int = 12,
    conversation: str | None = None,
    caller: str = "",
) -> ChatRequest:
    """Return a request that is answered in whole words, whose text encodes to the same tokens."""
    vocabulary = scheduler.models.main.tokenizer.get_vocab()
    words = {vocabulary[word]: 60.0 for word in ("Ġfox", "Ġlazy", "Ġdog", "Ġbrown", "Ġover")}
    sampling = SamplingSettings(temperature=0.7, seed=3, logit_bias=words)
    return ChatRequest(
        messages,
        sampling=sampling,
        speculation=DRAFT,
        max_tokens=max_tokens,
        conversation=conversation,
        caller=caller,
    )


def ask_for_words(
    scheduler: Scheduler,
    *messages: dict[str, str],
    max_tokens: int = 12,
    conversation: str | None = None,
    caller: str = "",
) -> Finished:
    """Serve a `worded_request`; `assistant_turn` of what it returns continues the chat."""
    asked = worded_request(scheduler, *messages, max_tokens=max_tokens, conversation=conversation, caller=caller)
    [client] = run(scheduler, asked)
    return client.finished


def assistant_turn(finished: Finished) -> dict[str, str]:
    # The first word's space is not shown.
    return {"role": "assistant", "content": " " + finished.text}
