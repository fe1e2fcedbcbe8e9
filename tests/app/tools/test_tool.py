"""The names by which models call tools."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest

from app.tools.tool import TANDEM, Tool, visible, with_distinct_names


def named(*names: str) -> list[str]:
    """Return the names for tools that are given as SERVER/NAME."""
    pairs = [name.split("/", 1) for name in names]
    tools = [Tool(server, name, "", name, "", {"type": "object"}) for server, name in pairs]
    return [tool.called for tool in with_distinct_names(tools)]


def test_the_name_of_the_server_comes_before_that_of_its_tool() -> None:
    assert named("files/read", "web/read", "a/날씨") == ["files_read", "web_read", "a___"]


def test_no_server_takes_the_name_of_a_tool_of_tandem() -> None:
    assert named(f"{TANDEM}/list_models", "list/models") == ["list_models", "list_models_2"]


def test_any_names_become_distinct_and_allowed() -> None:
    chance = random.Random(7)
    for _ in range(200):
        ends = ["".join(chance.choices("a_é ", k=chance.choice([1, 2, 3, 80]))) for _ in range(12)]
        # One server has a name once.
        names = list(dict.fromkeys(f"{chance.choice(['a', 'b', 'a_a'])}/{end}" for end in ends))
        found = named(f"{TANDEM}/a_a", *names)
        assert found[0] == "a_a"
        assert len(set(found)) == len(names) + 1
        assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name) for name in found)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("날씨 ❤️\nçã", "날씨 ❤️\nçã"),
        # A text of any length can hide in such signs.
        ("a\U000e0130\U000e0131 ❤️\ufe0e", "a\\U000e0130\\U000e0131 ❤️\\ufe0e"),
        ("read\u3164file\u2800\u200b", "read\\u3164file\\u2800\\u200b"),
        ("\u202egnp.exe\t\u034f", "\\u202egnp.exe\\t\\u034f"),
    ],
)
def test_what_nobody_would_see_is_written_out(text: str, shown: str) -> None:
    assert visible(text) == shown


PROPERTIES = {"path": {"type": "string"}, "lines": {"type": ["integer", "null"]}, "mode": {"enum": ["all", "first"]}}


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"path": "a", "lines": None, "mode": "all"}, ""),
        ({"path": "a", "lines": 3.0}, ""),
        ({}, "$: 'path' is a required property"),
        ({"path": 3}, "$.path: 3 is not of type 'string'"),
        ({"path": "a", "lines": True}, "$.lines: True is not of type 'integer', 'null'"),
        ({"path": "a", "mode": "last"}, "$.mode: 'last' is not one of ['all', 'first']"),
    ],
)
def test_arguments_that_do_not_fit_are_said_in_words_for_the_model(arguments: dict[str, Any], problem: str) -> None:
    schema = {"properties": PROPERTIES, "required": ["path"]}
    assert Tool("files", "read", "read", "", "", schema).problem_with(arguments) == problem


def test_no_pattern_or_reference_of_a_server_is_followed() -> None:
    schema = {
        "properties": {"a": {"pattern": "(a+)+$", "$ref": "https://localhost:1/"}},
        "patternProperties": {"(a+)+$": 0},
    }
    assert Tool("evil", "read", "read", "", "", schema).problem_with({"a": "a" * 40 + "!", "a" * 40 + "!": 1}) == ""
