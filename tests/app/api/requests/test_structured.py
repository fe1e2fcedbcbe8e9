"""Answers that follow a format: through the official client, streamed and sampled, and what cannot be followed."""

from __future__ import annotations

import json
import re
from typing import Any, Literal

import pytest
from pydantic import BaseModel

from tests.app.api.serving import Served, content_of


class Colour(BaseModel):
    name: Literal["red", "green", "blue"]
    dark: bool


SCHEMA = {**Colour.model_json_schema(), "additionalProperties": False}
FORM: dict[str, Any] = {"type": "json_schema", "schema": SCHEMA}


@pytest.mark.full
def test_the_official_client_parses_what_a_model_class_asks_for(starter: Served) -> None:
    with starter.openai() as client:
        parsed = client.chat.completions.parse(
            model="default", messages=[{"role": "user", "content": "A colour"}], response_format=Colour, temperature=0
        )
        response = client.responses.parse(model="default", input="A colour", text_format=Colour, temperature=0)
    assert parsed.choices[0].message.parsed == response.output_parsed
    assert isinstance(response.output_parsed, Colour)


@pytest.mark.full
def test_a_format_is_followed_streamed_and_sampled(starter: Served, question: dict[str, Any]) -> None:
    asked = question | {
        "temperature": 1.2,
        "seed": 11,
        "max_tokens": 60,
        "response_format": {"type": "json_schema", "json_schema": {"name": "colour", "schema": SCHEMA}},
    }
    text = starter.chat(asked)["choices"][0]["message"]["content"]
    assert content_of(list(starter.events("/v1/chat/completions", asked))) == text
    Colour.model_validate_json(text)
    plain = starter.chat(asked | {"speculation": "off"})
    assert plain["choices"][0]["message"]["content"] == text


@pytest.mark.full
def test_the_official_client_of_anthropic_parses_what_a_model_class_asks_for(starter: Served) -> None:
    asked: Any = {"model": "default", "messages": [{"role": "user", "content": "A colour"}], "max_tokens": 60}
    with starter.anthropic() as client:
        parsed = client.messages.parse(**asked, output_format=Colour)
        beta = client.beta.messages.parse(**asked, output_format=Colour, betas=["structured-outputs-2025-11-13"])
        created = client.messages.create(**asked, output_config={"format": FORM, "effort": "low"})
        with client.messages.stream(**asked, output_format=Colour) as stream:
            streamed = stream.get_final_message()
    assert isinstance(parsed.parsed_output, Colour)
    assert parsed.parsed_output == beta.parsed_output == streamed.parsed_output
    assert created.content[0].type == "text"
    Colour.model_validate_json(created.content[0].text)


@pytest.mark.full
@pytest.mark.parametrize(
    "fields",
    [
        {"output_config": {"format": FORM, "effort": "low"}},
        pytest.param({"output_format": FORM}, marks=pytest.mark.full),
    ],
)
def test_messages_follow_a_format_as_chat_completions_do(
    starter: Served, question: dict[str, Any], fields: dict[str, Any]
) -> None:
    asked = question | {"temperature": 1.2, "seed": 11, "max_tokens": 60}
    form = {"type": "json_schema", "json_schema": {"name": "colour", "schema": SCHEMA}}
    text = starter.chat(asked | {"response_format": form})["choices"][0]["message"]["content"]
    Colour.model_validate_json(text)
    assert starter.post("/v1/messages", asked | fields).json()["content"] == [{"type": "text", "text": text}]
    events = starter.events("/v1/messages", asked | fields)
    assert "".join(event["delta"]["text"] for event in events if event["type"] == "content_block_delta") == text
    # As the official client asks for what is in beta.
    again = starter.post("/v1/messages?beta=true", asked | fields | {"output_format": FORM})
    assert again.json()["content"][0]["text"] == text


def test_a_format_that_messages_cannot_follow_is_a_bad_request(starter: Served, question: dict[str, Any]) -> None:
    refused: list[tuple[dict[str, Any], str]] = [
        ({"output_config": {"format": {"type": "xml"}}}, "'output_config.format.type'"),
        ({"output_config": {"format": 5}}, "'output_config.format'"),
        ({"output_config": {"format": FORM | {"schema": []}}}, "'output_config.format.schema'"),
        ({"output_config": {"format": FORM | {"schema": {"x-guidance": 5}}}}, "'output_config.format.schema'"),
        ({"output_format": {"type": "regex", "pattern": "("}}, "'output_format.pattern'"),
        ({"output_format": FORM | {"schema": {"x-guidance": 5}}}, "'output_format.schema'"),
        ({"output_config": {"format": FORM}, "output_format": FORM | {"schema": {}}}, "'output_format'"),
    ]
    for fields, named in refused:
        for path, more in (("", {}), ("", {"stream": True}), ("/count_tokens", {})):
            response = starter.post(f"/v1/messages{path}", question | fields | more)
            assert response.status_code == 400, response.text
            error = response.json()["error"]
            assert (response.json()["type"], error["type"]) == ("error", "invalid_request_error")
            assert error["message"].startswith(named)
            assert error["message"].endswith(".")


def test_further_formats(starter: Served, question: dict[str, Any]) -> None:
    regex = starter.chat(question | {"response_format": {"type": "regex", "pattern": "[0-9]{3}-[a-c]+x"}})
    assert re.fullmatch("[0-9]{3}-[a-c]+x?", regex["choices"][0]["message"]["content"])
    lark = starter.chat(question | {"response_format": {"type": "lark", "grammar": 'start: "yes" | "no"'}})
    assert lark["choices"][0]["message"]["content"] in ("yes", "no")
    anything = starter.chat(question | {"response_format": {"type": "json_object"}, "max_tokens": 60})
    if anything["choices"][0]["finish_reason"] == "stop":
        assert isinstance(json.loads(anything["choices"][0]["message"]["content"]), dict)


def test_a_format_that_cannot_be_followed_is_a_bad_request(starter: Served, question: dict[str, Any]) -> None:
    refused: list[dict[str, Any]] = [
        {"type": "xml"},
        {"type": "regex"},
        {"type": "regex", "pattern": "("},
        {"type": "json_schema", "json_schema": {"schema": {"x-guidance": 5}}},
        {"type": "json_schema", "json_schema": {"schema": []}},
    ]
    for form in refused:
        response = starter.post("/v1/chat/completions", question | {"response_format": form})
        assert response.status_code == 400, response.text
        assert response.json()["error"]["param"].startswith("response_format")


def test_an_error_and_the_description_name_the_fields_of_their_endpoint(starter: Served) -> None:
    form = FORM | {"schema": {"x-guidance": 5}}
    error = starter.post("/v1/responses", {"input": "A colour", "text": {"format": form}}).json()["error"]
    assert error["param"] == "text.format.schema"
    schemas = starter.get("/openapi.json").json()["components"]["schemas"]
    described = schemas["MessageBody"]["properties"]["output_format"]
    assert schemas["_OutputConfig"]["properties"]["format"] == described
    named = [schemas[one["$ref"].rpartition("/")[2]]["properties"]["type"] for one in described["anyOf"]]
    assert {"enum": ["json_schema"]} in named


# The only answer breaks the rule that no grammar holds.
BROKEN: dict[str, Any] = {
    "type": "object",
    "properties": {"e": {"enum": ["a"], "not": {"const": "a"}}},
    "required": ["e"],
}
NOTED: dict[str, dict[str, Any]] = {
    "/v1/chat/completions": {"response_format": {"type": "json_schema", "json_schema": {"schema": BROKEN}}},
    "/v1/responses": {"input": "A letter", "text": {"format": {"type": "json_schema", "schema": BROKEN}}},
    "/v1/messages": {"output_config": {"format": {"type": "json_schema", "schema": BROKEN}}},
    "/api/chat": {"format": BROKEN},
    "/api/generate": {"prompt": "A letter", "format": BROKEN},
}


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("path", NOTED)
def test_what_the_grammar_leaves_out_is_said_and_checked(
    starter: Served, question: dict[str, Any], path: str, stream: bool, caplog: pytest.LogCaptureFixture
) -> None:
    asked = (question if "input" not in NOTED[path] else {}) | NOTED[path] | {"stream": stream}
    with caplog.at_level("INFO"):
        response = starter.post(path, asked)
    assert response.status_code == 200, response.text
    assert '"schema_unchecked":["#/properties/e/not"]' in response.text
    assert "\"schema_problems\":[\"$.e: 'a' should not be valid under {'const': 'a'}\"]" in response.text
    assert "does not follow its schema in 1 places" in caplog.text
    assert "valid under" not in caplog.text
    assert "properties" not in caplog.text


# From public reports: a pattern that no automaton reads, a condition, and what is not.
MAIL = r"^(?!\.)(?!.*\.\.)([a-z0-9_'+\-\.]*)[a-z0-9_+-]@([a-z0-9][a-z0-9\-]*\.)+[a-z]{2,}$"


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"e": {"type": "string", "pattern": MAIL}}, "required": ["e"]},
        {"type": "object", "properties": {"e": {"not": {"type": "null"}}}},
        {
            "type": "object",
            "if": {"properties": {"a": {"const": 1}}},
            "then": {"required": ["b"]},
            "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
        },
    ],
)
@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/messages"])
def test_no_schema_is_refused(starter: Served, question: dict[str, Any], schema: dict[str, Any], path: str) -> None:
    form: Any = {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}}
    if path == "/v1/messages":
        asked = {"output_config": {"format": {"type": "json_schema", "schema": schema}}}
    else:
        asked = {"response_format": form}
    response = starter.post(path, question | asked | {"max_tokens": 4})
    assert response.status_code == 200, response.text
    assert response.json()["timings"]["schema_unchecked"]


def test_an_answer_has_only_the_properties_that_are_asked_for(starter: Served, question: dict[str, Any]) -> None:
    schema = {"type": "object", "properties": {"dark": {"type": "boolean"}}, "required": ["dark"]}
    form = {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}}
    for seed in range(3):
        asked = question | {"response_format": form, "temperature": 3, "seed": seed}
        [choice] = starter.chat(asked)["choices"]
        assert (choice["finish_reason"], list(json.loads(choice["message"]["content"]))) == ("stop", ["dark"])
