"""Arguments are checked against the outer object of a tool's schema, whatever a server put into it."""

from __future__ import annotations

from typing import Any

import pytest

from app.tools.arguments import problem_with

PROPERTIES = {"path": {"type": "string"}, "lines": {"type": ["integer", "null"]}, "mode": {"enum": ["all", "first"]}}


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"path": "a"}, ""),
        ({"path": "a", "lines": None, "mode": "all"}, ""),
        ({"path": "a", "lines": 3.0}, ""),
        ({}, "'path' is missing."),
        ({"path": 3}, "'path' must be string."),
        ({"path": "a", "lines": True}, "'lines' must be integer or null."),
        ({"path": "a", "mode": "last"}, "'mode' must be one of 'all', 'first'."),
        ({"path": "a", "depth": 1}, "there is no parameter 'depth'."),
    ],
)
def test_the_problem_is_said_in_words_for_the_model(arguments: dict[str, Any], problem: str) -> None:
    schema = {"properties": PROPERTIES, "required": ["path"], "additionalProperties": False}
    assert problem_with(arguments, schema) == problem


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"properties": 3, "required": "path"},
        {
            "properties": {"a": {"type": "money", "enum": 3, "pattern": "(a+)+$", "$ref": "#"}},
            "required": [["a"], 7, "a"],
        },
        {"properties": {"a": {"type": [["string"], None]}}},
    ],
)
def test_no_schema_stops_the_check(schema: dict[str, Any]) -> None:
    assert isinstance(problem_with({"a": "a" * 40 + "!"}, schema), str)
