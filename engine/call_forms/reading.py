"""Readers of function calls: each takes the text of calls and the tools, and returns one call or a list of calls.

A call is a mapping with `name` and `arguments`. A reader raises any exception for a text that it cannot read.
"""

from __future__ import annotations

import ast
import importlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from engine.call_forms.schema import Schema, kind_of

Tools = Sequence[Mapping[str, Any]]
CallReader = Callable[[str, Tools], Any]
# The names under which models write a function's name and its arguments.
_NAMES = ("name", "tool_name", "function")
_ARGUMENTS = ("arguments", "parameters")
# What may stand between JSON objects: separators, the brackets of lists, and the fences of a block of code.
BETWEEN_JSON = re.compile(r"(?:[\s,;\[\]]|```(?:json)?)*")
_DECODER = json.JSONDecoder(strict=False)


def by_mlx_lm(name: str) -> CallReader:
    """Return mlx-lm's reader of this name, which is imported with the first call because that imports MLX."""

    def read(text: str, tools: Tools) -> Any:
        module = importlib.import_module(f"mlx_lm.tool_parsers.{name}")
        return module.parse_tool_call(text, [dict(tool) for tool in tools])

    return read


def as_json(text: str, _: Tools) -> list[dict[str, Any]]:
    """Read JSON objects, alone or in lists, each with a name and arguments."""
    return [_of_object(entry) for entry in objects_in(text)]


def objects_in(text: str) -> list[Any]:
    """Return the JSON objects of which a text consists, alone or in lists."""
    objects = list[Any]()
    at = 0
    while (at := BETWEEN_JSON.match(text, at).end()) < len(text):  # type: ignore[union-attr]
        value, at = _DECODER.raw_decode(text, at)
        objects.append(value)
    return objects


@dataclass(frozen=True)
class JsonOr:
    """Reads JSON, which several families write at times, or else what `other` reads."""

    other: CallReader

    def __call__(self, text: str, tools: Tools) -> Any:
        return as_json(text, tools) if text.lstrip().startswith(("[", "{")) else self.other(text, tools)


def _of_object(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return the name and arguments of a call that is a JSON object, under whatever keys. Raises ValueError."""
    name = next((entry[key] for key in _NAMES if key in entry), None)
    if isinstance(name, Mapping):
        return _of_object(name)
    if name is None:
        # The name of the function is the only key.
        [(name, arguments)] = entry.items()
        return {"name": name, "arguments": arguments}
    return {"name": name, "arguments": next((entry[key] for key in _ARGUMENTS if key in entry), {})}


@dataclass(frozen=True)
class HeaderThenJson:
    """Reads calls that are a header, a pattern with the group `name`, and a JSON object."""

    header: re.Pattern[str]

    def __call__(self, text: str, _: Tools) -> list[dict[str, Any]]:
        calls = []
        end = 0
        while (header := self.header.search(text, end)) is not None:
            arguments, end = _DECODER.raw_decode(text, header.end())
            calls.append({"name": header["name"], "arguments": arguments})
        return calls


def whole(value: Any, schema: Schema) -> Any:
    """Return a value, as an integer if it is a whole number where the schema allows no others."""
    is_whole = isinstance(value, float) and value.is_integer()
    return int(value) if is_whole and "integer" in schema.kinds and "number" not in schema.kinds else value


def typed(text: str, schema: Schema) -> Any:
    """Return the value that a text without quotes stands for: JSON unless the schema says that it is a text.

    Some models write the values of Python where no text is allowed, and a text in quotes where one of a few is wanted.
    """
    kinds = schema.kinds
    if kinds == {"string"}:
        return text if schema.allows(text) else _unquoted(text)
    try:
        value = json.loads(text, strict=False)
    except ValueError:
        return text if not kinds or "string" in kinds else _of_python(text)
    value = whole(value, schema)
    stays_text = "string" in kinds and not ({kind_of(value), "number" if kind_of(value) == "integer" else ""} & kinds)
    return text if stays_text else value


def _unquoted(text: str) -> str:
    """Return the text in the quotes of JSON that a text is, else the text."""
    with suppress(ValueError):
        value = json.loads(text)
        return value if isinstance(value, str) else text
    return text


def _of_python(text: str) -> Any:
    """Return the number or literal of Python that a text is, else the text."""
    # Only `int` reads a number that begins with zeros.
    for read in (int, ast.literal_eval):
        with suppress(ValueError, SyntaxError):
            return read(text.strip())
    return text


# MiniMax-M3's mark before every tag.
NESTED = "]<]minimax[>["
_TAG = re.escape(NESTED) + "<"
_ELEMENT = re.compile(rf"{_TAG}(?P<key>[^/<>]+)>")


def _elements(text: str) -> tuple[dict[str, list[str]], str]:
    """Return the contents of the outermost elements by their names, and the text between them."""
    contents = dict[str, list[str]]()
    between = ""
    at = 0
    while (opening := _ELEMENT.search(text, at)) is not None:
        between += text[at : opening.start()]
        content, at = _content(text, opening.end(), re.compile(rf"{_TAG}(/?){re.escape(opening['key'])}>"))
        contents.setdefault(opening["key"], []).append(content)
    return contents, between + text[at:]


def _content(text: str, start: int, tags: re.Pattern[str]) -> tuple[str, int]:
    """Return the content of an element, which may hold others of its name, and the end of its closing tag."""
    depth = 1
    for tag in tags.finditer(text, start):
        depth += -1 if tag[1] else 1
        if depth == 0:
            return text[start : tag.start()], tag.end()
    raise ValueError("an element does not end")


def element(text: str, schema: Schema) -> Any:
    """Return the value of the content of an element of MiniMax-M3.

    "<a>1</a><b>2</b>" is the object {"a": 1, "b": 2}; elements that are all called "item" are a list, and so are
    several elements of an object's key. Where the schema allows a text, elements in it are part of the text.
    """
    kinds = [option.kind for option in schema.alternatives if _has_elements(option)]
    allows_text = any(map(_is_any_text, schema.alternatives))
    if kinds and not allows_text and not text.strip():
        return [] if kinds[0] == "array" else {}
    entries, between = _elements(text) if kinds or not allows_text else ({}, "")
    if not entries:
        value = typed(text, schema)
        return value if schema.kinds != {"array"} or isinstance(value, list) else [element(text, schema.items)]
    if between.strip():
        entries["$$text" if "$text" in entries else "$text"] = [between]
    if kinds == ["array"] or (kinds != ["object"] and entries.keys() == {"item"}):
        return _entries_of_list(entries, schema)
    return _entries_of_object(entries, schema)


def _has_elements(schema: Schema) -> bool:
    """Whether the values of a simple schema are written as elements: lists and objects."""
    return schema.kind in ("array", "object") and not schema.is_value


def _is_any_text(schema: Schema) -> bool:
    """Whether the values of a simple schema are texts of any form."""
    return schema.kind == "string" and schema.is_any_text


def _entries_of_list(entries: dict[str, list[str]], schema: Schema) -> list[Any]:
    """Return the values of elements that are entries of a list, whatever they are called."""
    inner = next((option.items for option in schema.alternatives if option.kind == "array"), Schema({}))
    return [element(value, inner) for values in entries.values() for value in values]


def _entries_of_object(entries: dict[str, list[str]], schema: Schema) -> dict[str, Any]:
    """Return the object whose keys are the names of elements."""
    schemas = schema.properties
    values_by_key = dict[str, Any]()
    for key, values in entries.items():
        value_schema = schemas.get(key, schema.others)
        values_by_key[key] = joined([element(value, value_schema) for value in values], value_schema)
    return values_by_key


def joined(values: list[Any], schema: Schema) -> Any:
    """Return the value of the elements of one name: a list if there are several."""
    if schema.kinds == {"array"}:
        lists = [value if isinstance(value, list) else [value] for value in values]
        return [entry for entries in lists for entry in entries]
    return values if len(values) > 1 else values[0]
