"""Ollama's shape of the API: the official client of Python, unmodified, and what other programs send."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import ollama
import pytest

from app.api.dialects.ollama import OllamaGenerateBody, OllamaWriter
from app.text.answer_parts import AnswerParts
from engine.errors import InternalFailure
from engine.tokenizers.thinking import ThinkingChoice
from tests.app.api.conftest import CALLER, Serve
from tests.app.api.serving import UNENCRYPTED, Served
from tests.app.picture_files import RULES, picture
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script
from tests.patience import PATIENCE_S

ASKED = [{"role": "user", "content": "What is a draft model?"}]
SHORT = {"num_predict": 24, "temperature": 0}
TOOL = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object", "properties": {}}}}


ClientOf = Callable[[Served], ollama.Client]


@pytest.fixture
def client_of() -> Iterator[ClientOf]:
    with ExitStack() as opened:
        yield lambda served: opened.enter_context(ollama.Client(served.address, timeout=PATIENCE_S, **UNENCRYPTED))


@pytest.fixture
def client(starter: Served, client_of: ClientOf) -> ollama.Client:
    return client_of(starter)


@pytest.fixture
def own(starter: Served) -> str:
    """The answer of another endpoint."""
    asked = {"messages": ASKED, "max_tokens": 24, "temperature": 0}
    text: str = starter.chat(asked)["choices"][0]["message"]["content"]
    return text


@pytest.mark.full
def test_the_client_reads_the_answers_that_other_clients_get(client: ollama.Client, own: str) -> None:
    whole = client.chat("starter/main", ASKED, options=SHORT)
    pieces = list(client.chat("starter/main:latest", ASKED, stream=True, options=SHORT))
    assert whole.message.content == own
    assert "".join(piece.message.content or "" for piece in pieces) == own
    for last in (whole, pieces[-1]):
        assert (last.done, last.done_reason, last.eval_count, last.model) == (True, "length", 24, "starter/main")
        assert last.prompt_eval_count
        assert last.total_duration
        assert last.eval_duration
        assert last.prompt_eval_duration
        assert last.total_duration >= last.eval_duration
    assert not any(piece.done for piece in pieces[:-1])
    generated = client.generate("starter/main", ASKED[0]["content"], options=SHORT)
    assert generated.response == own


def test_raw_prompts_and_log_probabilities(client: ollama.Client, starter: Served) -> None:
    answer = client.generate("starter/main", "Once upon a", raw=True, options=SHORT, logprobs=True, top_logprobs=2)
    asked = {"prompt": "Once upon a", "max_tokens": 24, "temperature": 0}
    assert answer.response == starter.post("/v1/completions", asked).json()["choices"][0]["text"]
    assert answer.logprobs is not None
    assert "".join(token.token for token in answer.logprobs) == answer.response
    assert answer.logprobs[0].top_logprobs is not None
    assert len(answer.logprobs[0].top_logprobs) == 2


@pytest.mark.parametrize(
    "form",
    [pytest.param("json", marks=pytest.mark.full), {"type": "object", "properties": {"city": {"enum": ["Seoul"]}}}],
)
def test_formats_hold_the_answer(client: ollama.Client, form: Any) -> None:
    options = {"num_predict": 200, "temperature": 0}
    answer = client.chat("starter/main", ASKED, format=form, options=options)
    assert answer.message.content is not None
    assert answer.message.content.lstrip().startswith("{")


def test_results_of_tools_get_the_ids_of_their_calls(serve: Serve, client_of: ClientOf) -> None:
    served = serve(ScriptedEngine(), CALLER)
    calls = [{"function": {"name": name, "arguments": {"city": "Seoul"}}} for name in ("weather", "time")]
    results = [{"role": "tool", "content": name, "tool_name": name} for name in ("time", "weather")]
    asked = [*ASKED, {"role": "assistant", "thinking": "Hm.", "tool_calls": calls}, *results]
    client_of(served).chat("any", asked, tools=[TOOL])
    _, called, *answered = served.requests[0].messages
    ids = {call["function"]["name"]: call["id"] for call in called["tool_calls"]}
    assert called["reasoning_content"] == "Hm."
    assert [(turn["content"], turn["tool_call_id"]) for turn in answered] == list(reversed(ids.items()))


def test_results_find_their_calls_by_the_ids_that_a_program_sends_without_names(serve: Serve) -> None:
    served = serve(ScriptedEngine(), CALLER)
    calls = [{"id": city, "function": {"name": "weather", "arguments": {"city": city}}} for city in ("Seoul", "Rio")]
    results = [{"role": "tool", "content": city, "tool_call_id": city} for city in ("Rio", "Seoul")]
    asked = [*ASKED, {"role": "assistant", "content": "", "tool_calls": calls}, *results]
    assert served.post("/api/chat", {"messages": asked, "tools": [TOOL], "stream": False}).status_code == 200
    _, called, *answered = served.requests[0].messages
    ids = {call["id"]: call["function"]["arguments"]["city"] for call in called["tool_calls"]}
    assert [(ids[turn["tool_call_id"]], turn["content"]) for turn in answered] == [("Rio", "Rio"), ("Seoul", "Seoul")]


def test_options_are_those_of_other_endpoints(serve: Serve, client_of: ClientOf) -> None:
    served = serve()
    options = {
        "num_predict": -1,
        "seed": -1,
        "repeat_penalty": 1.2,
        "repeat_last_n": -1,
        "num_ctx": 4096,
        "stop": ["a"],
    }
    client_of(served).chat("any", ASKED, options={**options, "min_p": 0.1, "top_k": 5})
    request = served.requests[0]
    sampling = request.sampling
    assert (request.max_tokens, request.stop, sampling.seed, sampling.min_p, sampling.top_k) == (
        None,
        ("a",),
        None,
        0.1,
        5,
    )
    assert (sampling.repetition_penalty, sampling.penalty_window) == (1.2, 0)
    assert (request.overflow, request.kept_context) == ("shorten", 4096)


@pytest.mark.parametrize(("truncate", "overflow"), [(False, "refuse"), (True, "shorten"), (None, "shorten")])
def test_a_conversation_loses_no_turn_if_it_may_not(told: Served, truncate: bool | None, overflow: str) -> None:
    for path, body in {"/api/chat": {"messages": ASKED}, "/api/generate": {"prompt": "Hi"}}.items():
        assert told.post(path, body | {"truncate": truncate, "stream": False}).status_code == 200
        assert told.requests[-1].overflow == overflow


def test_a_prompt_may_have_instructions_and_a_way_to_think(serve: Serve, client_of: ClientOf) -> None:
    thinking = ThinkingChoice(("off", "on"), "on")
    assert CALLER.main is not None
    served = serve(ScriptedEngine(), replace(CALLER, main=replace(CALLER.main, thinking=thinking)))
    client_of(served).generate("any", "Hello", system="Be brief.", think=False)
    request = served.requests[0]
    assert [turn["role"] for turn in request.messages] == ["system", "user"]
    assert request.template_options == {"enable_thinking": False}


def test_a_silent_stream_sends_a_piece_without_text() -> None:
    writer = OllamaWriter("m", AnswerParts(), OllamaGenerateBody())
    piece = json.loads(writer.keep_alive())
    assert (piece["response"], piece["done"], writer.keep_alive()[-1:]) == ("", False, b"\n")


def test_models_are_listed_shown_and_loaded(client: ollama.Client) -> None:
    listed = client.list().models
    assert [model.model for model in listed] == ["starter/main", "starter/draft"]
    assert listed[0].details is not None
    assert listed[0].digest
    shown = client.show("starter/main")
    assert shown.capabilities is not None
    assert "completion" in shown.capabilities
    assert shown.modelinfo is not None
    assert shown.modelinfo["qwen3.context_length"] == 2048
    assert "starter/main" in [model.model for model in client.ps().models]
    assert client.generate("starter/main").done_reason == client.chat("starter/main").done_reason == "load"


def test_pictures_reach_the_engine_before_the_text(serve: Serve, client_of: ClientOf) -> None:
    engine = ScriptedEngine([Script("Red."), Script("Red.")], pictures=RULES)
    client = client_of(serve(engine))
    client.chat("main", [{"role": "user", "content": "What is it?", "images": [picture()]}])
    client.generate("main", "What is it?", images=[picture()])
    for request in engine.requests:
        assert [part["type"] for part in request.messages[-1]["content"]] == ["image", "text"]
        assert list(request.pictures.values()) == [picture()]


def test_errors_have_the_shape_that_the_client_reads(client: ollama.Client, serve: Serve, client_of: ClientOf) -> None:
    for call, status in (
        (lambda: client.show("none/such\n"), None),
        (lambda: client.chat("starter/main", [{**ASKED[0], "role": "system", "images": [b"0"]}]), 400),
        (lambda: client.generate("starter/main", "a", suffix="b"), 400),
        (lambda: client.generate("starter/main", "a", options={"temperature": -1}), 400),
        (lambda: client.pull("none"), 404),
    ):
        if status is None:
            # Unknown names stand for the loaded model.
            assert call().modelinfo
            continue
        with pytest.raises(ollama.ResponseError) as caught:
            call()
        assert caught.value.status_code == status
        assert caught.value.error.endswith(".")
    failing = serve(ScriptedEngine([Script(error=InternalFailure("x"), fail_after=2)]))
    with pytest.raises(ollama.ResponseError):
        list(client_of(failing).chat("any", ASKED, stream=True))


def test_a_stream_is_lines_of_json_and_the_default(starter: Served) -> None:
    response = starter.post("/api/chat", {"model": "starter/main", "messages": ASKED, "options": SHORT})
    assert response.headers["content-type"] == "application/x-ndjson"
    *pieces, last = [json.loads(line) for line in response.text.splitlines()]
    assert pieces
    assert last["done"]
    assert starter.get("/api/version").json()["version"]
    assert starter.get("/").status_code == 200
