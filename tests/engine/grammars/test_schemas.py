"""Schemas are followed as far as a grammar can: the rest is left out, named, and checked afterwards."""

from __future__ import annotations

import json
from typing import Any

import pytest

from engine.grammars.checks import check_answer
from engine.grammars.compiling import trial
from engine.grammars.grammar import Grammar
from engine.grammars.schemas import FORMATS
from engine.main_model.grammar_compiler import usable_grammar
from tests.engine.grammars.schemas import grammar_of
from tests.engine.grammars.written_calls import allows

MAIL = r"^(?!\.)(?!.*\.\.)([a-z0-9_'+\-\.]*)[a-z0-9_+-]@([a-z0-9][a-z0-9\-]*\.)+[a-z]{2,}$"


def fields(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


# A schema, what no grammar checks of it, and a text that only breaks that; "" if there is none.
UNCHECKED: dict[str, tuple[dict[str, Any], list[str], str]] = {
    "look-ahead": (fields(e={"type": "string", "pattern": MAIL}), ["#/properties/e/pattern"], '{"e": ".a@b.cd"}'),
    "look-behind": ({"type": "string", "pattern": "(?<=a)b"}, ["#/pattern"], '"c"'),
    "back reference": ({"type": "string", "pattern": r"^(a)\1$"}, ["#/pattern"], '"a"'),
    "word boundary": ({"type": "string", "pattern": r"\bfoo\b"}, ["#/pattern"], '"xfoo"'),
    "no pattern": ({"type": "string", "pattern": "("}, ["#/pattern"], ""),
    "phone": ({"type": "string", "format": "phone"}, ["#/format"], ""),
    "binary": (fields(f={"type": "string", "format": "binary"}), ["#/properties/f/format"], ""),
    "format that is none": ({"type": "string", "format": ["date"]}, ["#/format"], ""),
    "not": (fields(e={"not": {"type": "null"}}), ["#/properties/e/not"], '{"e": null}'),
    "conditions": (
        {**fields(a={"enum": [1, 2]}), "if": {"properties": {"a": {"const": 1}}}, "then": {"required": ["b"]}},
        ["#/if", "#/then"],
        '{"a": 1}',
    ),
    "otherwise": ({"if": {"type": "string"}, "else": {"type": "null"}}, ["#/if", "#/else"], "1"),
    "unique": ({"type": "array", "uniqueItems": True, "items": {"const": 1}}, ["#/uniqueItems"], "[1, 1]"),
    "contains": ({"type": "array", "contains": {"const": 1}, "minContains": 2}, ["#/contains", "#/minContains"], "[1]"),
    "names": ({"type": "object", "propertyNames": {"pattern": "^[a-z]+$"}}, ["#/propertyNames"], '{"A": 1}'),
    "dependent": ({"type": "object", "dependentRequired": {"a": ["b"]}}, ["#/dependentRequired"], '{"a": 1}'),
    "dependent schemas": (
        {"type": "object", "dependentSchemas": {"a": {"required": ["b"]}}},
        ["#/dependentSchemas"],
        '{"a": 1}',
    ),
    "older dependencies": (
        {"$schema": "http://json-schema.org/draft-07/schema#", "dependencies": {"a": ["b"]}},
        ["#/dependencies"],
        '{"a": 1}',
    ),
    "unevaluated": ({"type": "object", "unevaluatedProperties": False}, ["#/unevaluatedProperties"], '{"a": 1}'),
    "unevaluated items": ({"type": "array", "unevaluatedItems": False}, ["#/unevaluatedItems"], "[1]"),
    "required and forbidden": (
        {**fields(a={}), "required": ["b"], "additionalProperties": False},
        ["#/required"],
        '{"a": 1}',
    ),
    "required and never": ({**fields(a=False), "required": ["a"]}, ["#/required"], "{}"),
    "wide range": ({"type": "number", "minimum": 1e-9, "maximum": 1e308}, ["#/maximum"], ""),
    "fine multiple": ({"type": "number", "multipleOf": 1e-300}, ["#/multipleOf"], ""),
    "unknown type": (fields(a={"type": "any"}), ["#/properties/a/type"], '{"a": 1}'),
    "file": (fields(f={"type": "file", "description": "A file"}), ["#/properties/f/type"], '{"f": 1}'),
    "missing reference": ({"$ref": "#/$defs/none"}, ["#/$ref"], "1"),
    "reference elsewhere": (fields(a={"$ref": "https://example.org/s.json"}), ["#/properties/a/$ref"], '{"a": 1}'),
    "file by reference": ({"$ref": "file:///etc/passwd"}, ["#/$ref"], "1"),
    "reference to itself": ({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}}, ["#/$ref"], "1"),
    "dynamic reference": ({"$dynamicRef": "#x", "$defs": {"x": {"$dynamicAnchor": "x"}}}, ["#/$dynamicRef"], ""),
    "behind a reference": (
        {"$ref": "#/$defs/x", "$defs": {"x": {"type": "string", "pattern": "^(?=a)"}, "y": {"type": "nope"}}},
        ["#/$defs/part0/pattern"],
        '"b"',
    ),
    "few properties": ({**fields(a={}), "minProperties": 1, "additionalProperties": True}, ["#/minProperties"], "{}"),
    "patterns of names": (
        {"type": "object", "patternProperties": {"^(?!a)": {"type": "null"}}},
        ["#/patternProperties"],
        '{"b": 1}',
    ),
    "patterns that overlap": (
        {"type": "object", "patternProperties": {"^a": {"type": "null"}, "b$": {"type": "string"}}},
        ["#/patternProperties"],
        '{"ab": 1}',
    ),
    "least over most": ({"type": "integer", "minimum": 5, "maximum": 3}, ["#/minimum"], "3"),
    "longer than long": ({"type": "string", "minLength": 5, "maxLength": 3}, ["#/minLength"], '"abc"'),
    "no whole number": ({"type": "integer", "minimum": 0.5, "maximum": 0.7}, ["#/minimum"], "0"),
    "text as a number": ({"type": "integer", "minimum": "0"}, ["#/minimum"], ""),
    "whole length": ({"type": "string", "minLength": 1.0}, ["#/minLength"], '""'),
    "no value": ({"enum": []}, ["#/enum"], "1"),
    "no alternative": ({"anyOf": []}, ["#/anyOf"], ""),
}


@pytest.mark.parametrize("name", UNCHECKED)
def test_what_no_grammar_checks_is_left_out_named_and_checked_afterwards(name: str) -> None:
    schema, places, text = UNCHECKED[name]
    grammar, left_out = usable_grammar(grammar_of(schema))
    assert list(left_out) == places
    if text:
        assert allows(grammar, text)
        assert check_answer(json.dumps(schema), text)


# What other programs write for "nothing", and what says nothing about values.
@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": None, "required": None, "additionalProperties": None},
        {"type": "array", "items": None, "uniqueItems": False},
        {"type": None, "enum": None, "format": None, "description": None},
        {"$schema": "http://example.org/unknown", "$id": "https://example.org/a", "type": "string"},
        {"type": "string", "title": "T", "examples": [1], "default": 2, "deprecated": True, "x-order": 1},
        {"type": "string", "nullable": True, "$comment": "c", "$vocabulary": {}},
        {"type": "string", "$defs": {"unused": {"type": "nope"}}},
    ],
)
def test_what_says_nothing_is_passed_over(schema: dict[str, Any]) -> None:
    assert usable_grammar(grammar_of(schema))[1] == ()


# A schema, texts that follow it, and texts that do not.
HELD: dict[str, tuple[dict[str, Any], list[str], list[str]]] = {
    "only what is declared": (fields(a={"type": "null"}), ["{}", '{"a": null}'], ['{"b": 1}', '{"a": null, "b": 1}']),
    "others allowed": ({**fields(a={"type": "null"}), "additionalProperties": True}, ['{"b": 1}'], []),
    "others described": (
        {**fields(a={"type": "null"}), "additionalProperties": {"type": "boolean"}},
        ['{"b": true}'],
        ['{"b": 1}'],
    ),
    "nested": (fields(a=fields(b={"const": 1})), ['{"a": {"b": 1}}'], ['{"a": {"c": 1}}']),
    "in a list": ({"type": "array", "items": fields(a={"const": 1})}, ['[{"a": 1}]'], ['[{"b": 1}]']),
    "by reference": (
        {**fields(a={"$ref": "#/$defs/A"}), "$defs": {"A": fields(b={"const": 1})}},
        ['{"a": {"b": 1}}'],
        ['{"a": {"c": 1}}'],
    ),
    "by the only part": ({"allOf": [{"$ref": "#/$defs/A"}], "$defs": {"A": fields(b={})}}, ['{"b": 1}'], ['{"c": 1}']),
    "inherited": (
        {"allOf": [{"$ref": "#/$defs/A"}, fields(b={"const": 2})], "$defs": {"A": fields(a={"const": 1})}},
        ['{"a": 1, "b": 2}', '{"b": 2}'],
        ['{"c": 1}', '{"a": 2}'],
    ),
    "beside a reference": (
        {"$ref": "#/$defs/A", **fields(b={"const": 2}), "$defs": {"A": fields(a={"const": 1})}},
        ['{"a": 1, "b": 2}', '{"b": 2}'],
        ['{"c": 1}'],
    ),
    "one of several": (
        {"anyOf": [fields(a={"const": 1}), fields(b={"const": 2})]},
        ['{"a": 1}', '{"b": 2}'],
        ['{"a": 1, "b": 2}', '{"c": 1}'],
    ),
    "beside several": (
        {**fields(k={"const": 0}), "anyOf": [{"required": ["k"]}, fields(b={"const": 2})]},
        ['{"k": 0}', '{"k": 0, "b": 2}'],
        ['{"k": 0, "c": 1}'],
    ),
    "required alone": ({**fields(a={"const": 1}), "required": ["b"]}, ['{"a": 1, "b": 5}'], ['{"a": 1}', '{"c": 1}']),
    "named by a condition": (
        {**fields(a={"const": 1}), "if": True, "then": fields(b={"const": 2})},
        ['{"a": 1, "b": 2}'],
        ['{"c": 1}'],
    ),
    "patterns": (
        {**fields(a={"const": 1}), "patternProperties": {"^x": {"const": 2}}},
        ['{"a": 1, "x1": 2}'],
        ['{"y": 2}'],
    ),
    "entries": ({"type": "object"}, ['{"a": 1}'], []),
    "recursive": (
        {**fields(next={"anyOf": [{"$ref": "#"}, {"type": "null"}]}), "required": ["next"]},
        ['{"next": {"next": null}}'],
        ['{"next": {"next": null, "a": 1}}', '{"a": 1}'],
    ),
    "by an anchor": ({"$ref": "#x", "$defs": {"y": {"$anchor": "x", "type": "null"}}}, ["null"], ["1"]),
    "by an address": (
        {"$id": "https://e.org/s", "$ref": "https://e.org/s#/$defs/a%20b", "$defs": {"a b": {"type": "null"}}},
        ["null"],
        ["1"],
    ),
    "to a property": (fields(a={"const": 1}, b={"$ref": "#/properties/a"}), ['{"a": 1, "b": 1}'], ['{"b": 2}']),
    "at least one": ({**fields(a={"const": 1}), "minProperties": 1}, ['{"a": 1}'], ["{}"]),
    "integer": ({"type": "integer"}, ["0", "-7", "9007199254740991"], ["12345678901234567", "-12345678901234567"]),
    "integer from 0": ({"type": "integer", "minimum": 0}, ["0", "123"], ["-1", "12345678901234567"]),
    "integer above 0": ({"type": "integer", "exclusiveMinimum": 0}, ["1"], ["0", "12345678901234567"]),
    "older bounds": ({"type": "integer", "minimum": 0, "exclusiveMinimum": True}, ["1"], ["12345678901234567"]),
    "no bounds": ({"type": "integer", "minimum": -1e308, "maximum": 1e308}, ["1"], ["12345678901234567"]),
    "large integers": ({"type": "integer", "maximum": 2**64}, ["12345678901234567"], ["123456789012345678901"]),
    "integer or nothing": ({"type": ["integer", "null"]}, ["1", "null"], ["12345678901234567"]),
    "number": ({"type": "number"}, ["12345678901234567", "1.5"], []),
}


@pytest.mark.parametrize("name", HELD)
def test_a_format_has_what_was_asked_for_and_nothing_else(name: str) -> None:
    schema, follow, differ = HELD[name]
    grammar, left_out = usable_grammar(grammar_of(schema))
    assert set(left_out) <= {"#/if", "#/then"}
    assert [text for text in follow if not allows(grammar, text)] == []
    assert [text for text in differ if allows(grammar, text)] == []


def test_a_schema_that_takes_too_long_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.grammars.checks.COMPILE_S", 0.5)
    endless = {"allOf": [{"type": "string", "pattern": f"a{{{count}}}"} for count in range(1, 60)]}
    grammar, left_out = usable_grammar(grammar_of(endless))
    assert (list(left_out), allows(grammar, '"b"')) == (["#/allOf"], True)


@pytest.mark.parametrize("schema", [{"$ref": "http://localhost:1/s.json"}, {"type": 3}, {"type": "nope"}])
def test_what_cannot_be_checked_afterwards_is_said(schema: dict[str, Any]) -> None:
    [problem] = check_answer(json.dumps(schema), "1")
    assert problem.startswith("It cannot be checked: ")


def test_the_library_knows_these_formats_and_no_others() -> None:
    others = ("phone", "regex", "uri-reference", "iri", "json-pointer", "idn-email", "int64", "double", "password")
    known = [one for one in (*FORMATS, *others) if not trial(f'start: %json {{"type": "string", "format": "{one}"}}')]
    assert known == list(FORMATS)
    assert Grammar("json_schema", '{"format": "date"}').left_out == ()
