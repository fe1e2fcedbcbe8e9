"""Files that a model writes between tags, with tags in them: in every API whole, or visibly not called."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from engine.status import LoadedPair
from tests.app.api.conftest import Serve
from tests.app.api.serving import Served, content_of
from tests.app.scripted_engine import ScriptedEngine, model_info
from tests.app.scripts import Script, ScriptedRound
from tests.engine.call_forms.tagged_texts import TAGGED, TOOLS, closing_tags, file_of, tags
from tests.engine.tiers import by_tier

CHAT = {"messages": [{"role": "user", "content": "Write it."}]}
FUNCTION = TOOLS[0]["function"]
# What an API answers: the text, the arguments of the calls, and why it ended.
Found = tuple[str, list[dict[str, str]], str]


def of_chat(served: Served) -> Iterator[Found]:
    asked = CHAT | {"tools": TOOLS}
    [choice] = served.chat(asked)["choices"]
    calls = choice["message"].get("tool_calls", ())
    arguments = [json.loads(one["function"]["arguments"]) for one in calls]
    yield choice["message"]["content"] or "", arguments, choice["finish_reason"]
    chunks = list(served.events("/v1/chat/completions", asked))
    deltas = [chunk["choices"][0] for chunk in chunks]
    streamed = [one["function"]["arguments"] for delta in deltas for one in delta["delta"].get("tool_calls", ())]
    yield content_of(chunks), [json.loads(one) for one in streamed], deltas[-1]["finish_reason"]


def of_responses(served: Served) -> Iterator[Found]:
    asked = {"input": "Write it.", "tools": [{"type": "function", **FUNCTION}]}
    *_, last = served.events("/v1/responses", asked)
    for answer in (served.post("/v1/responses", asked).json(), last["response"]):
        items = answer["output"]
        text = "".join(part["text"] for item in items if item["type"] == "message" for part in item["content"])
        calls = [json.loads(item["arguments"]) for item in items if item["type"] == "function_call"]
        yield text, calls, (answer.get("incomplete_details") or {}).get("reason") or answer["status"]


def of_messages(served: Served) -> Iterator[Found]:
    own = {"name": FUNCTION["name"], "input_schema": FUNCTION["parameters"]}
    asked: dict[str, Any] = CHAT | {"model": "default", "max_tokens": 9, "tools": [own]}
    whole = served.post("/v1/messages", asked).json()
    blocks, stopped = whole["content"], whole["stop_reason"]
    text = "".join(one["text"] for one in blocks if one["type"] == "text")
    yield text, [one["input"] for one in blocks if one["type"] == "tool_use"], stopped
    events = list(served.events("/v1/messages", asked))
    deltas = [event["delta"] for event in events if event["type"] == "content_block_delta"]
    written = [one["partial_json"] for one in deltas if one["type"] == "input_json_delta"]
    [stopped] = [event["delta"]["stop_reason"] for event in events if event["type"] == "message_delta"]
    text = "".join(one["text"] for one in deltas if one["type"] == "text_delta")
    yield text, [json.loads(one) for one in written if one], stopped


def of_ollama(served: Served) -> Iterator[Found]:
    for stream in (False, True):
        reply = served.post("/api/chat", CHAT | {"tools": TOOLS, "stream": stream})
        pieces = [json.loads(line) for line in reply.text.splitlines()]
        calls = [one["function"]["arguments"] for piece in pieces for one in piece["message"].get("tool_calls", ())]
        yield "".join(piece["message"].get("content") or "" for piece in pieces), calls, pieces[-1]["done_reason"]


APIS = {"chat": of_chat, "responses": of_responses, "messages": of_messages, "ollama": of_ollama}
ENDS = {
    "chat": ("tool_calls", "stop", "length"),
    "responses": ("completed", "completed", "max_output_tokens"),
    "messages": ("tool_use", "end_turn", "max_tokens"),
    "ollama": ("stop", "stop", "length"),
}


def answered(serve: Serve, api: str, form: str, text: str, reason: str = "stop") -> list[Found]:
    """Return what an API answers, whole and streamed, if the model writes this text."""
    script = Script(text, (ScriptedRound(24, 24),), reason=reason)
    served = serve(ScriptedEngine([script]), LoadedPair(replace(model_info("main"), tool_format=form), None))
    return list(APIS[api](served))


def nasty(form: str) -> str:
    """Return a text with tags of this form in it, and a call, whose end is certain."""
    example = file_of(form, "x")
    closing, *_, ending, _ = closing_tags(form)
    return f"A block ends with {closing} here.\n{ending}\nTwo calls:\n{example}\n{example}\nLAST LINE"


@pytest.mark.parametrize("form", by_tier(TAGGED, ["qwen3_coder", "glm47", "minimax_m2"]))
@pytest.mark.parametrize("api", APIS)
def test_a_file_with_tags_in_it_arrives_whole(serve: Serve, api: str, form: str) -> None:
    content = nasty(form)
    found = answered(serve, api, form, f"Now: {file_of(form, content)}")
    assert found == [("Now: ", [{"path": "a.md", "content": content}], ENDS[api][0])] * 2


@pytest.mark.parametrize("form", by_tier(TAGGED, ["qwen3_coder", "glm47", "minimax_m2"]))
@pytest.mark.parametrize("api", APIS)
def test_a_file_whose_end_cannot_be_told_stays_text(serve: Serve, api: str, form: str) -> None:
    begun = tags(form).key.replace("NAME", "a").replace("STRING", "true")
    text = file_of(form, f"An argument begins with {begun}")
    assert answered(serve, api, form, text) == [(text, [], ENDS[api][1])] * 2


@pytest.mark.parametrize("api", APIS)
def test_a_file_that_was_cut_off_stays_text(serve: Serve, api: str) -> None:
    text = file_of("qwen3_coder", f"{closing_tags('qwen3_coder')[-2]} and")[: -len(" and\n</parameter>")]
    whole = file_of("qwen3_coder", "x")
    for cut in (text, whole, whole[:-20]):
        assert answered(serve, api, "qwen3_coder", cut, "length") == [(cut, [], ENDS[api][2])] * 2


@pytest.mark.parametrize("api", by_tier(APIS, ["messages"]))
def test_a_long_file_of_tags_arrives_whole(serve: Serve, api: str) -> None:
    draw = random.Random(23)
    parts = ["Some words. ", "\n", "</", "<tool_call>", *closing_tags("qwen3_coder"), *closing_tags("glm47")]
    content = "".join(draw.choice(parts) for _ in range(4500))
    assert len(content) > 50_000
    found = answered(serve, api, "qwen3_coder", file_of("qwen3_coder", content))
    assert found == [("", [{"path": "a.md", "content": content}], ENDS[api][0])] * 2


def test_the_first_closing_tag_is_no_stop_where_one_call_is_allowed(serve: Serve) -> None:
    content = "It ends with </tool_call> here."
    pair = LoadedPair(replace(model_info("main"), tool_format="qwen3_coder"), None)
    served = serve(ScriptedEngine([Script(file_of("qwen3_coder", content))]), pair)
    [choice] = served.chat(CHAT | {"tools": TOOLS, "parallel_tool_calls": False})["choices"]
    assert [json.loads(one["function"]["arguments"])["content"] for one in choice["message"]["tool_calls"]] == [content]
    assert isinstance(served.engine, ScriptedEngine)
    assert served.engine.requests[-1].stop == ()
