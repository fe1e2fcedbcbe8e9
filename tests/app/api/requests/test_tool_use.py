"""Answers that have to call functions: a model that knows nothing can write nothing else, through real clients."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.api.requests.lenient_content import SKIPPED_HEADER
from engine import Engine
from engine.call_forms.reading import NESTED
from engine.status import LoadedPair
from tests.app.api.conftest import CALLER, Serve
from tests.app.api.serving import Served, content_of
from tests.app.scripted_engine import ScriptedEngine, model_info
from tests.app.scripts import Script
from tests.tiny_models import SPECIAL, train_tokenizer, write_model

CITIES = {"type": "object", "properties": {"city": {"enum": ["Seoul", "Rio"]}}, "required": ["city"]}
DAY = {"type": "object", "properties": {"day": {"enum": ["today", "tomorrow"]}}, "required": ["day"]}
TOOLS: list[Any] = [
    {"type": "function", "function": {"name": name, "parameters": {**schema, "additionalProperties": False}}}
    for name, schema in (("weather", CITIES), ("news", DAY))
]
# The same functions for the responses of OpenAI, and for Anthropic.
FLAT: list[Any] = [{"type": "function", **tool["function"]} for tool in TOOLS]
OWN: list[Any] = [{"name": tool["function"]["name"], "input_schema": tool["function"]["parameters"]} for tool in TOOLS]
ASKED: dict[str, Any] = {
    "messages": [{"role": "user", "content": "the quick brown fox"}],
    "tools": TOOLS,
    "temperature": 0,
    "max_tokens": 400,
}
SCHEMA = {"type": "object", "properties": {"sure": {"type": "boolean"}}, "required": ["sure"]}
FORM: dict[str, Any] = {
    "type": "json_schema",
    "json_schema": {"name": "answer", "schema": {**SCHEMA, "additionalProperties": False}},
}


def arguments_of(choice: dict[str, Any]) -> list[tuple[str, dict[str, str]]]:
    calls = [call["function"] for call in choice["message"].get("tool_calls", ())]
    return [(call["name"], json.loads(call["arguments"])) for call in calls]


def test_a_call_is_written_where_one_is_required(caller: Served) -> None:
    required = ASKED | {"tool_choice": "required", "parallel_tool_calls": False}
    [choice] = caller.chat(required)["choices"]
    [(name, arguments)] = arguments_of(choice)
    assert (choice["finish_reason"], choice["message"]["content"]) == ("tool_calls", None)
    assert {"weather": CITIES, "news": DAY}[name]["required"] == list(arguments)
    [plain] = caller.chat(required | {"speculation": "off"})["choices"]
    assert arguments_of(plain) == [(name, arguments)]


@pytest.mark.parametrize("name", ["weather", pytest.param("news", marks=pytest.mark.full)])
def test_the_named_function_is_called_in_every_api(caller: Served, name: str) -> None:
    with caller.openai() as client:
        chosen: Any = {"type": "function", "function": {"name": name}}
        chat = client.chat.completions.create(model="default", **(ASKED | {"tool_choice": chosen}))
        response = client.responses.create(
            model="default", input="fox", tools=FLAT, temperature=0, tool_choice={"type": "function", "name": name}
        )
    with caller.anthropic() as claude:
        fox: Any = {"model": "default", "max_tokens": 400, "tools": OWN}
        fox["messages"] = [{"role": "user", "content": "fox"}]
        message = claude.messages.create(**fox, tool_choice={"type": "tool", "name": name})
        anything = claude.messages.create(**fox, tool_choice={"type": "any", "disable_parallel_tool_use": True})
    [call] = chat.choices[0].message.tool_calls or ()
    assert call.type == "function"
    assert call.function.name == name
    assert [(item.type, getattr(item, "name", "")) for item in response.output] == [("function_call", name)]
    assert [(block.type, getattr(block, "name", "")) for block in message.content] == [("tool_use", name)]
    assert [block.type for block in anything.content] == ["tool_use"]
    assert (message.stop_reason, anything.stop_reason) == ("tool_use", "tool_use")


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.full) for seed in (1, 2, 3))])
def test_with_a_format_an_answer_is_calls_or_in_the_format(caller: Served, seed: int) -> None:
    asked = ASKED | {"response_format": FORM, "parallel_tool_calls": False, "seed": seed, "temperature": 3.0}
    [choice] = caller.chat(asked)["choices"]
    if choice["finish_reason"] == "tool_calls":
        assert len(arguments_of(choice)) == 1
    else:
        assert set(json.loads(choice["message"]["content"])) == {"sure"}
    text = content_of(list(caller.events("/v1/chat/completions", asked)))
    assert text == (choice["message"]["content"] or "")
    own: dict[str, Any] = asked | {
        "tools": OWN,
        "tool_choice": {"type": "auto", "disable_parallel_tool_use": True},
        "output_config": {"format": {"type": "json_schema", "schema": FORM["json_schema"]["schema"]}},
    }
    blocks = caller.post("/v1/messages", own).json()["content"]
    assert [(one["name"], one["input"]) for one in blocks if one["type"] == "tool_use"] == arguments_of(choice)
    assert "".join(one["text"] for one in blocks if one["type"] == "text") == text


def allowed(mode: str, *names: str, flat: bool = False) -> Any:
    """The choice of these functions in the form of chat completions, or of responses."""
    tools: list[Any] = [{"type": "function", **({"name": n} if flat else {"function": {"name": n}})} for n in names]
    fields = {"mode": mode, "tools": tools}
    return {"type": "allowed_tools", **(fields if flat else {"allowed_tools": fields})}


@pytest.mark.parametrize("name", ["weather", pytest.param("news", marks=pytest.mark.full)])
def test_only_allowed_functions_are_called_where_a_call_is_required(caller: Served, name: str) -> None:
    with caller.openai() as client:
        chat = client.chat.completions.create(model="default", **(ASKED | {"tool_choice": allowed("required", name)}))
        response = client.responses.create(
            model="default", input="fox", tools=FLAT, temperature=0, tool_choice=allowed("required", name, flat=True)
        )
    called = [call.function.name for call in chat.choices[0].message.tool_calls or () if call.type == "function"]
    assert set(called) == {name}
    assert {item.name for item in response.output if item.type == "function_call"} == {name}
    assert {item.type for item in response.output} == {"function_call"}
    # The prompt has all functions, so that a client can change its choice without having the prompt read again.
    free = caller.chat(ASKED | {"max_tokens": 1})["usage"]
    assert chat.usage is not None
    assert chat.usage.prompt_tokens == free["prompt_tokens"]


def test_a_choice_that_cannot_be_held_is_refused(caller: Served) -> None:
    def function(**fields: Any) -> list[dict[str, Any]]:
        return [{"type": "function", "function": fields}]

    refused: list[tuple[dict[str, Any], str]] = [
        ({"tool_choice": "always"}, "tool_choice"),
        ({"tool_choice": {"type": "custom"}}, "tool_choice"),
        ({"tool_choice": {"type": "function", "function": {"name": "none"}}}, "tool_choice"),
        ({"tool_choice": "required", "tools": []}, "tool_choice"),
        ({"tool_choice": allowed("auto", "weather", "none")}, "tool_choice"),
        ({"tool_choice": allowed("required")}, "tool_choice"),
        ({"tool_choice": allowed("none", "weather")}, "tool_choice"),
        ({"tool_choice": {"type": "allowed_tools"}}, "tool_choice"),
        ({"parallel_tool_calls": "yes"}, "parallel_tool_calls"),
        ({"tool_choice": "required", "tools": function(name="a b")}, "tool_choice"),
    ]
    for fields, param in refused:
        response = caller.post("/v1/chat/completions", ASKED | fields)
        assert response.status_code == 400, response.text
        assert response.json()["error"]["param"].startswith(param)
        assert response.json()["error"]["message"].endswith(".")


@pytest.mark.parametrize("choice", ["required", "auto"])
@pytest.mark.parametrize(
    "schema", [{"$ref": "elsewhere"}, {"minProperties": "x"}, {"properties": {"day": {"type": "any"}}}]
)
def test_a_schema_that_cannot_be_held_fails_no_answer(caller: Served, schema: dict[str, Any], choice: str) -> None:
    tools = [{"type": "function", "function": {"name": "odd", "parameters": schema}}, *TOOLS]
    # An answer that need not call may be anything, and a short one will do.
    most = 200 if choice == "required" else 8
    [answered] = caller.chat(ASKED | {"tools": tools, "tool_choice": choice, "max_tokens": most})["choices"]
    assert choice == "auto" or {name for name, _ in arguments_of(answered)} <= {"odd", "weather", "news"}


CALL = '<tool_call>\n{"name": "news", "arguments": {"day": "today"}}\n</tool_call>'


def test_one_call_at_most_where_they_may_not_be_parallel(serve: Serve) -> None:
    served = serve(ScriptedEngine([Script(f"Both: {CALL}\n{CALL}")]), CALLER)
    asked = {"messages": ASKED["messages"], "tools": TOOLS}
    assert len(served.chat(asked)["choices"][0]["message"]["tool_calls"]) == 2
    assert len(served.chat(asked | {"parallel_tool_calls": False})["choices"][0]["message"]["tool_calls"]) == 1
    assert [tuple(request.stop) for request in served.requests] == [(), ("</tool_call>",)]
    assert served.chat(asked | {"tool_choice": "none"})["choices"][0]["message"]["content"].startswith("Both: <tool")


def responses_of(served: Served, tools: Any) -> list[Any]:
    """An answer through OpenAI's client of responses, whole and streamed."""
    with served.openai() as client:
        whole = client.responses.create(model="default", input="fox", tools=tools)
        with client.responses.stream(model="default", input="fox", tools=tools) as stream:
            return [whole, stream.get_final_response()]


def test_a_call_of_a_tool_that_is_not_allowed_stays_text(serve: Serve) -> None:
    served = serve(ScriptedEngine([Script(f"First {CALL.replace('news', 'weather')} then {CALL}")]), CALLER)
    text = f"First {CALL.replace('news', 'weather')} then "
    asked: Any = {"messages": ASKED["messages"], "tools": TOOLS, "tool_choice": allowed("auto", "news")}
    [choice] = served.chat(asked)["choices"]
    assert (choice["message"]["content"], arguments_of(choice)) == (text, [("news", {"day": "today"})])
    chunks = list(served.events("/v1/chat/completions", asked))
    deltas = [chunk["choices"][0]["delta"] for chunk in chunks]
    streamed = [call["function"]["name"] for delta in deltas for call in delta.get("tool_calls", ())]
    assert (content_of(chunks), streamed) == (text, ["news"])
    assert [tool["function"]["name"] for tool in served.requests[0].tools] == ["weather", "news"]


@pytest.mark.parametrize("form", ["gemma4", "function_gemma", "minimax_m3", "qwen3_coder", "pythonic"])
def test_a_list_of_types_fails_no_answer(serve: Serve, form: str) -> None:
    served = serve(ScriptedEngine([Script("Hello")]), LoadedPair(replace(model_info("main"), tool_format=form), None))
    schema = {"type": "object", "properties": {"day": {"type": ["string", "null"]}}}
    tools = [{"type": "function", "function": {"name": "news", "parameters": schema}}]
    [choice] = served.chat({"messages": ASKED["messages"], "tools": tools})["choices"]
    assert choice["message"]["content"] == "Hello"


def test_a_function_whose_name_is_no_identifier_is_called_by_a_model_that_writes_python(serve: Serve) -> None:
    engine = ScriptedEngine([Script('<|tool_call_start|>[get_news(day="today")]<|tool_call_end|>')])
    served = serve(engine, LoadedPair(replace(model_info("main"), tool_format="pythonic"), None))
    tools = [{"type": "function", "function": {"name": "get-news", "parameters": DAY}}]
    [choice] = served.chat({"messages": ASKED["messages"], "tools": tools})["choices"]
    assert arguments_of(choice) == [("get-news", {"day": "today"})]
    [request] = engine.requests
    assert request.grammar is not None
    assert request.grammar.in_text


def test_functions_of_a_namespace_have_both_names_and_tools_of_openai_are_left_out(serve: Serve) -> None:
    """Codex sends the tools of each MCP server as a namespace, beside a search that runs at OpenAI's."""
    engine = ScriptedEngine([Script(CALL.replace("news", "mcp__press__news"))])
    served = serve(engine, CALLER)
    tools: Any = [
        {"type": "namespace", "name": "mcp__press", "description": "The press.", "tools": FLAT},
        {"type": "web_search", "external_web_access": False},
    ]
    for response in responses_of(served, tools):
        [call] = response.output
        assert (call.type, call.namespace, call.name) == ("function_call", "mcp__press", "news")
    with served.openai() as client:
        result = {"type": "function_call_output", "call_id": call.call_id, "output": "Rain"}
        client.responses.create(model="default", input=[call.to_dict(), result], tools=tools)
    request = engine.requests[-1]
    assert [tool["function"]["name"] for tool in request.tools] == ["mcp__press__weather", "mcp__press__news"]
    assert request.messages[0]["tool_calls"][0]["function"]["name"] == "mcp__press__news"
    nameless = served.post("/v1/responses", {"input": "fox", "tools": [{"type": "function"}]})
    assert (nameless.status_code, nameless.headers[SKIPPED_HEADER]) == (200, "tool without a name")


def test_anthropic_names_the_stop_sequence(starter: Served) -> None:
    with starter.anthropic() as claude:
        asked: Any = {"model": "default", "max_tokens": 24, "messages": [{"role": "user", "content": "Hello"}]}
        whole = claude.messages.create(**asked, extra_body={"temperature": 0})
        assert (whole.stop_reason, whole.stop_sequence) in (("end_turn", None), ("max_tokens", None))
        assert whole.content[0].type == "text"
        cut = whole.content[0].text[8:11]
        stopped = claude.messages.create(**asked, stop_sequences=["\x00", cut], extra_body={"temperature": 0})
        with claude.messages.stream(**asked, stop_sequences=[cut], extra_body={"temperature": 0}) as stream:
            streamed = stream.get_final_message()
    for message in (stopped, streamed):
        assert (message.stop_reason, message.stop_sequence) == ("stop_sequence", cut)


def model_with_marks(folder: Path, monkeypatch: pytest.MonkeyPatch, marks: list[str], signs: str) -> Path:
    """A model with these control tokens, whose template mentions the signs of a form of calls."""
    monkeypatch.setattr("engine.tokenizers.loading.is_known_good", lambda _: True)
    main = write_model(folder / "main", seed=1, tokenizer=train_tokenizer(special=marks))
    settings = json.loads((main / "tokenizer_config.json").read_text())
    settings["chat_template"] += f"{{# {signs} #}}"
    (main / "tokenizer_config.json").write_text(json.dumps(settings))
    return main


@pytest.mark.full
def test_a_call_that_need_not_be_made_fits_its_schema_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    marks = [*SPECIAL, "<tool_call>", "</tool_call>"]
    main = model_with_marks(tmp_path, monkeypatch, marks, "<tool_call> tool_call.name")
    bias = {str(marks.index("<tool_call>")): 90, "0": -90, "2": -90}
    asked = ASKED | {"logit_bias": bias, "max_tokens": 200}
    with Engine() as engine:
        served = Served(engine, str(main), None)
        one = served.chat(asked | {"parallel_tool_calls": False})["choices"][0]
        several = served.chat(asked)["choices"][0]
        served.get("/v1/models")
        served.close()
    for choice in (one, several):
        for name, arguments in arguments_of(choice):
            assert {"weather": CITIES, "news": DAY}[name]["required"] == list(arguments)
    assert (one["finish_reason"], len(arguments_of(one)), len(arguments_of(several)) > 1) == ("tool_calls", 1, True)


# Control tokens of families whose calls mlx-lm does not read.
CONTROL = {
    "harmony": ("<|channel|>", "<|message|>", "<|end|>", "<|start|>", "<|constrain|>", "<|call|>"),
    "deepseek_v31": ("<｜tool▁calls▁begin｜>", "<｜tool▁call▁begin｜>", "<｜tool▁sep｜>", "<｜tool▁call▁end｜>"),
    "minimax_m3": (NESTED,),
}


@pytest.mark.full
@pytest.mark.parametrize("form", CONTROL)
def test_a_call_is_written_with_the_control_tokens_of_its_family(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    marks = [*SPECIAL, *CONTROL[form]]
    main = model_with_marks(tmp_path, monkeypatch, marks, f"{' '.join(CONTROL[form])} functions")
    with Engine() as engine:
        served = Served(engine, str(main), None)
        [choice] = served.chat(ASKED | {"tool_choice": "required", "parallel_tool_calls": False})["choices"]
        served.get("/v1/models")
        served.close()
    [(name, arguments)] = arguments_of(choice)
    assert (choice["finish_reason"], choice["message"]["content"]) == ("tool_calls", None)
    assert {"weather": CITIES, "news": DAY}[name]["required"] == list(arguments)


def test_what_no_grammar_holds_of_arguments_is_said_and_checked(caller: Served) -> None:
    schema = {"type": "object", "properties": {"day": {"enum": ["a"], "not": {"const": "a"}}}, "required": ["day"]}
    tools = [{"type": "function", "function": {"name": "news", "parameters": schema}}]
    for fields in ({"tool_choice": "required"}, {"tool_choice": "required", "stream": True}):
        response = caller.post("/v1/chat/completions", ASKED | {"tools": tools, "parallel_tool_calls": False} | fields)
        assert '"schema_unchecked":["news#/properties/day/not"]' in response.text
        assert "\"schema_problems\":[\"$.day: 'a' should not be valid under {'const': 'a'}\"]" in response.text
