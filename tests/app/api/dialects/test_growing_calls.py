"""Programs see a call while it is written, in the terms of each API, and never half a call as a whole one."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from engine.status import LoadedPair
from tests.app.api.conftest import Serve
from tests.app.api.every_dialect import stop_reason
from tests.app.api.serving import Served
from tests.app.scripted_engine import ScriptedEngine, model_info
from tests.app.scripts import Script, ScriptedRound
from tests.engine.call_forms.tagged_texts import TOOLS, file_of

LINES = [f"print({line})" for line in range(40)]
FILE = file_of("qwen3_coder", "\n".join(LINES))
CHAT: dict[str, Any] = {"messages": [{"role": "user", "content": "Write it."}], "tools": TOOLS}
MESSAGES: dict[str, Any] = {
    "messages": CHAT["messages"],
    "max_tokens": 4000,
    "tools": [{"name": "write_file", "input_schema": TOOLS[0]["function"]["parameters"]}],
}
RESPONSES: dict[str, Any] = {"input": "Write it.", "tools": [{"type": "function", **TOOLS[0]["function"]}]}


def served_with(serve: Serve, text: str, reason: str = "stop") -> Served:
    """Return an API whose model writes this text in small pieces."""
    rounds = (ScriptedRound(24, 24),)
    pair = LoadedPair(replace(model_info("main"), tool_format="qwen3_coder"), None)
    return serve(ScriptedEngine([Script(text, rounds, reason=reason)]), pair)


def test_chat_chunks_have_the_name_first_and_then_the_arguments(serve: Serve) -> None:
    served = served_with(serve, FILE)
    chunks = [chunk["choices"][0] for chunk in served.events("/v1/chat/completions", CHAT)]
    calls = [call for chunk in chunks for call in chunk["delta"].get("tool_calls", ())]
    assert {call["index"] for call in calls} == {0}
    assert [call.get("type") for call in calls] == ["function"] + [None] * (len(calls) - 1)
    assert len(calls) > 10
    assert json.loads("".join(call["function"]["arguments"] for call in calls))["content"] == "\n".join(LINES)
    assert chunks[-1]["finish_reason"] == "tool_calls"


@pytest.mark.full
def test_messages_open_a_block_when_the_name_is_known(serve: Serve) -> None:
    events = list(served_with(serve, FILE).events("/v1/messages", MESSAGES))
    kinds = [event["type"] for event in events]
    assert kinds.count("content_block_start") == kinds.count("content_block_stop") == 1
    assert kinds.count("content_block_delta") > 10
    with served_with(serve, FILE).anthropic() as client, client.messages.stream(model="m", **MESSAGES) as stream:
        [block] = stream.get_final_message().content
    assert block.input["content"] == "\n".join(LINES)  # type: ignore[union-attr]


def test_responses_add_the_item_when_the_name_is_known(serve: Serve) -> None:
    events = list(served_with(serve, FILE).events("/v1/responses", RESPONSES))
    deltas = [event["delta"] for event in events if event["type"] == "response.function_call_arguments.delta"]
    [added] = [event["item"] for event in events if event["type"] == "response.output_item.added"]
    [done] = [event["item"] for event in events if event["type"] == "response.output_item.done"]
    assert (added["status"], added["arguments"], done["status"]) == ("in_progress", "", "completed")
    assert len(deltas) > 10
    assert "".join(deltas) == done["arguments"]
    assert events[-1]["response"]["output"] == [done]


@pytest.mark.parametrize("reason", ["length", "stop"])
def test_a_call_that_does_not_become_whole_has_no_whole_arguments(serve: Serve, reason: str) -> None:
    # The limit cuts it, or it cannot be told where its text ends, so that it is text.
    text = FILE[:-60] if reason == "length" else file_of("qwen3_coder", "a\n<parameter=x>\nb")
    served = served_with(serve, text, reason)
    chunks = [chunk["choices"][0] for chunk in served.events("/v1/chat/completions", CHAT)]
    calls = [call["function"] for chunk in chunks for call in chunk["delta"].get("tool_calls", ())]
    with pytest.raises(ValueError, match="Unterminated"):
        json.loads("".join(call["arguments"] for call in calls))
    content = "".join(chunk["delta"].get("content", "") for chunk in chunks)
    assert (content, chunks[-1]["finish_reason"]) == ("" if reason == "length" else text, reason)
    events = list(served.events("/v1/responses", RESPONSES))
    [item] = [event["item"] for event in events if event.get("item", {}).get("status") == "incomplete"]
    assert item["name"] == "write_file"
    events = list(served.events("/v1/messages", MESSAGES))
    assert stop_reason(events) == ("max_tokens" if reason == "length" else "end_turn")


def test_a_whole_answer_has_no_half_calls(serve: Serve) -> None:
    served = served_with(serve, FILE[:-60], "length")
    assert served.post("/v1/messages", MESSAGES).json()["content"] == []
    assert served.post("/v1/responses", RESPONSES).json()["output"] == []
    [choice] = served.chat(CHAT)["choices"]
    assert "tool_calls" not in choice["message"]
