"""Pictures in the three APIs: they reach the engine as files, and no address is ever fetched."""

from __future__ import annotations

import base64
import hashlib
from itertools import product
from typing import Any

import pytest

from engine.errors import ModelCannotSee, PictureNotUsable
from tests.app.api.conftest import Serve
from tests.app.picture_files import RULES, picture
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script

RED = picture()
BASE64 = base64.b64encode(RED).decode()
URL, ADDRESS = f"data:image/png;base64,{BASE64}", "http://192.168.0.1/a.png"
PART = {"type": "image", "digest": hashlib.sha256(RED).hexdigest()}
TEXT = {"type": "text", "text": "What is this?"}


def openai_chat(given: Any) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": [TEXT, {"type": "image_url", "image_url": {"url": given}}]}]}


def responses(given: Any) -> dict[str, Any]:
    parts = [{"type": "input_text", "text": TEXT["text"]}, {"type": "input_image", "image_url": given}]
    return {"input": [{"role": "user", "content": parts}]}


def messages(given: Any) -> dict[str, Any]:
    source = {"type": "url", "url": given}
    if given == URL:
        source = {"type": "base64", "media_type": "image/png", "data": BASE64}
    return {"max_tokens": 9, "messages": [{"role": "user", "content": [TEXT, {"type": "image", "source": source}]}]}


def lm_studio(given: Any) -> dict[str, Any]:
    return {"input": [{"type": "text", "content": TEXT["text"]}, {"type": "image", "data_url": given}]}


ENDPOINTS = [
    ("/v1/chat/completions", openai_chat),
    ("/v1/responses", responses),
    ("/v1/messages", messages),
    ("/api/v1/chat", lm_studio),
]


@pytest.fixture
def engine() -> ScriptedEngine:
    return ScriptedEngine([Script("Red.")], pictures=RULES)


@pytest.mark.parametrize(("path", "body"), ENDPOINTS)
def test_a_picture_reaches_the_engine_where_it_stands(
    serve: Serve, engine: ScriptedEngine, path: str, body: Any
) -> None:
    served = serve(engine)
    assert served.post(path, body(URL)).status_code == 200
    [request] = engine.requests
    assert request.messages[-1] == {"role": "user", "content": [TEXT, PART]}
    assert request.pictures == {PART["digest"]: RED}


def test_an_address_and_what_is_no_picture_is_refused(serve: Serve, engine: ScriptedEngine) -> None:
    served = serve(engine)
    for (path, body), given in product(ENDPOINTS, (ADDRESS, "file:///etc/passwd", "data:image/png;base64,%%%", 5)):
        response = served.post(path, body(given))
        assert response.status_code == 400, (path, given)
        assert ("fetches no pictures" in response.text) == (given in (ADDRESS, "file:///etc/passwd")), (path, given)
    assert engine.requests == []


def test_pictures_in_results_of_functions_reach_the_engine(serve: Serve, engine: ScriptedEngine) -> None:
    served = serve(engine)
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": BASE64}}
    result = {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": "Here."}, image]}
    call = {"type": "tool_use", "id": "t", "name": "look", "input": {}}
    asked = [{"role": "user", "content": "Look."}, {"role": "assistant", "content": [call]}]
    reminded = [{"type": "text", "text": "Think."}, image]
    turns = [{"role": "user", "content": [result]}, {"role": "system", "content": "Short."}]
    body = {"max_tokens": 9, "messages": [*asked, *turns, {"role": "user", "content": reminded}]}
    assert served.post("/v1/messages", body).status_code == 200
    output = {"type": "function_call_output", "call_id": "t", "output": [{"type": "input_image", "image_url": URL}]}
    called = {"type": "function_call", "call_id": "t", "name": "look", "arguments": "{}"}
    assert served.post("/v1/responses", {"input": [{"role": "user", "content": "Look."}, called, output]}).is_success
    first, second = ([turn for turn in request.messages if turn["role"] == "tool"] for request in engine.requests)
    assert [turn["content"] for turn in (*first, *second)] == [[{"type": "text", "text": "Here."}, PART], [PART]]
    joined = engine.requests[0].messages[-1]["content"]
    assert joined == [{"type": "text", "text": text} for text in ("Short.", "\n\n", "Think.")] + [PART]


def test_pictures_in_results_reach_the_engine_from_chats(serve: Serve, engine: ScriptedEngine) -> None:
    served = serve(engine)
    call = {"id": "t", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    asked = [{"role": "user", "content": "Look."}, {"role": "assistant", "content": "", "tool_calls": [call]}]
    shown = {"role": "tool", "tool_call_id": "t", "content": [{"type": "image_url", "image_url": {"url": URL}}]}
    assert served.post("/v1/chat/completions", {"messages": [*asked, shown]}).is_success
    found = {"role": "tool", "tool_name": "look", "content": "Here.", "images": [BASE64]}
    assert served.post("/api/chat", {"messages": [*asked, found]}).is_success
    contents = [request.messages[-1]["content"] for request in engine.requests]
    assert contents == [[PART], [PART, {"type": "text", "text": "Here."}]]
    assert all(request.pictures == {PART["digest"]: RED} for request in engine.requests)


@pytest.mark.parametrize("role", ["system", "assistant"])
def test_pictures_of_other_roles_are_in_the_next_turn_of_the_user(
    serve: Serve, engine: ScriptedEngine, role: str
) -> None:
    [message] = openai_chat(URL)["messages"]
    turns = [message | {"role": role}, {"role": "user", "content": "Blue."}]
    assert serve(engine).post("/v1/chat/completions", {"messages": turns}).status_code == 200
    first, second = engine.requests[0].messages
    assert (first["role"], first["content"]) == (role, "What is this?")
    assert (second["role"], second["content"]) == ("user", [PART, {"type": "text", "text": "Blue."}])


@pytest.mark.parametrize("error", [ModelCannotSee("main"), PictureNotUsable("animated")])
def test_why_a_picture_is_not_seen_is_told(serve: Serve, error: Any) -> None:
    served = serve(ScriptedEngine([Script("It is red.", error=error, fail_after=0)], pictures=RULES))
    response = served.post("/v1/chat/completions", openai_chat(URL))
    assert (response.status_code, response.json()["error"]["code"]) == (400, error.code)


@pytest.mark.parametrize(
    ("reason", "said"),
    [("", "main cannot see pictures."), ("cluster", "main cannot see pictures on several machines.")],
)
def test_where_a_model_cannot_see_is_told(serve: Serve, reason: str, said: str) -> None:
    error = ModelCannotSee("main", reason)
    served = serve(ScriptedEngine([Script("It is red.", error=error, fail_after=0)], pictures=RULES))
    assert served.post("/v1/chat/completions", openai_chat(URL)).json()["error"]["message"] == said
