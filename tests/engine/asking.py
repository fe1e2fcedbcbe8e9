"""Helpers that ask an engine a question and collect the events of the answer."""

from __future__ import annotations

from engine import ChatRequest, Engine, Event, Finished, SamplingSettings, SpeculationSettings

QUESTION = [{"role": "user", "content": "the quick brown fox"}]


def ask(
    engine: Engine,
    *,
    messages: list[dict[str, str]] = QUESTION,
    max_tokens: int = 60,
    temperature: float = 0.0,
    seed: int = 5,
    stop: tuple[str, ...] = (),
    **speculation: object,
) -> list[Event]:
    request = ChatRequest(
        messages=messages,
        sampling=SamplingSettings(temperature=temperature, seed=seed),
        speculation=SpeculationSettings(**speculation),  # type: ignore[arg-type]
        max_tokens=max_tokens,
        stop=stop,
    )
    return list(engine.submit(request))


def finished(events: list[Event]) -> Finished:
    last = events[-1]
    assert isinstance(last, Finished), last
    return last
