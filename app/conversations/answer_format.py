"""The form of a chat's answers: text, any JSON, or JSON by a schema. No Qt.

A chat keeps it as one text: "", "json", or "schema" with the schema as it was written in the lines after it.
"""

from __future__ import annotations

from engine.grammars.grammar import Grammar

TEXT, JSON = "", "json"
_SCHEMA = "schema\n"


def by_schema(source: str) -> str:
    """The format of answers to a schema, whatever is written there so far."""
    return _SCHEMA + source


def schema_of(answer_format: str) -> str | None:
    """The schema as it was written; None for other formats."""
    return answer_format.removeprefix(_SCHEMA) if answer_format.startswith(_SCHEMA) else None


def is_format(value: object) -> bool:
    """Whether a stored value is one of a format other than text."""
    return isinstance(value, str) and (value == JSON or value.startswith(_SCHEMA))


def grammar_of(answer_format: str) -> Grammar | None:
    """What the engine is asked to follow. Raises `GrammarNotUsable` for a schema that is none."""
    if (schema := schema_of(answer_format)) is not None:
        return Grammar("json_schema", schema)
    return Grammar("json_object") if answer_format == JSON else None
