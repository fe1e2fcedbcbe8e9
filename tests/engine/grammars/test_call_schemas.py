"""Whatever JSON schema a function has, a model of every family can call it; what a form cannot hold is free."""

from __future__ import annotations

import json
import random
from typing import Any

import jsonschema
import pytest

from app.text.answer_parts import AnswerParts
from engine.call_forms.table import FORMS, call_form
from engine.grammars.grammar import calls_of
from engine.main_model.grammar_compiler import usable_grammar
from tests.engine.grammars.written_calls import allows, function, written
from tests.engine.tiers import by_tier

WRITERS = ["json_tools", "qwen3_coder", "deepseek_v4", "longcat", "pythonic", "gemma4", "minimax_m3"]
DEFINED = {"Unit": {"enum": ["C", "F"]}, "Node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}}
# Schemas of arguments that every form holds, as people and generators write them.
HELD: dict[str, Any] = {
    "empty": {},
    "types": {"properties": {"a": {"type": ["string", "null"]}, "b": {"type": ["integer", "boolean"]}}},
    "optional list": {
        "properties": {"a": {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]}}
    },
    "one of": {"properties": {"a": {"oneOf": [{"type": "integer"}, {"type": "object", "properties": {"x": {}}}]}}},
    "all of": {"properties": {"a": {"allOf": [{"$ref": "#/$defs/Unit"}, {"description": "u"}]}}, "$defs": DEFINED},
    "inheritance": {
        "properties": {"a": {"allOf": [{"$ref": "#/$defs/Base"}, {"$ref": "#/$defs/More"}]}},
        "required": ["a"],
        "$defs": {
            "Base": {"type": "object", "properties": {"x": {"const": 1}}, "required": ["x"]},
            "More": {"allOf": [{"properties": {"y": {"const": 2}}}, {"required": ["y"]}]},
        },
    },
    "reference": {"properties": {"a": {"$ref": "#/$defs/Unit"}, "b": {"$ref": "#/$defs/Node"}}, "$defs": DEFINED},
    "root by reference": {"$ref": "#/$defs/Args", "$defs": {"Args": {"properties": {"a": {"type": "integer"}}}}},
    "root of any type": {"type": ["object", "null"], "properties": {"a": {"type": "boolean"}}},
    "values": {
        "properties": {"a": {"enum": ["x", 1, None, {"y": [True]}, ""]}, "b": {"const": None}, "c": {"const": "1"}}
    },
    "no type": {"properties": {"a": {}, "b": {"description": "any"}, "c": True, "d": False}},
    "entries": {
        "properties": {"a": {"type": "object", "additionalProperties": {"type": "integer"}}, "b": {"type": "object"}}
    },
    "unknown names": {"properties": {"a": {"type": "integer"}}, "required": ["a", "other"]},
    "nested": {
        "properties": {
            "a": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "b": {"type": ["array", "string"], "items": {"type": "object"}},
                        "c": {"type": "null"},
                    },
                    "required": ["c"],
                },
            }
        }
    },
    "sequential thinking": {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": {
            "thought": {"type": "string", "description": "Your current thinking step"},
            "nextThoughtNeeded": {"anyOf": [{"type": "boolean"}, {"type": "string"}]},
            "thoughtNumber": {"type": "integer", "minimum": 1, "maximum": 9007199254740991},
            "branchId": {"type": ["string", "null"]},
        },
        "required": ["thought", "nextThoughtNeeded", "thoughtNumber"],
    },
}
# Schemas that some form cannot hold, that nothing follows, or that are wrong.
FREE: dict[str, Any] = {
    "none": None,
    "no properties": {"type": "object", "properties": None, "required": None},
    "lists": {"properties": {"a": {"type": "array"}, "b": {"type": "array", "items": False}, "c": {"items": [{}, {}]}}},
    "look-ahead": {"properties": {"a": {"type": "string", "pattern": "(?=x)y"}}, "required": ["a"]},
    "not satisfiable": {"properties": {"a": {"type": "integer", "minimum": 2, "maximum": 1}}, "required": ["a"]},
    "wrong": {"properties": {"a": {"type": "any", "minLength": "x"}, "b": 3}, "minProperties": "x", "x-guidance": 3},
    "root of alternatives": {"anyOf": [{"required": ["a"]}, {"properties": {"b": {"const": 1}}, "required": ["b"]}]},
    "conditions": {
        "properties": {"a": {"not": {"type": "null"}}},
        "if": {"required": ["a"]},
        "then": {"required": ["b"]},
    },
    "reference elsewhere": {"properties": {"a": {"$ref": "https://example.org/schema"}, "b": {"$ref": "#/$defs/no"}}},
    "patterns": {"patternProperties": {"^x": {"type": "string"}}, "additionalProperties": False},
    "odd names": {
        "properties": {"a b": {}, "$top": {}, "from": {}, "도시": {}, "x-y": {}, "a=b": {}, "</p>": {}, "": {}}
    },
    "reference to the root": {
        "properties": {"a": {"$ref": "#"}, "b": {"$ref": "#/properties/c"}, "c": {"type": "null"}}
    },
    "references without end": {
        "properties": {"a": {"$ref": "#/$defs/A"}},
        "$defs": {"A": {"anyOf": [{"$ref": "#/$defs/A"}] * 3000}},
    },
    "reference to itself": {
        "properties": {"a": {"$ref": "#/$defs/A"}},
        "$defs": {"A": {"anyOf": [{"$ref": "#/$defs/A"}]}},
    },
}
TOOLS = {
    name: {"type": "function", "function": {"name": "f", "parameters": schema}}
    for name, schema in (HELD | FREE).items()
}


def reads(form: str, text: str, tool: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of the only call in a text."""
    parts = AnswerParts(call_form(form), [tool])
    parts.add(text, ended=True)
    assert (len(parts.calls), parts.content.strip()) == (1, ""), text
    arguments: dict[str, Any] = json.loads(parts.calls[0].arguments)
    return arguments


# One form for each writer, and all of them.
@pytest.mark.parametrize("form", by_tier(FORMS, WRITERS))
def test_a_function_with_any_schema_can_be_called(form: str) -> None:
    draw = random.Random(3)
    for name, tool in TOOLS.items():
        grammar, _ = usable_grammar(calls_of(form, [tool], parallel=False))
        for _ in range(3):
            arguments = reads(form, written(grammar, draw, plain=True), tool)
            if name in HELD:
                jsonschema.validate(arguments, HELD[name])


@pytest.mark.parametrize("form", by_tier(FORMS, [*WRITERS, "mistral_args"]))
def test_functions_whose_names_are_no_identifiers_can_be_called(form: str) -> None:
    tools = [function(name, n={"enum": [3]}) for name in ("get-sum", "get_sum", "get.sum", "2nd", "a.b-c")]
    grammar, draw, seen = calls_of(form, tools, parallel=False), random.Random(3), set[str]()
    for _ in range(60):
        parts = AnswerParts(call_form(form), tools)
        parts.add(text := written(grammar, draw), ended=True)
        assert [call.arguments for call in parts.calls] == ['{"n": 3}'], text
        seen.add(parts.calls[0].name)
    assert seen == {tool["function"]["name"] for tool in tools}


def test_a_schema_that_cannot_be_held_leaves_the_other_functions_held() -> None:
    sound = {"type": "function", "function": {"name": "sound", "parameters": {"properties": {"n": {"enum": [3]}}}}}
    grammar, left_out = usable_grammar(calls_of("json_tools", [TOOLS["look-ahead"], sound], parallel=False))
    assert left_out == ("f#/properties/a/pattern",)
    call = '<tool_call>\n{{"name": "{}", "arguments": {{{}}}}}\n</tool_call>'
    assert allows(grammar, call.format("f", '"a": "y"'))
    assert allows(grammar, call.format("sound", '"n": 3'))
    assert not allows(grammar, call.format("sound", '"n": 4'))
    assert not allows(grammar, call.format("f", ""))
