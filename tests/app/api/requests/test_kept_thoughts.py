"""A client that sends no thoughts back gets the prompt of one that does."""

from __future__ import annotations

import json
from typing import Any

import pytest

from app.api.requests.kept_thoughts import KeptThoughts
from app.text.answer_parts import AnswerParts
from engine.call_forms.form import ToolCall
from tests.app.api.conftest import CALLER, Serve
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script

SAID = "<think>\nHm, four.\n</think>\n\nIt is 4."
ASKED = {"role": "user", "content": "2 + 2?"}
AGAIN = {"role": "user", "content": "And 3 + 3?"}


def kept(engine: ScriptedEngine) -> list[str | None]:
    return [turn.get("reasoning_content") for turn in engine.requests[-1].messages if turn["role"] == "assistant"]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/messages", "/api/chat"])
def test_thoughts_that_are_not_sent_back_are_in_the_next_prompt(serve: Serve, path: str, stream: bool) -> None:
    engine = ScriptedEngine([Script(SAID)])
    served = serve(engine)
    fields = {"max_tokens": 99, "stream": stream}
    served.post(path, {"messages": [ASKED], **fields})
    past = [ASKED, {"role": "assistant", "content": "It is 4."}]
    served.post(path, {"messages": [*past, AGAIN], **fields})
    assert kept(engine) == ["Hm, four."]
    # What was said differs, or was said before.
    for other in ({"role": "assistant", "content": "It is 5."}, {"role": "assistant", "content": ""}):
        served.post(path, {"messages": [ASKED, other, AGAIN], **fields})
        assert kept(engine) == [None]
    served.post(path, {"messages": [AGAIN, *past[1:], AGAIN], **fields})
    assert kept(engine) == [None]


def test_nobody_gets_another_caller_s_thoughts_by_guessing_the_conversation(serve: Serve) -> None:
    engine = ScriptedEngine([Script(SAID)])
    served = serve(engine)
    past = [ASKED, {"role": "assistant", "content": "It is 4."}]
    served.post("/v1/chat/completions", {"messages": [ASKED], "user": "one"})
    for user, thoughts in (("another", None), (None, None), ("one", "Hm, four.")):
        served.post("/v1/chat/completions", {"messages": [*past, AGAIN], "user": user})
        assert kept(engine) == [thoughts]


@pytest.mark.parametrize("stream", [False, True])
def test_thoughts_before_calls_and_in_responses(serve: Serve, stream: bool) -> None:
    call = '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>'
    engine = ScriptedEngine([Script(f"<think>\nHm.\n</think>\n\n{call}")])
    served = serve(engine, CALLER)
    tools = [{"type": "function", "name": "f", "parameters": {"type": "object"}}]
    served.post("/v1/responses", {"input": "Call.", "tools": tools, "stream": stream})
    past: list[Any] = [
        {"role": "user", "content": "Call."},
        {"type": "function_call", "call_id": "1", "name": "f", "arguments": '{"a":1}'},
        {"type": "function_call_output", "call_id": "1", "output": "x"},
    ]
    served.post("/v1/responses", {"input": past, "tools": tools})
    assert kept(engine) == ["Hm."]
    own = {"type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "Mine."}]}
    served.post("/v1/responses", {"input": [past[0], own, *past[1:]], "tools": tools})
    assert kept(engine) == ["Mine."]


def test_the_oldest_thoughts_go_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.api.requests.kept_thoughts.MOST_KEPT_CHARACTERS", 10)
    thoughts = KeptThoughts()
    for number in range(4):
        question = {"role": "user", "content": str(number)}
        thoughts.keep("", [question], AnswerParts(reasoning="12345", calls=[ToolCall("f", json.dumps({"a": number}))]))
    found = []
    for number in range(4):
        called = [{"function": {"name": "f", "arguments": {"a": number}}}]
        turns = [{"role": "user", "content": str(number)}, {"role": "assistant", "content": "", "tool_calls": called}]
        found.append(thoughts.given_to("", turns)[1].get("reasoning_content"))
    assert found == [None, None, "12345", "12345"]
