"""An engine that answers from a script, for the chat in the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from engine import ChatRequest, Event, Finished, RequestStats, TokensCommitted
from engine.files.paths import starter_pair
from engine.stats import RoundRecord
from engine.tokenizers.thinking import ThinkingChoice

SWITCH = ThinkingChoice(("off", "on"), "on")

ROUND = RoundRecord(0, "main", 0, 0, 1, 1, 0.1, 0.0, 0.1, 0.0, "first-token")


class AnsweringEngine:
    """Answers each request with the next of some lists of events; an exception in a list is raised.

    The authors of its main models recommend `sampling`; their templates can switch thinking. Its draft runner has the
    `states` one after the other, and then keeps the last.
    """

    def __init__(self, *answers: list[Event | BaseException], sampling: tuple[tuple[str, float], ...] = ()) -> None:
        self.answers = list(answers)
        self.requests: list[ChatRequest] = []
        self.sampling = sampling
        self.asked: list[list[str]] = []
        self.cancelled = 0
        # Whether its main models see pictures.
        self.sees = False
        self.states = ["ready"]
        self._events: list[Event | BaseException] = []

    def __enter__(self) -> AnsweringEngine:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing is open."""

    def load(self, main: str, _draft: str | None) -> Future[Any]:
        pair: Future[Any] = Future()
        pair.set_result(
            SimpleNamespace(
                draft_problem=None,
                main=SimpleNamespace(name=_name_of(main), sampling=self.sampling, thinking=SWITCH, sees=self.sees),
                draft=None,
                crowded=False,
            )
        )
        return pair

    def start_drafting_ahead(self) -> Future[str]:
        state: Future[str] = Future()
        state.set_result(self.states.pop(0) if len(self.states) > 1 else self.states[0])
        return state

    def submit(self, request: ChatRequest) -> AnsweringEngine:
        self.requests.append(request)
        self.asked.append([message["content"] for message in request.messages])
        self._events = self.answers.pop(0)
        return self

    def cancel(self) -> None:
        self.cancelled += 1

    def __iter__(self) -> Iterator[Event]:
        while self._events:
            event = self._events.pop(0)
            if isinstance(event, BaseException):
                raise event
            yield event


KOREAN = [TokensCommitted("한글", (), ROUND, RequestStats()), Finished("stop", "한글", (), RequestStats())]
LIST = "".join(f"- item {number}\n" for number in range(40))
MARKDOWN = f"Some **bold** words and `code`.\n\n{LIST}\n```python\nx = 1\n```\n\nThe end."


def engine_of_markdown(_: object) -> AnsweringEngine:
    """Return an engine that answers with MARKDOWN, a letter at a time."""
    pieces = [TokensCommitted(one, (), ROUND, RequestStats()) for one in MARKDOWN]
    return AnsweringEngine([*pieces, Finished("stop", MARKDOWN, (), RequestStats())])


def _name_of(main: str) -> str:
    """Return the name of a main model, as figures have it."""
    return "starter/main" if Path(main) == starter_pair()[0] else main
