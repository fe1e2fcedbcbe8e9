"""Ten questions whose answers follow a schema: what structured output is used for, from one field to nested lists.

Strings are bounded, because a tiny model does not come to an end by itself.
"""

from __future__ import annotations

import json
from typing import Any

from engine.bench.prompts import Prompt
from engine.grammars.grammar import Grammar

_WORDS: dict[str, Any] = {"type": "string", "maxLength": 24}
_NAME: dict[str, Any] = {"type": "string", "maxLength": 12}


def _record(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _list(items: dict[str, Any], least: int, most: int) -> dict[str, Any]:
    return {"type": "array", "items": items, "minItems": least, "maxItems": most}


_AGE = {"type": "integer", "minimum": 0, "maximum": 120}
_PERSON = _record(first_name=_NAME, last_name=_NAME, age=_AGE, email=_WORDS)
_SCHEMAS: dict[str, tuple[str, dict[str, Any]]] = {
    "sentiment": (
        "Is this review good or bad? “Fast, and the text stays the same.”",
        _record(sentiment={"enum": ["positive", "negative", "neutral"]}, confidence={"enum": ["low", "high"]}),
    ),
    "person": ("Describe a person who uses Tandem.", _PERSON),
    "tool-call": (
        "What is the weather in Seoul?",
        _record(
            name={"const": "get_current_weather"},
            arguments=_record(location=_NAME, unit={"enum": ["celsius", "fahrenheit"]}),
        ),
    ),
    "extraction": (
        "Which models does this sentence name? “The draft model guesses, and the main model checks every guess.”",
        _record(entities=_list(_record(text=_WORDS, type={"enum": ["model", "token", "other"]}), 2, 4)),
    ),
    "invoice": (
        "Write an invoice over two items.",
        _record(
            invoice_number={"type": "string", "pattern": "^INV-[0-9]{4}$"},
            date={"type": "string", "format": "date"},
            items=_list(_record(description=_WORDS, quantity={"enum": [1, 2, 3]}, unit_price={"enum": [10, 25]}), 2, 2),
            paid={"type": "boolean"},
        ),
    ),
    "steps": (
        "How do I choose a draft model?",
        _record(steps=_list(_record(explanation=_WORDS, output=_NAME), 2, 3), final_answer=_WORDS),
    ),
    "address-book": ("Name two people who use Tandem.", _record(people=_list(_PERSON, 2, 2))),
    "configuration": (
        "Write settings for an answer.",
        _record(
            temperature={"enum": [0.0, 0.7, 1.0]},
            top_p={"enum": [0.9, 1.0]},
            max_tokens={"enum": [128, 512]},
            stream={"type": "boolean"},
            stop=_list(_NAME, 0, 2),
        ),
    ),
    "alternatives": (
        "Draw a shape.",
        {
            "anyOf": [
                _record(shape={"const": "circle"}, radius={"enum": [1, 2, 3]}),
                _record(shape={"const": "rectangle"}, width={"enum": [1, 2]}, height={"enum": [1, 2]}),
            ]
        },
    ),
    "tree": (
        "What are the parts of a round?",
        _record(title=_NAME, children=_list(_record(title=_NAME, children=_list(_record(title=_NAME), 1, 2)), 1, 2)),
    ),
}
BY_SCHEMA = tuple(
    Prompt(kind, "en", text, Grammar("json_schema", json.dumps(schema))) for kind, (text, schema) in _SCHEMAS.items()
)
