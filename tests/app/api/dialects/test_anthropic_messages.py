"""POST /v1/messages as Claude Code and Anthropic's own client send it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.app.api.conftest import Serve
from tests.app.api.serving import Served

BILLING = "x-anthropic-billing-header: cc_version=2.1.117.48f; cc_entrypoint=cli; cch={};"
MENTIONS = "The line x-anthropic-billing-header: cc_version is dropped.\nx-anthropic-billing-header: cch=1; is not."


def text_blocks(*texts: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": text, "cache_control": {"type": "ephemeral"}} for text in texts]


def tokens_read(served: Served, name: str, *, billed: bool) -> list[int]:
    """How many tokens of the prompt are read in each of three turns, as Claude Code asks them."""
    turns: list[dict[str, Any]] = []
    read = []
    for turn, question in enumerate(("What is a draft model?", "And a round?", "Who made you?")):
        turns.append({"role": "user", "content": text_blocks(question)})
        system = [name, "You are Claude Code, Anthropic's official CLI for Claude."]
        if billed:
            system.insert(0, BILLING.format(f"{7919 * turn:05x}"))
        asked = {"system": text_blocks(*system), "messages": turns, "max_tokens": 12, "temperature": 0}
        *events, end, _stop = served.events("/v1/messages", asked)
        read.append(end["usage"]["input_tokens"])
        counted = served.post("/v1/messages/count_tokens", asked).json()["input_tokens"]
        assert counted == read[-1] + end["usage"]["cache_read_input_tokens"]
        text = "".join(event["delta"]["text"] for event in events if event["type"] == "content_block_delta")
        turns.append({"role": "assistant", "content": text})
    return read


@pytest.mark.full
def test_a_line_that_claude_code_changes_with_each_request_costs_no_reading(starter: Served) -> None:
    # Other first words, so that neither chat finds the other one's prefix.
    first, *others = tokens_read(starter, "1st chat.", billed=True)
    _, *plain = tokens_read(starter, "2nd chat.", billed=False)
    assert others == plain
    assert max(others) < first


KEPT_FROM_THE_PROMPT = [
    (text_blocks(BILLING, "Be brief.", MENTIONS), f"Be brief.\n\n{MENTIONS}"),
    (text_blocks(f"{BILLING}\nBe brief.", MENTIONS), f"Be brief.\n\n{MENTIONS}"),
    (f"{BILLING}\nBe brief.\n{MENTIONS}", f"Be brief.\n{MENTIONS}"),
    (f"{BILLING}\r\n\r\nBe brief.", "Be brief."),
    (MENTIONS, MENTIONS),
    (text_blocks(BILLING), None),
    (BILLING, None),
]


def test_only_claude_codes_line_is_kept_from_the_prompt(serve: Serve) -> None:
    served = serve()
    for system, prompt in KEPT_FROM_THE_PROMPT:
        asked = {"system": system, "messages": [{"role": "user", "content": "Hello"}], "max_tokens": 9}
        assert served.post("/v1/messages", asked).status_code == 200
        instructions = [turn["content"] for turn in served.requests[-1].messages if turn["role"] == "system"]
        assert instructions == ([] if prompt is None else [prompt])


def test_instructions_in_mid_conversation_join_what_the_user_said_before(serve: Serve) -> None:
    served = serve()
    said = [("user", "Hello"), ("system", "Be brief."), ("assistant", "Hi."), ("system", "In Korean."), ("user", "Bye")]
    asked = {"messages": [{"role": role, "content": text} for role, text in said], "max_tokens": 9}
    assert served.post("/v1/messages", asked).status_code == 200
    turns = [(turn["role"], turn["content"]) for turn in served.requests[0].messages]
    assert turns == [("user", "Hello\n\nBe brief."), ("assistant", "Hi."), ("user", "In Korean.\n\nBye")]


CONTINUED = {"type": "continue", "previous_message_id": "msg-1"}


@pytest.mark.parametrize("path", ["/v1/messages", "/v1/messages?beta=true", "/v1/messages/count_tokens"])
@pytest.mark.parametrize(
    ("thread", "messages"),
    [
        ({"type": "create"}, [{"role": "user", "content": "Hi"}]),
        (CONTINUED, [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "5 C"}]}]),
        # After a turn that the server paused, there is nothing new to send.
        (CONTINUED, []),
        ({"type": "of another time"}, [{"role": "user", "content": "Hi"}]),
        ({}, [{"role": "user", "content": "Hi"}]),
        ("thread-1", [{"role": "user", "content": "Hi"}]),
    ],
)
def test_a_thread_is_refused_so_that_sdks_send_the_whole_conversation(
    told: Served, path: str, thread: Any, messages: list[Any]
) -> None:
    asked = len(told.requests)
    for stream in (False, True):
        reply = told.post(path, {"thread": thread, "messages": messages, "max_tokens": 9, "stream": stream})
        error = reply.json()["error"]
        assert (reply.status_code, error["type"]) == (400, "invalid_request_error")
        assert error["details"] == {"error_code": "thread_unsupported_request"}
        assert "whole conversation without `thread`" in error["message"]
    assert len(told.requests) == asked


@pytest.mark.parametrize("thread", [None, False])
def test_no_thread_is_no_thread(told: Served, thread: Any) -> None:
    body = {"thread": thread, "messages": [{"role": "user", "content": "Hi"}], "max_tokens": 9}
    assert told.post("/v1/messages", body).status_code == 200
