"""Steps a scheduler until something has happened, and the answers that it is held to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from engine.events import Finished
from engine.main_model.loaded_model import LoadedModel
from engine.requests import ChatRequest
from engine.serving.scheduler import Scheduler
from tests.engine.serving_requests import PLAIN, alone


def step_until(scheduler: Scheduler, reached: Callable[[], object]) -> None:
    while not reached():
        scheduler.step()


def finish(scheduler: Scheduler) -> None:
    """Serve all requests and end all changes of models."""
    while scheduler.busy:
        scheduler.step()


class Expected:
    """Answers of `main`, served alone without speculation. Equal requests are served once."""

    def __init__(self, main: LoadedModel) -> None:
        self._scheduler = Scheduler()
        self._scheduler.install(main, None)
        self._known: dict[str, Finished] = {}

    def __call__(self, asked: ChatRequest) -> Finished:
        plain = replace(asked, speculation=PLAIN)
        if (key := repr(plain)) not in self._known:
            self._known[key] = alone(self._scheduler, plain)
        return self._known[key]

    def ids(self, *asked: ChatRequest) -> list[tuple[int, ...]]:
        return [self(one).ids for one in asked]

    def close(self) -> None:
        self._scheduler.close()
