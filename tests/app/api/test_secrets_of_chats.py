"""Callers of the local API learn nothing of chats, and what they send is in no log."""

from __future__ import annotations

import logging
import random
from collections import Counter
from itertools import product
from typing import Any

import pytest

from engine import ChatRequest, Engine, starter_pair
from tests.app.api.serving import Served

pytestmark = pytest.mark.campaign
WORD = "zanzibar"


@pytest.mark.parametrize("name", ["chat-7", ""])
def test_no_caller_reads_a_chat_by_guessing(name: str) -> None:
    words, source = ("fox", "plan", "sea", "hotel", "summer", "family", "next", "small"), random.Random(9)
    with Engine() as engine:
        served = Served(engine, *map(str, starter_pair()))
        try:
            cached = []
            for _ in range(20):
                said = [{"role": "user", "content": " ".join(source.choices(words, k=60))}]
                assert [*engine.submit(ChatRequest(said, max_tokens=4, conversation=name))]
                usage = served.chat({"messages": said, "max_tokens": 1})["usage"]
                cached.append(usage["prompt_tokens_details"]["cached_tokens"])
        finally:
            served.close()
    print(cached)
    # What all prompts begin with, and by chance some of the words of an own earlier guess.
    assert max(cached) < 12


SCHEMAS: tuple[dict[str, Any], ...] = (
    {"type": "object", "properties": {WORD: {"type": "string", "format": WORD}}, "required": [WORD], WORD: WORD},
    {"type": "string", "pattern": f"({WORD})(?=x)"},
    {"$ref": f"#/{WORD}"},
    {"type": WORD},
    {"not": {"const": WORD}},
    {"type": "object", "patternProperties": {f"^{WORD}": {}}, "propertyNames": {"pattern": WORD}},
    {"type": "array", "contains": {"const": WORD}, "uniqueItems": True},
    {"if": {"const": WORD}, "then": {"const": WORD}},
    {"enum": [WORD] * 3},
    {"dependentRequired": {WORD: [WORD]}},
)


def test_no_name_of_a_schema_or_tool_is_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    for name in ("app", "engine", "transformers"):
        caplog.set_level(logging.INFO, name)
    statuses = Counter[int]()
    with Engine() as engine:
        served = Served(engine, *map(str, starter_pair()))
        try:
            for schema, name in product(SCHEMAS, (WORD, f'{WORD}"')):
                form = {"type": "json_schema", "json_schema": {"name": WORD, "schema": schema}}
                tools = [{"type": "function", "function": {"name": name, "description": WORD, "parameters": schema}}]
                for asked in ({"response_format": form}, {"tools": tools}, {"tools": tools, "tool_choice": "required"}):
                    body = {"messages": [{"role": "user", "content": WORD}], "max_tokens": 8, **asked}
                    statuses[served.post("/v1/chat/completions", body).status_code] += 1
        finally:
            served.close()
    print(dict(statuses), len(caplog.records), "records")
    assert "the grammar does not check" in caplog.text
    assert WORD not in caplog.text
