"""POST /v1/chat/completions on the starter pair, and the shapes of answers that play scripts."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

import pytest

from app.api.requests.usage import timings
from engine import ChatRequest, Finished, RequestStats, SamplingSettings
from engine.status import LoadedPair
from engine.tokenizers.thinking import ThinkingChoice
from tests.app.api.conftest import CALLER, Serve
from tests.app.api.serving import Served, content_of
from tests.app.scripted_engine import ScriptedEngine, model_info
from tests.app.scripts import STORY, Script

ENDPOINTS: list[tuple[str, dict[str, Any]]] = [
    ("/v1/chat/completions", {"messages": [{"role": "user", "content": "Hello"}]}),
    ("/v1/completions", {"prompt": "Hello"}),
    ("/v1/responses", {"input": "Hello"}),
    ("/v1/messages", {"messages": [{"role": "user", "content": "Hello"}], "max_tokens": 9}),
]
TOOLS = [{"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}]


def answer_of(served: Served, request: ChatRequest) -> Finished:
    *_, last = served.engine.submit(request)
    assert isinstance(last, Finished)
    return last


@pytest.mark.parametrize(
    "sampling",
    [pytest.param({"temperature": 0}, marks=pytest.mark.full), {"temperature": 0.8, "top_p": 0.9, "seed": 7}],
)
def test_the_text_is_the_engines_own_whole_and_streamed(
    starter: Served, question: dict[str, Any], sampling: dict[str, float]
) -> None:
    asked = question | sampling
    own = answer_of(
        starter,
        ChatRequest(asked["messages"], SamplingSettings(**sampling), max_tokens=asked["max_tokens"]),  # type: ignore[arg-type]
    )
    whole = starter.chat(asked)
    chunks = list(starter.events("/v1/chat/completions", asked))
    assert whole["choices"][0]["message"]["content"] == content_of(chunks) == own.text
    assert whole["choices"][0]["finish_reason"] == chunks[-1]["choices"][0]["finish_reason"] == own.reason
    assert whole["model"] == "starter/main"


@pytest.mark.first
def test_usage_says_what_speculation_did(starter: Served, question: dict[str, Any]) -> None:
    asked = question | {"speculation": {"method": "draft", "depth": 4}}
    usage = starter.chat(asked)["usage"]
    found = usage["speculation"]
    assert usage["completion_tokens"] == 24
    assert found["drafted"] >= found["accepted"] > 0
    assert found["accept_rate"] == found["accepted"] / found["drafted"]
    assert {"speedup", "speedup_low", "speedup_high"} <= set(found)
    assert found["tokens_per_round"] == 24 / found["rounds"]
    assert usage["completion_tokens_details"] == {
        "accepted_prediction_tokens": found["accepted"],
        "rejected_prediction_tokens": found["drafted"] - found["accepted"],
        "reasoning_tokens": 0,
    }
    *_, last, with_usage = starter.events("/v1/chat/completions", asked | {"stream_options": {"include_usage": True}})
    assert last["speculation"]["accepted"] > 0
    assert with_usage["choices"] == []
    assert with_usage["usage"]["completion_tokens"] == 24


@pytest.mark.full
@pytest.mark.parametrize(
    "fields",
    [
        {"speculation": "off"},
        *(
            pytest.param(fields, marks=pytest.mark.full)
            for fields in ({"num_draft_tokens": 0}, {"draft_model": "none"}, {"speculation": {"depth": 0}})
        ),
    ],
)
def test_a_request_may_do_without_speculation(
    starter: Served, question: dict[str, Any], fields: dict[str, Any]
) -> None:
    plain = starter.chat(question | fields)
    assert plain["usage"]["speculation"]["drafted"] == 0
    assert plain["choices"][0]["message"] == starter.chat(question)["choices"][0]["message"]


@pytest.mark.full
def test_choices_have_seeds_of_their_own(starter: Served, question: dict[str, Any]) -> None:
    asked = question | {"temperature": 1.5, "seed": 3, "max_tokens": 8}
    three = starter.chat(asked | {"n": 3})["choices"]
    assert [choice["index"] for choice in three] == [0, 1, 2]
    alone = [starter.chat(asked | {"seed": seed})["choices"][0]["message"]["content"] for seed in (3, 4, 5)]
    assert [choice["message"]["content"] for choice in three] == alone
    chunks = list(starter.events("/v1/chat/completions", asked | {"n": 3}))
    assert [content_of(chunks, index) for index in range(3)] == alone


def test_logprobs_belong_to_tokens_that_add_up_to_the_text_and_come_with_the_likeliest(
    starter: Served, question: dict[str, Any]
) -> None:
    asked = question | {"logprobs": True, "top_logprobs": 3}
    choice = starter.chat(asked)["choices"][0]
    plain = starter.chat(asked | {"speculation": "off"})["choices"][0]
    streamed = [
        token
        for chunk in starter.events("/v1/chat/completions", asked)
        for one in chunk["choices"]
        for token in (one["logprobs"] or {"content": []})["content"]
    ]
    for tokens in (choice["logprobs"]["content"], streamed):
        assert len(tokens) == 24
        assert all(token["logprob"] <= 0 for token in tokens)
        assert "".join(token["token"] for token in tokens) == choice["message"]["content"]
    for token, other in zip(choice["logprobs"]["content"], plain["logprobs"]["content"], strict=True):
        assert len(token["top_logprobs"]) == 3
        # Greedy: the token is the likeliest.
        assert token["top_logprobs"][0]["logprob"] == pytest.approx(token["logprob"], abs=1e-5)
        for one, same in zip(token["top_logprobs"], other["top_logprobs"], strict=True):
            assert one["logprob"] == pytest.approx(same["logprob"], abs=1e-3)
    refused = starter.post("/v1/chat/completions", question | {"top_logprobs": 3})
    assert (refused.status_code, refused.json()["error"]["param"]) == (400, "logprobs")
    asked = {"prompt": "<|im_start|>user\nHello<|im_end|>\n<|im_start|>assistant\n", "max_tokens": 4, "logprobs": 2}
    raw = starter.post("/v1/completions", asked | {"temperature": 0}).json()
    assert [len(top) for top in raw["choices"][0]["logprobs"]["top_logprobs"]] == [2] * 4


def test_stop_strings_end_the_answer(starter: Served, question: dict[str, Any]) -> None:
    whole = starter.chat(question)["choices"][0]["message"]["content"]
    cut = starter.chat(question | {"stop": whole[8:11]})["choices"][0]
    assert cut["finish_reason"] == "stop"
    assert cut["message"]["content"] == whole[: whole.index(whole[8:11])]


def test_instructions_of_both_kinds_become_one_system_message(serve: Serve) -> None:
    served = serve()
    served.chat(
        {
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "developer", "content": [{"type": "text", "text": "Be "}, {"type": "text", "text": "kind."}]},
                {"role": "user", "content": "Hello"},
            ]
        }
    )
    assert served.requests[0].messages == [
        {"role": "system", "content": "Be brief.\n\nBe kind."},
        {"role": "user", "content": "Hello"},
    ]


@pytest.mark.parametrize("arguments", ['{"city": "서울"}', {"city": "서울"}], ids=["text", "object"])
def test_what_tools_found_goes_back_to_the_model(serve: Serve, arguments: Any) -> None:
    served = serve(ScriptedEngine([Script("It rains.")]), CALLER)
    call = {"id": "call-1", "type": "function", "function": {"name": "weather", "arguments": arguments}}
    served.chat(
        {
            "messages": [
                {"role": "user", "content": "Weather?"},
                {"role": "assistant", "content": None, "tool_calls": [call]},
                {"role": "tool", "tool_call_id": "call-1", "content": "rain"},
            ],
            "tools": TOOLS,
        }
    )
    [request] = served.requests
    assert request.messages[1]["tool_calls"][0]["function"] == {"name": "weather", "arguments": {"city": "서울"}}
    assert request.messages[2] == {"role": "tool", "content": "rain", "tool_call_id": "call-1"}
    assert request.tools[0]["function"]["name"] == "weather"


def test_what_cannot_be_answered_is_refused_with_the_name_of_the_field(told: Served, question: dict[str, Any]) -> None:
    refused: list[tuple[dict[str, Any], str]] = [
        ({"messages": "Hello"}, "messages"),
        ({"messages": []}, "messages"),
        ({"messages": [5]}, "messages[0]"),
        ({"messages": [{"role": 5, "content": "Hello"}]}, "messages[0].role"),
        ({"messages": [{"role": "user", "content": 5}]}, "messages[0].content"),
        ({"temperature": -1}, "temperature"),
        ({"temperature": "hot"}, "temperature"),
        ({"top_p": 1.5}, "top_p"),
        ({"max_tokens": 2**60}, "max_tokens"),
        ({"n": 100}, "n"),
        ({"stop": [5]}, "stop[0]"),
        ({"seed": 1.5}, "seed"),
        ({"logit_bias": {"a": 1}}, "logit_bias"),
        ({"speculation": "magic"}, "speculation.method"),
        ({"num_draft_tokens": 99}, "num_draft_tokens"),
        ({"tools": 5}, "tools"),
        ({"stream": "yes"}, "stream"),
    ]
    for fields, param in refused:
        response = told.post("/v1/chat/completions", question | fields)
        error = response.json()["error"]
        assert (response.status_code, error["param"]) == (400, param)
        assert error["message"].endswith(".")


@pytest.mark.parametrize(("path", "body"), ENDPOINTS)
def test_every_endpoint_samples_as_asked_and_as_the_models_authors_recommend(
    serve: Serve, path: str, body: dict[str, Any]
) -> None:
    recommended = replace(model_info("main"), sampling=(("temperature", 0.6), ("top_k", 20)))
    served = serve(None, LoadedPair(recommended, None))
    asked = {"top_k": 5, "min_p": 0.1, "presence_penalty": 0.5, "frequency_penalty": 0.25, "seed": 3}
    assert served.post(path, body | asked | {"speculation": {"method": "ngram", "depth": 2}}).status_code == 200
    [request] = served.requests
    assert request.sampling == SamplingSettings(temperature=0.6, **asked)
    assert (request.speculation.method, request.speculation.depth) == ("ngram", 2)
    assert served.post(path, body | {"temperature": 5}).status_code == 200
    refused = served.post(path, body | {"temperature": 5.1})
    assert refused.status_code == 400
    assert refused.json()["error"]["message"] == "'temperature': Expected `float` <= 5.0."


@pytest.mark.parametrize("name", ["gpt-4o", "../../etc/passwd", "/etc"])
def test_a_name_is_never_a_path_and_loads_nothing(serve: Serve, question: dict[str, Any], name: str) -> None:
    engine = ScriptedEngine()
    assert serve(engine).chat(question | {"model": name})["model"] == "main"
    assert len(engine.requests) == 1


def test_a_client_that_leaves_ends_its_answer(serve: Serve, question: dict[str, Any]) -> None:
    gate = threading.Semaphore(4)
    served = serve(ScriptedEngine([Script(STORY)], gate=gate))
    stream = served.events("/v1/chat/completions", question)
    next(stream)
    # Closes the connection.
    stream.close()  # type: ignore[attr-defined]
    gate.release(1)
    for _ in range(2000):
        if served.api.ended:
            break
        threading.Event().wait(0.01)
    [call] = served.api.ended
    assert call.state == "cancelled"
    assert served.api.status.under_way == ()


EFFORTS = ThinkingChoice(("low", "medium", "high"), "medium")
SWITCH = ThinkingChoice(("off", "on"), "on", "deepseek, granite, kimi")


@pytest.mark.parametrize(
    ("choice", "effort", "options"),
    [
        (SWITCH, "none", {"thinking": False}),
        (SWITCH, "high", {"thinking": True}),
        (EFFORTS, "minimal", {"reasoning_effort": "low"}),
        (EFFORTS, "none", {"reasoning_effort": "low"}),
        (EFFORTS, "xhigh", {"reasoning_effort": "high"}),
        (ThinkingChoice(), "none", {}),
    ],
)
def test_every_api_switches_thinking_as_the_template_does(
    serve: Serve, choice: ThinkingChoice, effort: str, options: dict[str, Any]
) -> None:
    engine = ScriptedEngine([Script("It is 4.")])
    served = serve(engine, LoadedPair(replace(model_info("main"), thinking=choice), None))
    served.chat({"messages": [{"role": "user", "content": "2 + 2?"}], "reasoning_effort": effort})
    served.post("/v1/responses", {"input": "2 + 2?", "reasoning": {"effort": effort}})
    asked = {"messages": [{"role": "user", "content": "2 + 2?"}], "max_tokens": 9}
    served.post("/v1/messages", asked | {"thinking": {"type": "disabled" if effort == "none" else "enabled"}})
    by_chat, by_responses, by_messages = (request.template_options for request in engine.requests)
    assert by_chat == by_responses == options
    assert by_messages == choice.options("off" if effort == "none" else "on")


def test_variables_of_the_template_come_before_the_effort(serve: Serve) -> None:
    engine = ScriptedEngine([Script("It is 4.")])
    served = serve(engine, LoadedPair(replace(model_info("main"), thinking=SWITCH), None))
    own = {"thinking": True, "thinking_budget": 512, "rows": [1]}
    asked = {"messages": [{"role": "user", "content": "2 + 2?"}], "reasoning_effort": "none"}
    served.chat(asked | {"chat_template_kwargs": own})
    assert engine.requests[-1].template_options == {"thinking": True, "thinking_budget": 512}


def test_an_answer_says_that_system_messages_were_merged() -> None:
    assert timings(RequestStats(merged_messages=2))["merged_system_messages"] == 2


def test_the_bytes_of_characters_that_are_split_over_tokens_add_up(caller: Served) -> None:
    asked = {"messages": [{"role": "user", "content": "안녕"}], "max_tokens": 80, "temperature": 1, "seed": 3}
    [choice] = caller.chat(asked | {"logprobs": True, "top_logprobs": 2})["choices"]
    tokens = choice["logprobs"]["content"]
    parts = [bytes(token["bytes"]) for token in tokens]
    assert any(part.decode(errors="ignore").encode() != part for part in parts)
    assert any(
        bytes(one["bytes"]).decode(errors="replace") != one["token"] or "\ufffd" in one["token"]
        for token in tokens
        for one in token["top_logprobs"]
    )
    whole = b"".join(parts).decode(errors="ignore")
    assert whole.replace("\ufffd", "") == choice["message"]["content"].replace("\ufffd", "")
