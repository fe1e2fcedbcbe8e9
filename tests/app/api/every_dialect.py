"""The four dialects of the API: what each is asked, and what its replies, whole and streamed, say in common terms."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from tests.app.api.serving import Served, content_of


@dataclass(frozen=True)
class DialectReply:
    """`calls` are names with arguments, and `reason` is in the words of the dialect."""

    text: str
    calls: list[tuple[str, dict[str, Any]]]
    reason: str
    thoughts: str = ""


@dataclass(frozen=True)
class Dialect:
    """`replies` asks a question, with functions to call. `ends` are the reasons of a call, an end and a limit."""

    replies: Callable[[Served, str, list[Any]], Iterator[DialectReply]]
    ends: tuple[str, str, str]


def _call(name: str, arguments: str) -> tuple[str, dict[str, Any]]:
    assert "\\u" not in arguments
    return name, json.loads(arguments)


def _joined(pieces: Iterable[tuple[int, str]]) -> list[str]:
    """Return the whole texts of pieces, each with the number of its text."""
    texts = dict[int, str]()
    for number, piece in pieces:
        texts[number] = texts.get(number, "") + piece
    return list(texts.values())


def _whole_calls(calls: Iterable[tuple[str, str]]) -> list[tuple[str, dict[str, Any]]]:
    """Return the calls that a program can make: those whose arguments are whole."""
    whole = []
    for name, arguments in calls:
        with suppress(ValueError):
            whole.append(_call(name, arguments))
    return whole


def _chat(served: Served, question: str, tools: list[Any]) -> Iterator[DialectReply]:
    asked = {"messages": [{"role": "user", "content": question}], "tools": tools}
    [choice] = served.chat(asked)["choices"]
    message = choice["message"]
    calls = [_call(**one["function"]) for one in message.get("tool_calls", ())]
    assert message["content"] != "" or not calls
    yield DialectReply(message["content"] or "", calls, choice["finish_reason"], message.get("reasoning_content", ""))
    chunks = list(served.events("/v1/chat/completions", asked))
    choices = [chunk["choices"][0] for chunk in chunks]
    thoughts = "".join(one["delta"].get("reasoning_content", "") for one in choices)
    streamed = [call for one in choices for call in one["delta"].get("tool_calls", ())]
    assert [call["index"] for call in streamed if "id" in call] == list(
        range(len({call["index"] for call in streamed}))
    )
    names = [call["function"]["name"] for call in streamed if "id" in call]
    texts = _joined((call["index"], call["function"]["arguments"]) for call in streamed)
    calls = _whole_calls(zip(names, texts, strict=True))
    yield DialectReply(content_of(chunks), calls, choices[-1]["finish_reason"], thoughts)


def _responses(served: Served, question: str, tools: list[Any]) -> Iterator[DialectReply]:
    asked = {"input": question, "tools": [{"type": "function", **one["function"]} for one in tools]}
    *_, last = served.events("/v1/responses", asked)
    for answer in (served.post("/v1/responses", asked).json(), last["response"]):
        items = answer["output"]
        text = "".join(part["text"] for item in items if item["type"] == "message" for part in item["content"])
        thoughts = "".join(part["text"] for item in items if item["type"] == "reasoning" for part in item["content"])
        written = [item for item in items if item["type"] == "function_call"]
        calls = _whole_calls((item["name"], item["arguments"]) for item in written)
        assert len(calls) == sum(item["status"] == "completed" for item in written)
        reason = (answer.get("incomplete_details") or {}).get("reason") or answer["status"]
        assert all(part["text"] for item in items if item["type"] == "message" for part in item["content"])
        yield DialectReply(text, calls, reason, thoughts)


def stop_reason(events: Iterable[dict[str, Any]]) -> str:
    """Return why a stream of Messages ended; its signs of life after silences are changes without a reason."""
    changes = [event["delta"] for event in events if event["type"] == "message_delta"]
    [reason] = [change["stop_reason"] for change in changes if change["stop_reason"] is not None]
    return str(reason)


def _messages(served: Served, question: str, tools: list[Any]) -> Iterator[DialectReply]:
    own = [{"name": one["function"]["name"], "input_schema": one["function"]["parameters"]} for one in tools]
    asked = {"messages": [{"role": "user", "content": question}], "max_tokens": 400, "tools": own}
    whole = served.post("/v1/messages", asked).json()
    blocks = whole["content"]
    text = "".join(one["text"] for one in blocks if one["type"] == "text")
    thoughts = "".join(one["thinking"] for one in blocks if one["type"] == "thinking")
    assert all(one["text"] for one in blocks if one["type"] == "text")
    calls = [(one["name"], one["input"]) for one in blocks if one["type"] == "tool_use"]
    yield DialectReply(text, calls, whole["stop_reason"], thoughts)
    events = list(served.events("/v1/messages", asked))
    started = [event for event in events if event["type"] == "content_block_start"]
    begun = [event["content_block"] for event in events if event["type"] == "content_block_start"]
    deltas = [event["delta"] for event in events if event["type"] == "content_block_delta"]
    names = [one["name"] for one in begun if one["type"] == "tool_use"]
    begun_calls = [(event["index"], "") for event in started if event["content_block"]["type"] == "tool_use"]
    pieces = [event for event in events if event.get("delta", {}).get("type") == "input_json_delta"]
    texts = _joined([*begun_calls, *((event["index"], event["delta"]["partial_json"]) for event in pieces)])
    calls = _whole_calls(zip(names, texts, strict=True))
    reason = stop_reason(events)
    text = "".join(one["text"] for one in deltas if one["type"] == "text_delta")
    assert ("text" in [one["type"] for one in begun]) == bool(text)
    yield DialectReply(
        text, calls, reason, "".join(one["thinking"] for one in deltas if one["type"] == "thinking_delta")
    )


def _ollama(served: Served, question: str, tools: list[Any]) -> Iterator[DialectReply]:
    for stream in (False, True):
        asked = {"messages": [{"role": "user", "content": question}], "tools": tools, "stream": stream}
        pieces = [json.loads(line) for line in served.post("/api/chat", asked).text.splitlines()]
        messages = [piece["message"] for piece in pieces]
        functions = [one["function"] for message in messages for one in message.get("tool_calls", ())]
        calls = [(one["name"], one["arguments"]) for one in functions]
        text, thoughts = ("".join(one.get(key) or "" for one in messages) for key in ("content", "thinking"))
        yield DialectReply(text, calls, pieces[-1]["done_reason"], thoughts)


DIALECTS = {
    "chat": Dialect(_chat, ("tool_calls", "stop", "length")),
    "responses": Dialect(_responses, ("completed", "completed", "max_output_tokens")),
    "messages": Dialect(_messages, ("tool_use", "end_turn", "max_tokens")),
    "ollama": Dialect(_ollama, ("stop", "stop", "length")),
}
