"""Requests and their settings are checked when they are created."""

from __future__ import annotations

import pytest

from engine import ChatRequest, SamplingSettings, SpeculationSettings
from engine.errors import BadRequest
from engine.requests import MAX_DEPTH


@pytest.mark.parametrize("name", ["depth", "max_depth"])
def test_a_depth_above_the_most_of_a_round_is_refused(name: str) -> None:
    SpeculationSettings(**{name: MAX_DEPTH})  # type: ignore[arg-type]
    with pytest.raises(BadRequest, match=f"{name} must be between [01] and {MAX_DEPTH}, not {MAX_DEPTH + 1}"):
        SpeculationSettings(**{name: MAX_DEPTH + 1})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("messages", "words"),
    [
        ([], "at least one message"),
        ([{"role": "user", "content": "  \n"}], "text in it"),
        *(([one], "role and a text") for one in ({"role": "user"}, {"content": "fox"}, {"role": "user", "content": 5})),
        ([{"role": "root", "content": "fox"}], "role and a text"),
    ],
)
def test_messages_that_cannot_be_answered_are_refused(messages: list[dict[str, object]], words: str) -> None:
    with pytest.raises(BadRequest, match=words):
        ChatRequest(messages)


@pytest.mark.parametrize(
    ("name", "value"), [("max_tokens", 0), ("overflow", "cut"), ("stop", ("",))], ids=["max_tokens", "overflow", "stop"]
)
def test_a_limit_that_cannot_be_kept_is_refused(name: str, value: object) -> None:
    with pytest.raises(BadRequest, match=name):
        ChatRequest([{"role": "user", "content": "fox"}], **{name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("temperature", -0.1),
        ("temperature", 5.1),
        ("top_k", -1),
        ("top_p", 0.0),
        ("min_p", 1.5),
        ("repetition_penalty", 0.0),
        ("penalty_window", -1),
        ("seed", 2**64),
    ],
)
def test_a_sampling_setting_out_of_range_is_refused(name: str, value: float) -> None:
    with pytest.raises(BadRequest, match=name):
        SamplingSettings(**{name: value})  # type: ignore[arg-type]


def test_a_tools_result_may_be_empty_but_a_question_may_not() -> None:
    ChatRequest([{"role": "user", "content": "fox"}, {"role": "tool", "content": "", "tool_call_id": "1"}])


@pytest.mark.parametrize("fields", [{"messages": [{"role": "user", "content": "fox"}]}, {"tools": [{}]}])
def test_a_raw_prompt_stands_alone(fields: dict[str, list[dict[str, str]]]) -> None:
    with pytest.raises(BadRequest, match="without messages and tools"):
        ChatRequest(prompt="fox", **fields)


@pytest.mark.parametrize("prompt", ["", (), (1, -1)])
def test_a_raw_prompt_is_a_text_or_token_ids(prompt: str | tuple[int, ...]) -> None:
    with pytest.raises(BadRequest, match="prompt"):
        ChatRequest(prompt=prompt)
