"""Chats that the server keeps, in the shape of LM Studio's API."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from app.api.dialects.lm_studio_chat import LmStudioChatWriter
from app.api.kept_chats import MOST_BYTES, MOST_CHATS, KeptChat, KeptChats
from app.text.answer_parts import AnswerParts
from tests.app.api.conftest import Serve
from tests.app.api.serving import Served
from tests.app.picture_files import RULES, picture
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script, play

CHAT = "/api/v1/chat"
QUESTION = "What is a draft model?"
SHORT = {"input": QUESTION, "max_output_tokens": 24, "temperature": 0}


def _turns(served: Served) -> list[tuple[str, str]]:
    """Return the roles and texts of the newest request."""
    return [(message["role"], message["content"]) for message in served.requests[-1].messages]


def test_an_answer_and_its_stream_say_the_same(starter: Served) -> None:
    whole = starter.post(CHAT, SHORT).json()
    asked = {"messages": [{"role": "user", "content": QUESTION}], "max_tokens": 24, "temperature": 0}
    answer = starter.chat(asked)
    assert whole["output"] == [{"type": "message", "content": answer["choices"][0]["message"]["content"]}]
    assert whole["stats"]["input_tokens"] == answer["usage"]["prompt_tokens"]
    assert whole["stats"]["total_output_tokens"] == 24
    assert whole["stats"]["tokens_per_second"] > 0
    events = list(starter.events(CHAT, SHORT))
    kinds = list(dict.fromkeys(event["type"] for event in events))
    reading = [f"prompt_processing.{state}" for state in ("start", "progress", "end")]
    assert kinds == ["chat.start", *reading, "message.start", "message.delta", "message.end", "chat.end"]
    text = "".join(event["content"] for event in events if event["type"] == "message.delta")
    assert events[-1]["result"]["output"] == [{"type": "message", "content": text}] == whole["output"]
    assert all(0 <= event["progress"] <= 1 for event in events if event["type"] == "prompt_processing.progress")


def test_a_chat_goes_on_from_any_of_its_answers(serve: Serve) -> None:
    engine = ScriptedEngine([Script("<think>Hm.</think>One."), Script("Two."), Script("Other.")])
    served = serve(engine)
    first = served.post(CHAT, {"input": "1?", "system_prompt": "Be short."}).json()
    assert [item["type"] for item in first["output"]] == ["reasoning", "message"]
    *_, end = served.events(CHAT, {"input": "2?", "previous_response_id": first["response_id"]})
    start = [("system", "Be short."), ("user", "1?"), ("assistant", "One.")]
    assert _turns(served) == [*start, ("user", "2?")]
    second = end["result"]["response_id"]
    changed = {"input": "3?", "system_prompt": "Be long.", "previous_response_id": second}
    served.post(CHAT, changed)
    assert _turns(served) == [
        ("system", "Be long."),
        *start[1:],
        ("user", "2?"),
        ("assistant", "Two."),
        ("user", "3?"),
    ]
    served.post(CHAT, {"input": "else?", "previous_response_id": first["response_id"]})
    assert _turns(served) == [*start, ("user", "else?")]


def test_nothing_is_kept_that_should_not_be_and_others_find_nothing(serve: Serve) -> None:
    served = serve()
    assert "response_id" not in served.post(CHAT, {"input": "a", "store": False}).json()
    name = served.post(CHAT, {"input": "My secret", "user": "Kim"}).json()["response_id"]
    for follows in ({"user": "Lee"}, {}, {"user": "Kim", "previous_response_id": "resp_none"}):
        refused = served.post(CHAT, {"input": "What?", "previous_response_id": name, **follows})
        error = refused.json()["error"]
        assert (refused.status_code, error["code"], error["param"]) == (
            404,
            "response_not_found",
            "previous_response_id",
        )
    assert served.post(CHAT, {"input": "What?", "previous_response_id": name, "user": "Kim"}).status_code == 200


def test_pictures_stay_in_the_chat(serve: Serve) -> None:
    served = serve(ScriptedEngine([Script("Red.")], pictures=RULES))
    url = f"data:image/png;base64,{base64.b64encode(picture()).decode()}"
    parts = [{"type": "message", "content": "What is this?"}, {"type": "image", "data_url": url}]
    name = served.post(CHAT, {"input": parts}).json()["response_id"]
    served.post(CHAT, {"input": "And now?", "previous_response_id": name})
    request = served.requests[-1]
    assert [part["type"] for part in request.messages[0]["content"]] == ["text", "image"]
    assert request.messages[0]["content"][1]["digest"] in request.pictures


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({"input": None}, "input"),
        ({"integrations": ["mcp/playwright"]}, "integrations"),
        ({"input": [{"type": "image", "data_url": "https://example.com/a.png"}]}, "url"),
        ({"repeat_penalty": -1}, "repeat_penalty"),
    ],
)
def test_what_cannot_be_done_names_its_field(told: Served, fields: dict[str, Any], param: str) -> None:
    reply = told.post(CHAT, {"input": "Hello", **fields})
    assert reply.status_code == 400
    assert param in reply.json()["error"]["param"]


def test_the_settings_reach_the_model(told: Served) -> None:
    settings = {"repeat_penalty": 1.2, "top_k": 5, "context_length": 512, "reasoning": "off"}
    assert told.post(CHAT, {"input": "Hello", **settings}).status_code == 200
    request = told.requests[-1]
    assert (request.sampling.repetition_penalty, request.sampling.top_k, request.kept_context) == (1.2, 5, 512)
    assert request.overflow == "shorten"


def test_a_sign_of_life_belongs_to_what_is_under_way() -> None:
    writer = LmStudioChatWriter("m", AnswerParts(), None)
    events = list(play(Script("<think>Hm.</think>One.")))
    signs = []
    for event in events[:-1]:
        writer.write([(0, event)])
        signs.append(writer.keep_alive().partition(b"\n")[0].decode())
    in_order = list(dict.fromkeys(signs))
    assert in_order[0] == "event: prompt_processing.progress"
    assert in_order[-2:] == ["event: reasoning.delta", "event: message.delta"]
    # Before the first item, and between two, there is nothing that an event could belong to.
    assert set(in_order[1:-2]) <= {": keep-alive"}


def test_the_oldest_chats_go_first() -> None:
    chats = KeptChats()
    for number in range(MOST_CHATS + 2):
        chats.keep("", str(number), KeptChat([{"role": "user", "content": "x"}]))
    assert chats.get("", "1") is None
    assert chats.get("", "2") is not None
    chats.keep("", "large", KeptChat([{"role": "user", "content": "x" * MOST_BYTES}]))
    assert chats.get("", "large") is not None
    assert chats.get("", str(MOST_CHATS)) is None
