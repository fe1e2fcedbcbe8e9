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

from engine.call_forms.schema import Schema, arguments_of, kind_of

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


def as_json(text: str, _: Tools) -> list[dict[str, Any]]:
    """Read JSON objects, alone or in lists, each with a name and arguments."""
    calls, at = list[dict[str, Any]](), 0
    while (at := _BETWEEN.match(text, at).end()) < len(text):  # type: ignore[union-attr]
        value, at = _DECODER.raw_decode(text, at)
        calls.append(_of_object(value))
    return calls


def json_or(read: Read) -> Read:
    """Read JSON, which several families write at times, or else what `read` reads."""
    return lambda text, tools: (as_json if text.lstrip().startswith(("[", "{")) else read)(text, tools)


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
    """Reads calls with a tag for each argument, and nothing but white space between them.

    `call` has the groups `name` and `body`. `opening` begins an argument and has the group `key`; `closing` ends it. If
    `opening` has the group `string`, that says whether the value is a text, otherwise the function's schema does. In
    the group `cdata` begins a text with an end of its own. With `lines` a line break beside each tag is not a part of
    the value. Models forget closing tags, so a value ends before the next argument; but a value in which another one
    may only be mentioned is not read.
    """

    call: re.Pattern[str]
    opening: re.Pattern[str]
    closing: str
    lines: bool = False

    def __call__(self, text: str, tools: Tools) -> list[dict[str, Any]]:
        if self.call.sub("", text).strip():
            raise ValueError("a text beside calls")
        return [
            {"name": call["name"], "arguments": self._arguments(call["body"], _properties(call["name"], tools))}
            for call in self.call.finditer(text)
        ]

    def _arguments(self, body: str, schemas: Mapping[str, Schema]) -> dict[str, Any]:
        found, rest = dict[str, Any](), body.lstrip()
        while rest:
            opening = self.opening.match(rest)
            if opening is None or opening["key"] in found:
                raise ValueError("a text between arguments, or an argument twice")
            text, rest = self._text(opening, rest[opening.end() :], schemas)
            found[opening["key"]] = self._value(opening, text, schemas.get(opening["key"], Schema({})))
        return found

    def _text(self, opening: re.Match[str], rest: str, schemas: Mapping[str, Schema]) -> tuple[str, str]:
        """Return the text of an argument's value, and what follows the argument."""
        closing = f"]]>{self.closing}" if opening.groupdict().get("cdata") else self.closing
        text, closed, after = rest.partition(closing)
        following = None if opening.groupdict().get("cdata") else self.opening.search(text)
        if following is not None:
            if following["key"] not in schemas or not text[: following.start()].endswith("\n"):
                raise ValueError("an argument in the value of another one")
            text, closed, after = text[: following.start()], "", rest[following.start() :]
        if self.lines or not closed:
            text = text.removeprefix("\n").removesuffix("\n")
        return text, after.lstrip()

    def _value(self, opening: re.Match[str], text: str, schema: Schema) -> Any:
        if (string := opening.groupdict().get("string")) is not None:
            return text if string == "true" else json.loads(text)
        return typed(text, schema)


def tagged(call: str, opening: str, closing: str, *, lines: bool = False) -> Tagged:
    """Return a reader of calls by the patterns of `Tagged`."""
    return Tagged(re.compile(call, re.DOTALL), re.compile(opening, re.DOTALL), closing, lines)


def _properties(name: str, tools: Tools) -> Mapping[str, Schema]:
    """Return the schemas of a function's parameters."""
    for tool in tools:
        if tool["function"]["name"] == name:
            return arguments_of(tool["function"].get("parameters")).properties
    return {}


def typed(text: str, schema: Schema) -> Any:
    """Return the value that a text without quotes stands for: JSON unless the schema says that it is a text.

    Some models write the values of Python where no text is allowed.
    """
    kinds = schema.kinds
    if kinds == {"string"}:
        return text
    try:
        value = json.loads(text, strict=False)
    except ValueError:
        return text if not kinds or "string" in kinds else _of_python(text)
    kept = "string" in kinds and not ({kind_of(value), "number" if kind_of(value) == "integer" else ""} & kinds)
    return text if kept else value


def _of_python(text: str) -> Any:
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError):
        return text


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
        arguments = {key: _element(value, schemas.get(key, Schema({}))) for key, value in _elements(call["body"])}
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


def _element(text: str, schema: Schema) -> Any:
    """Return the value of an element's content."""
    texts = any(one.kind == "string" and one.free_text for one in schema.alternatives)
    kinds = [one.kind for one in schema.alternatives if one.kind in ("array", "object") and not one.is_value]
    if texts or (NESTED not in text and (text or not kinds)):
        return typed(text, schema)
    if not text:
        return [] if kinds[0] == "array" else {}
    entries = _elements(text)
    if all(key == "item" for key, _ in entries):
        inner = next((one.items for one in schema.alternatives if one.kind == "array"), Schema({}))
        return [_element(value, inner) for _, value in entries]
    schemas = schema.properties
    return {key: _element(value, schemas.get(key, Schema({}))) for key, value in entries}
