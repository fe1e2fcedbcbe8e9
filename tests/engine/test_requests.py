"""Requests and their settings are checked when they are created."""

from __future__ import annotations

import pytest

from engine import ChatRequest, SamplingSettings, SpeculationSettings
from engine.errors import BadRequest
from engine.requests import MAX_DEPTH


def test_a_depth_above_the_most_of_a_round_is_refused() -> None:
    SpeculationSettings(depth=MAX_DEPTH)
    with pytest.raises(BadRequest, match=f"depth must be between 0 and {MAX_DEPTH}, not {MAX_DEPTH + 1}"):
        SpeculationSettings(depth=MAX_DEPTH + 1)


@pytest.mark.parametrize(
    ("messages", "words"),
    [
        ([], "at least one message"),
        ([{"role": "assistant", "content": "  \n"}], "text in it"),
        *(([one], "role and a text") for one in ({"role": "user"}, {"content": "fox"}, {"role": "user", "content": 5})),
        ([{"role": "root", "content": "fox"}], "role and a text"),
    ],
)
def test_messages_that_cannot_be_answered_are_refused(messages: list[dict[str, object]], words: str) -> None:
    with pytest.raises(BadRequest, match=words):
        ChatRequest(messages)


@pytest.mark.parametrize(
    ("name", "value"),
    [("max_tokens", -1), ("overflow", "cut"), ("stop", ("",))],
    ids=["max_tokens", "overflow", "stop"],
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


@pytest.mark.parametrize(
    "content",
    [
        [{"type": "image", "digest": "1b"}], [{"type": "image", "digest": []}], [{"type": "image"}], [{"type": "text"}],
        [{"type": "audio", "digest": "0f"}], ["fox"], {"type": "text", "text": "fox"},
    ],
)  # fmt: skip
def test_parts_that_are_no_text_and_no_picture_of_the_request_are_refused(content: object) -> None:
    with pytest.raises(BadRequest):
        ChatRequest([{"role": "user", "content": content}], pictures={"0f": b"PNG"})


def test_users_and_tools_alone_show_pictures() -> None:
    shown = [{"type": "image", "digest": "0f"}]
    ChatRequest([{"role": "user", "content": shown}], pictures={"0f": b"PNG"})
    ChatRequest([{"role": "tool", "content": [*shown, {"type": "text", "text": "fox"}]}], pictures={"0f": b"PNG"})
    for role in ("system", "developer", "assistant"):
        with pytest.raises(BadRequest):
            ChatRequest([{"role": role, "content": shown}], pictures={"0f": b"PNG"})


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
