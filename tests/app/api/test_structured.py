"""Answers that follow a format: through the official client, streamed and sampled, and what cannot be followed."""

from __future__ import annotations

import json
import re
from typing import Any, Literal

import openai
import pytest
from pydantic import BaseModel

from tests.app.api.serving import Served, content_of
from tests.patience import PATIENCE_S


class Colour(BaseModel):
    name: Literal["red", "green", "blue"]
    dark: bool


SCHEMA = {**Colour.model_json_schema(), "additionalProperties": False}


def test_the_official_client_parses_what_a_model_class_asks_for(starter: Served) -> None:
    with openai.OpenAI(base_url=f"{starter.address}/v1", api_key="-", max_retries=0, timeout=PATIENCE_S) as client:
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


def test_further_formats(starter: Served, question: dict[str, Any]) -> None:
    regex = starter.chat(question | {"response_format": {"type": "regex", "pattern": "[0-9]{3}-[a-c]+x"}})
    assert re.fullmatch("[0-9]{3}-[a-c]+x?", regex["choices"][0]["message"]["content"])
    lark = starter.chat(question | {"response_format": {"type": "lark", "grammar": 'start: "yes" | "no"'}})
    assert lark["choices"][0]["message"]["content"] in ("yes", "no")
    anything = starter.chat(question | {"response_format": {"type": "json_object"}, "max_tokens": 200})
    if anything["choices"][0]["finish_reason"] == "stop":
        assert isinstance(json.loads(anything["choices"][0]["message"]["content"]), dict)


@pytest.mark.parametrize(
    "form",
    [
        {"type": "xml"},
        {"type": "regex"},
        {"type": "regex", "pattern": "("},
        {"type": "json_schema", "json_schema": {"schema": {"type": "no such type"}}},
        {"type": "json_schema", "json_schema": {"schema": []}},
    ],
)
def test_a_format_that_cannot_be_followed_is_a_bad_request(
    starter: Served, question: dict[str, Any], form: dict[str, Any]
) -> None:
    response = starter.post("/v1/chat/completions", question | {"response_format": form})
    assert response.status_code == 400, response.text
    assert response.json()["error"]["param"].startswith("response_format")
