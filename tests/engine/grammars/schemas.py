"""Ten schemas of common kinds, with bounded strings so that the answers of a tiny model end."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from engine.grammars.grammar import Grammar

WORD = {"type": "string", "maxLength": 8}


def record(**properties: Any) -> dict[str, Any]:
    """Return the schema of an object with exactly these properties."""
    required = list(properties)
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


SCHEMAS: dict[str, dict[str, Any]] = {
    "person": record(name=WORD, age={"type": "integer", "minimum": 0, "maximum": 120}, married={"type": "boolean"}),
    "enumeration": record(mood={"enum": ["good", "bad", "neither"]}, sure={"type": "boolean"}),
    "list": {"type": "array", "items": WORD, "minItems": 2, "maxItems": 4},
    "nested": record(address=record(street=WORD, city=WORD), tags={"type": "array", "items": WORD, "maxItems": 2}),
    "objects": record(
        items={"type": "array", "minItems": 2, "maxItems": 3, "items": record(id={"enum": [1, 2, 3]}, text=WORD)}
    ),
    "alternatives": {
        "anyOf": [record(kind={"const": "circle"}, radius={"enum": [1, 2]}), record(kind={"const": "dot"})]
    },
    "optional": {
        "type": "object",
        "properties": {"title": WORD, "pages": {"enum": [10, 200]}},
        "required": ["title"],
        "additionalProperties": False,
    },
    "recursive": {
        "$ref": "#/$defs/node",
        "$defs": {
            "node": record(
                value={"enum": [0, 1]},
                next={"anyOf": [{"type": "null"}, {"type": "boolean"}, {"$ref": "#/$defs/node"}]},
            )
        },
    },
    "formats": record(
        day={"type": "string", "format": "date"}, code={"type": "string", "pattern": "^[A-Z]{3}-[0-9]{2}$"}
    ),
    "call": record(name={"const": "get_weather"}, arguments=record(city=WORD, unit={"enum": ["celsius", "kelvin"]})),
}


def grammar_of(schema: Mapping[str, Any]) -> Grammar:
    return Grammar("json_schema", json.dumps(schema))
