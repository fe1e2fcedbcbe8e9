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


@pytest.mark.parametrize(
    "fields", [{"output_config": {"format": FORM}}, pytest.param({"output_format": FORM}, marks=pytest.mark.full)]
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
    assert starter.post("/v1/messages", asked | fields | {"output_format": FORM}).json()["content"][0]["text"] == text


def test_a_format_that_messages_cannot_follow_is_a_bad_request(starter: Served, question: dict[str, Any]) -> None:
    refused: list[tuple[dict[str, Any], str]] = [
        ({"output_config": {"format": {"type": "xml"}}}, "'output_config.format.type'"),
        ({"output_config": {"format": "json"}}, "'output_config.format'"),
        ({"output_config": {"format": FORM | {"schema": []}}}, "'output_config.format.schema'"),
        ({"output_config": {"format": FORM | {"schema": {"type": "no type"}}}}, "'output_config.format.schema'"),
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
        {"type": "json_schema", "json_schema": {"schema": {"type": "no such type"}}},
        {"type": "json_schema", "json_schema": {"schema": []}},
    ]
    for form in refused:
        response = starter.post("/v1/chat/completions", question | {"response_format": form})
        assert response.status_code == 400, response.text
        assert response.json()["error"]["param"].startswith("response_format")


def test_an_error_and_the_description_name_the_fields_of_their_endpoint(starter: Served) -> None:
    form = FORM | {"schema": {"type": "no such type"}}
    error = starter.post("/v1/responses", {"input": "A colour", "text": {"format": form}}).json()["error"]
    assert error["param"] == "text.format.schema"
    schemas = starter.get("/openapi.json").json()["components"]["schemas"]
    described = schemas["MessageBody"]["properties"]["output_format"]
    assert schemas["_OutputConfig"]["properties"]["format"] == described
    named = [schemas[one["$ref"].rpartition("/")[2]]["properties"]["type"] for one in described["anyOf"]]
    assert {"enum": ["json_schema"]} in named
