"""Readers of function calls: each takes the text of calls and the tools, and returns one call or a list of calls.

A call is a mapping with `name` and `arguments`. A reader raises any exception for a text that it cannot read.
"""

from __future__ import annotations

import ast
import importlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Tools = Sequence[Mapping[str, Any]]
Read = Callable[[str, Tools], Any]
# The names under which models write a function's name and its arguments.
_NAMES, _ARGUMENTS = ("name", "tool_name", "function"), ("arguments", "parameters")
# What may stand between JSON objects: separators, the brackets of lists, and the fences of a block of code.
_BETWEEN = re.compile(r"(?:[\s,;\[\]]|```(?:json)?)*")
_DECODER = json.JSONDecoder(strict=False)


def by_mlx_lm(name: str) -> Read:
    """Return mlx-lm's reader of this name, which is imported with the first call because that imports MLX."""

    def read(text: str, tools: Tools) -> Any:
        module = importlib.import_module(f"mlx_lm.tool_parsers.{name}")
        return module.parse_tool_call(text, [dict(tool) for tool in tools])

    return read


def as_python(text: str, tools: Tools) -> Any:
    """Read a list of calls as Python writes them, with or without its brackets."""
    text = text.strip()
    return by_mlx_lm("pythonic")(text if text.startswith("[") else f"[{text}]", tools)


def as_python_list(text: str, tools: Tools) -> Any:
    """Read a text that is nothing but a list of calls as Python writes them."""
    if not isinstance(ast.parse(text.strip(), mode="eval").body, ast.List):
        raise ValueError("not a list")
    return as_python(text, tools)


def as_json(text: str, _: Tools) -> list[dict[str, Any]]:
    """Read JSON objects, alone or in lists, each with a name and arguments."""
    calls, at = list[dict[str, Any]](), 0
    while (at := _BETWEEN.match(text, at).end()) < len(text):  # type: ignore[union-attr]
        value, at = _DECODER.raw_decode(text, at)
        calls.append(_of_object(value))
    return calls


def _of_object(entry: Mapping[str, Any]) -> dict[str, Any]:
    name = next((entry[key] for key in _NAMES if key in entry), None)
    if isinstance(name, Mapping):
        return _of_object(name)
    if name is None:
        # The name of the function is the only key.
        [(name, arguments)] = entry.items()
        return {"name": name, "arguments": arguments}
    return {"name": name, "arguments": next((entry[key] for key in _ARGUMENTS if key in entry), {})}


@dataclass(frozen=True)
class Headed:
    """Reads calls that are a header, a pattern with the group `name`, and a JSON object."""

    header: re.Pattern[str]

    def __call__(self, text: str, _: Tools) -> list[dict[str, Any]]:
        calls, end = [], 0
        while (header := self.header.search(text, end)) is not None:
            arguments, end = _DECODER.raw_decode(text, header.end())
            calls.append({"name": header["name"], "arguments": arguments})
        return calls


@dataclass(frozen=True)
class Tagged:
    """Reads calls with a tag for each argument.

    `call` has the groups `name` and `body`; `argument` finds `key` and `value` in a body. If it has the group `string`,
    that says whether the value is a text, otherwise the function's schema does.
    """

    call: re.Pattern[str]
    argument: re.Pattern[str]

    def __call__(self, text: str, tools: Tools) -> list[dict[str, Any]]:
        return [
            {"name": call["name"], "arguments": self._arguments(call["body"], _properties(call["name"], tools))}
            for call in self.call.finditer(text)
        ]

    def _arguments(self, body: str, schemas: Mapping[str, Any]) -> dict[str, Any]:
        return {found["key"]: self._value(found, schemas) for found in self.argument.finditer(body)}

    def _value(self, found: re.Match[str], schemas: Mapping[str, Any]) -> Any:
        if (string := found.groupdict().get("string")) is not None:
            return found["value"] if string == "true" else json.loads(found["value"])
        return typed(found["value"], schemas.get(found["key"], {}))


def _properties(name: str, tools: Tools) -> Mapping[str, Any]:
    """Return the schemas of a function's parameters."""
    for tool in tools:
        if tool["function"]["name"] == name:
            found = (tool["function"].get("parameters") or {}).get("properties")
            return found if isinstance(found, Mapping) else {}
    return {}


def kinds_of(schema: Any) -> set[str]:
    """Return the types of values that a schema allows, as far as it says so."""
    if not isinstance(schema, Mapping):
        return set()
    kind = schema.get("type")
    kinds = {kind} if isinstance(kind, str) else set(kind or ())
    for one in (*(schema.get("anyOf") or ()), *(schema.get("oneOf") or ())):
        kinds |= kinds_of(one)
    values = schema.get("enum") or ([schema["const"]] if "const" in schema else [])
    return kinds | {"string" for value in values if isinstance(value, str)}


def typed(text: str, schema: Any) -> Any:
    """Return the value that a text without quotes stands for: JSON unless the schema says that it is a text."""
    kinds = kinds_of(schema)
    if kinds == {"string"}:
        return text
    try:
        value = json.loads(text, strict=False)
    except ValueError:
        return text
    kept = "string" in kinds and not ({_kind(value), "number" if _kind(value) == "integer" else ""} & kinds)
    return text if kept else value


def _kind(value: Any) -> str:
    names = {bool: "boolean", int: "integer", float: "number", list: "array", dict: "object"}
    return "string" if isinstance(value, str) else names.get(type(value), "null")


# MiniMax-M3's mark before every tag.
NESTED = "]<]minimax[>["
_TAG = re.escape(NESTED) + "<"
_INVOKE = re.compile(rf'{_TAG}invoke name="(?P<name>[^"]+)">(?P<body>.*?){_TAG}/invoke>', re.DOTALL)
_ELEMENT = re.compile(rf"{_TAG}(?P<key>[^/<>]+)>")


def as_elements(text: str, tools: Tools) -> list[dict[str, Any]]:
    """Read MiniMax-M3's calls: an element for each argument, and for each entry of objects and lists in it."""
    calls = []
    for call in _INVOKE.finditer(text):
        schemas = _properties(call["name"], tools)
        arguments = {key: _element(value, schemas.get(key)) for key, value in _elements(call["body"])}
        calls.append({"name": call["name"], "arguments": arguments})
    return calls


def _elements(text: str) -> list[tuple[str, str]]:
    """Return the names and contents of the outermost elements."""
    found, at = list[tuple[str, str]](), 0
    while (opening := _ELEMENT.search(text, at)) is not None:
        content, at = _content(text, opening.end(), re.compile(rf"{_TAG}(/?){re.escape(opening['key'])}>"))
        found.append((opening["key"], content))
    return found


def _content(text: str, start: int, tags: re.Pattern[str]) -> tuple[str, int]:
    """Return the content of an element, which may hold others of its name, and the end of its closing tag."""
    depth = 1
    for tag in tags.finditer(text, start):
        depth += -1 if tag[1] else 1
        if depth == 0:
            return text[start : tag.start()], tag.end()
    raise ValueError("an element does not end")


def _element(text: str, schema: Any) -> Any:
    """Return the value of an element's content."""
    if "string" in kinds_of(schema) or NESTED not in text:
        return typed(text, schema)
    entries = _elements(text)
    if all(key == "item" for key, _ in entries):
        inner = _declared(schema, "items")
        return [_element(value, inner) for _, value in entries]
    schemas = _declared(schema, "properties") or {}
    return {key: _element(value, schemas.get(key)) for key, value in entries}


def _declared(schema: Any, key: str) -> Any:
    """Return what a schema, or one of those that it allows, says under this key."""
    variants = (schema, *(schema.get("anyOf") or ()), *(schema.get("oneOf") or ())) if schema else ()
    return next((one[key] for one in variants if isinstance(one, Mapping) and key in one), None)
