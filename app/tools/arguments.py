"""Checks what a model passes to a tool before the tool is called.

Only the outer object is checked: which parameters there are, and the types and listed values of each. A whole schema is
a stranger's program, whose references and patterns can take forever; the server checks the rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# The types of JSON schemas; true and false are no numbers.
_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}


def problem_with(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    """Return what is wrong with the arguments, in words for the model; "" if nothing is."""
    properties = schema.get("properties")
    properties = properties if isinstance(properties, Mapping) else {}
    required = schema.get("required")
    missing = [name for name in required if name not in arguments] if isinstance(required, list) else []
    if missing:
        return f"{', '.join(map(repr, missing))} is missing."
    unknown = [name for name in arguments if name not in properties]
    if unknown and schema.get("additionalProperties") is False:
        return f"there is no parameter {', '.join(map(repr, unknown))}."
    for name, value in arguments.items():
        expected = properties.get(name)
        if isinstance(expected, Mapping) and (problem := _problem_with_value(value, expected)):
            return f"{name!r} must be {problem}."
    return ""


def _problem_with_value(value: Any, schema: Mapping[str, Any]) -> str:
    kinds = schema.get("type")
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if isinstance(kinds, list) and not any(_is_of(value, kind) for kind in kinds):
        return " or ".join(map(str, kinds))
    listed = schema.get("enum")
    if isinstance(listed, list) and value not in listed:
        return f"one of {', '.join(map(repr, listed))}"
    return ""


def _is_of(value: Any, kind: Any) -> bool:
    types = _TYPES.get(kind) if isinstance(kind, str) else None
    if types is None:
        return True
    if isinstance(value, float) and kind == "integer":
        return value.is_integer()
    return isinstance(value, types) and (not isinstance(value, bool) or kind == "boolean")
