"""Forms of calls that a model's files describe: what transformers reads of them, and patterns that are not run."""

from __future__ import annotations

import json
from typing import Any

import pytest
from transformers.utils.chat_parsing import parse_response

from engine.call_forms.response_template import PREFIX, described_form
from engine.call_forms.table import call_form

PARAMETERS = {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}}
TOOLS = [{"type": "function", "function": {"name": "find", "parameters": PARAMETERS}}]
CALL = {"type": "function", "function": "{content}"}
NAMED = {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}}
TAGS = {"tag_pattern": r"<par=(?P<key>\w+)>\s*(?P<value>.*?)\s*</par>"}
PAIRS = {"tag_pattern": r"<k>(?P<key>\w+)</k>\s*<v>(?P<value>.*?)</v>"}
# Fields of templates, and an answer with the call find(city="Rio", days=2).
DESCRIBED: dict[str, tuple[dict[str, Any], str]] = {
    "JSON": (
        {"open": "<call>", "close": "</call>", "repeats": True, "content": "json", "transform": CALL},
        '<call>\n{"name": "find", "arguments": {"city": "Rio", "days": 2}}\n</call>',
    ),
    "other keys": (
        {
            "open": ["<call>", "<do>"],
            "close": ["</call>", "<end>"],
            "repeats": True,
            "content": "json",
            "transform": {"type": "function", "function": {"name": "{content.tool}", "arguments": "{content.args}"}},
        },
        '<call>{"tool": "find", "args": {"city": "Rio", "days": 2}}</call>',
    ),
    "a list": (
        {
            "open": "<call>",
            "close": "</call>",
            "content": "json",
            "transform_each": True,
            "transform": {"type": "function", "function": {"name": "{tool_name}", "arguments": "{parameters}"}},
        },
        '<call>[{"tool_name": "find", "parameters": {"city": "Rio", "days": 2}}]</call>',
    ),
    "a header": (
        {
            "open_pattern": r"<\|to\|>functions\.(?P<name>\w+).*?<\|say\|>",
            "close": "<|call|>",
            "repeats": True,
            "content": "json",
            "transform": NAMED,
        },
        '<|to|>functions.find json<|say|>{"city": "Rio", "days": 2}<|call|>',
    ),
    "Python": (
        {
            "open": "<calls>",
            "close": "</calls>",
            "content": "python-call-list",
            "transform_each": True,
            "transform": {"type": "function", "function": {"name": "{name}", "arguments": "{arguments}"}},
        },
        '<calls>[find(city="Rio", days=2)]</calls>',
    ),
    "tags": (
        {
            "open_pattern": r"<call>\s*<fn=(?P<name>\w+)>",
            "close": "</call>",
            "repeats": True,
            "content": "xml-inline",
            "content_args": TAGS,
            "transform": NAMED,
        },
        "<call>\n<fn=find><par=city>\nRio\n</par><par=days>2</par></fn></call>",
    ),
    "pairs of tags": (
        {
            "open_pattern": r"<call>(?P<name>\w+)",
            "close_pattern": r"\s*</call>",
            "repeats": True,
            "content": "xml-inline",
            "content_args": PAIRS | {"value_parser": {"name": "json", "args": {"allow_non_json": True}}},
            "transform": NAMED,
        },
        "<call>find\n<k>city</k>\n<v>Rio</v>\n<k>days</k>\n<v>2</v>\n</call>",
    ),
}


def template_of(field: object) -> dict[str, Any]:
    return {"start_anchor": "<me>", "fields": {"tool_calls": field, "content": {}}}


@pytest.mark.parametrize("name", DESCRIBED)
def test_calls_are_read_as_transformers_reads_them(name: str) -> None:
    field, answer = DESCRIBED[name]
    form = call_form(described_form(template_of(field)))
    mark = form.marks[0]
    end = answer.rindex(mark.end)
    text = answer[: end + len(mark.end)] if mark.whole else answer[answer.index(mark.start) + len(mark.start) : end]
    calls, is_whole = form.calls(text, TOOLS)
    assert is_whole
    message = parse_response(answer, template_of(field), prefix="", tools=TOOLS)
    assert [call.name for call in calls] == [message["tool_calls"][0]["function"]["name"]] == ["find"]
    assert json.loads(calls[0].arguments) == message["tool_calls"][0]["function"]["arguments"]
    assert json.loads(calls[0].arguments) == {"city": "Rio", "days": 2}


@pytest.mark.parametrize(
    "change",
    [
        {"open": None},
        {"open": ""},
        {"open": []},
        {"content": "kv-lines"},
        {"content_args": {"unquoted_keys": True}},
        {"transform": {"type": "function", "function": {"name": "fixed", "arguments": "{content}"}}},
        {"transform": {"type": "function", "function": {}}},
        {"close_pattern": r"(a+)+b"},
        {"close_pattern": r"</call>|<end>"},
        {"close_pattern": r"\n?</call>"},
        {"open_pattern": r"[^<]*<call>(?P<name>\w+)", "transform": NAMED},
        {"open_pattern": r"\s*<call>(?P<name>\w+)", "transform": NAMED},
        {"open_pattern": r"<call>(?P<name>(a+)+)", "transform": NAMED},
        {"open_pattern": r"<call>", "transform": NAMED},
    ],
)
def test_a_field_that_is_not_understood_is_no_form(change: dict[str, Any]) -> None:
    assert described_form(template_of(DESCRIBED["JSON"][0])).startswith(PREFIX)
    assert described_form(template_of(DESCRIBED["JSON"][0] | change)) == ""


@pytest.mark.parametrize("template", [None, "", [], {}, {"fields": []}, {"fields": {}}, template_of(3)])
def test_what_is_no_template_is_no_form(template: object) -> None:
    assert described_form(template) == ""


def test_tags_that_are_not_closed_are_no_call() -> None:
    form = call_form(described_form(template_of(DESCRIBED["tags"][0])))
    assert form.calls("<call><fn=find><par=city>Rio", TOOLS) == ([], False)
    assert form.calls("<call>", TOOLS) == ([], False)
