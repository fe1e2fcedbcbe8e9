"""A call that was being written when its client left goes on, and is there when the same request comes again."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from app.api import kept_answers
from tests.app.api.conftest import Serve
from tests.app.api.serving import Served
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import STORY, Script
from tests.patience import wait_until

TOOL = {"type": "function", "function": {"name": "write", "parameters": {"type": "object", "properties": {}}}}
ASKED: dict[str, Any] = {"messages": [{"role": "user", "content": "Write it"}], "tools": [TOOL]}
PATHS = {
    "/v1/chat/completions": {},
    "/v1/messages": {"max_tokens": 500, "tools": [{"name": "write", "input_schema": {"type": "object"}}]},
}


class Left:
    """A served story whose first client leaves while it is written, after `first` of its events."""

    def __init__(self, serve: Serve, body: dict[str, Any], path: str = "/v1/chat/completions", first: int = 6) -> None:
        self.gate = threading.Semaphore(first)
        self.engine = ScriptedEngine([Script(STORY)], gate=self.gate)
        self.served: Served = serve(self.engine)
        stream = self.served.events(path, body)
        # The head of some streams comes before the first text.
        for event in stream:
            if STORY[:4] in str(event):
                break
        # Closes the connection.
        stream.close()  # type: ignore[attr-defined]
        wait_until(lambda: bool(self.served.api.ended))

    def go_on(self) -> None:
        self.gate.release(100)

    @property
    def cancelled(self) -> list[bool]:
        return [stream.cancelled for stream in self.engine.streams]


@pytest.mark.first
@pytest.mark.parametrize("path", PATHS)
def test_the_same_request_gets_what_was_written_meanwhile(serve: Serve, path: str) -> None:
    body = ASKED | PATHS[path]
    left = Left(serve, body, path)
    assert left.cancelled == [False]
    left.go_on()
    again = left.served.post(path, body).json()
    if path == "/v1/messages":
        text = again["content"][0]["text"]
        assert (again["usage"]["input_tokens"], again["usage"]["cache_read_input_tokens"]) == (0, 24)
    else:
        text = again["choices"][0]["message"]["content"]
        assert again["usage"]["prompt_tokens_details"]["cached_tokens"] == again["usage"]["prompt_tokens"] == 24
    assert text == STORY
    assert len(left.engine.requests) == 1
    # Only once: later ones are answered anew.
    left.served.post(path, body)
    assert len(left.engine.requests) == 2


def test_a_stream_that_comes_back_has_all_of_it_and_may_leave_again(serve: Serve) -> None:
    left = Left(serve, ASKED)
    for _ in range(2):
        stream = left.served.events("/v1/chat/completions", ASKED)
        assert STORY[:4] in str([next(stream) for _ in range(3)])
        stream.close()  # type: ignore[attr-defined]
    wait_until(lambda: len(left.served.api.ended) == 3)
    left.go_on()
    events = list(left.served.events("/v1/chat/completions", ASKED))
    assert "".join(event["choices"][0]["delta"].get("content") or "" for event in events if event["choices"]) == STORY
    assert len(left.engine.requests) == 1


def test_another_caller_gets_an_answer_of_its_own(serve: Serve) -> None:
    left = Left(serve, ASKED | {"user": "one"})
    left.go_on()
    left.served.post("/v1/chat/completions", ASKED | {"user": "two"})
    assert len(left.engine.requests) == 2
    left.served.post("/v1/chat/completions", ASKED | {"user": "one"})
    assert len(left.engine.requests) == 2


TITLE = {"messages": [{"role": "user", "content": "Name this chat: Write it"}]}
OTHERS: dict[str, tuple[str, dict[str, Any]]] = {
    "a title": ("/v1/chat/completions", TITLE),
    "another chat with tools": ("/v1/chat/completions", TITLE | {"tools": [TOOL]}),
    "the same with other settings": ("/v1/chat/completions", ASKED | {"temperature": 0.5}),
    "another question first": ("/v1/chat/completions", ASKED | {"messages": [*TITLE["messages"], *ASKED["messages"]]}),
    "another API": ("/api/generate", {"prompt": "Hello", "stream": False}),
    "a count": ("/v1/messages/count_tokens", ASKED | PATHS["/v1/messages"]),
    "an embedding": ("/v1/embeddings", {"input": "Hello"}),
}


@pytest.mark.parametrize("other", OTHERS)
def test_another_request_of_this_computer_does_not_end_it(serve: Serve, other: str) -> None:
    left = Left(serve, ASKED)
    left.go_on()
    path, body = OTHERS[other]
    for _ in range(kept_answers.MOST_KEPT_ANSWERS + 1):
        assert left.served.post(path, body).status_code == 200
    asked = len(left.engine.requests)
    again = left.served.post("/v1/chat/completions", ASKED).json()
    assert again["choices"][0]["message"]["content"] == STORY
    assert len(left.engine.requests) == asked
    assert left.cancelled[0] is False


@pytest.mark.parametrize("user", [{}, {"user": "Lee"}], ids=["of its caller", "of another one"])
def test_a_request_that_goes_on_with_the_conversation_ends_it(serve: Serve, user: dict[str, str]) -> None:
    """Somebody has stopped it: they say something else instead, and should not have to share the engine with it."""
    left = Left(serve, ASKED)
    left.go_on()
    stopped = {"role": "assistant", "content": STORY[:20]}
    later = [*ASKED["messages"], stopped, {"role": "user", "content": "Shorter, please."}]
    left.served.post("/v1/chat/completions", ASKED | user | {"messages": later})
    assert left.cancelled[0] == (not user)


def test_of_many_that_are_kept_the_oldest_ends(serve: Serve) -> None:
    engine = ScriptedEngine([Script(STORY * 9)], by_hand=True)
    served = serve(engine)
    for number in range(kept_answers.MOST_KEPT_ANSWERS + 2):
        body = ASKED | {"messages": [{"role": "user", "content": str(number)}]}
        stream = served.events("/v1/chat/completions", body)
        leaving = threading.Thread(
            target=lambda stream=stream: next(event for event in stream if STORY[:4] in str(event))
        )
        leaving.start()
        wait_until(lambda number=number: len(engine.answering) > number)
        engine.go_on(4)
        leaving.join()
        # Closes the connection.
        stream.close()  # type: ignore[attr-defined]
        wait_until(lambda number=number: len(served.api.ended) > number)
    assert [stream.cancelled for stream in engine.streams] == [True, True] + [False] * kept_answers.MOST_KEPT_ANSWERS
    assert served.get("/health").status_code == 200


def test_it_ends_after_a_while_and_with_the_server(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    left = Left(serve, ASKED)
    left.served.api.stop()
    assert left.cancelled == [True]
    monkeypatch.setattr(kept_answers, "KEPT_ANSWERS_S", 0.01)
    left = Left(serve, ASKED)
    wait_until(lambda: left.cancelled == [True])


def test_without_tools_or_text_an_answer_is_cancelled(serve: Serve) -> None:
    left = Left(serve, {"messages": ASKED["messages"]})
    wait_until(lambda: left.cancelled == [True])
