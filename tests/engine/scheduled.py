"""Asks a scheduler whose steps the test runs, and returns the events of the answer."""

from __future__ import annotations

from typing import Any

from engine.client import RequestStream
from engine.events import Event, Finished
from engine.requests import ChatRequest, SamplingSettings, SpeculationSettings
from engine.serving.scheduler import Scheduler

QUESTION = ({"role": "user", "content": "the quick brown fox"},)


def ask(scheduler: Scheduler, *, temperature: float = 0.0, max_tokens: int = 24, **speculation: Any) -> list[Event]:
    events: list[Event] = []
    request = ChatRequest(
        QUESTION,
        sampling=SamplingSettings(temperature=temperature, seed=9),
        speculation=SpeculationSettings(**speculation),
        max_tokens=max_tokens,
    )
    scheduler.admit(RequestStream(request, on_event=events.append))
    while scheduler.busy:
        scheduler.step()
    return events


def ids(events: list[Event]) -> tuple[int, ...]:
    assert isinstance(events[-1], Finished), events[-1]
    return events[-1].ids
