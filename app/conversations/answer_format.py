"""The format of a chat's answers: text, any JSON, or JSON by a schema. No Qt.

It is stored as one string: "", "json", or "schema" followed by a new line and the schema as the user wrote it.
"""

from __future__ import annotations

from engine.grammars.grammar import Grammar

TEXT, JSON = "", "json"
_SCHEMA = "schema\n"


def by_schema(source: str) -> str:
    """Return the format for a schema, which may be unfinished."""
    return _SCHEMA + source


def schema_of(answer_format: str) -> str | None:
    """Return the schema as the user wrote it; None for other formats."""
    return answer_format.removeprefix(_SCHEMA) if answer_format.startswith(_SCHEMA) else None


def is_format(value: object) -> bool:
    """Return whether a stored value is a format other than text."""
    return isinstance(value, str) and (value == JSON or value.startswith(_SCHEMA))


def grammar_of(answer_format: str) -> Grammar | None:
    """Return the grammar that the engine has to follow. Raises `GrammarNotUsable` for an invalid schema."""
    if (schema := schema_of(answer_format)) is not None:
        return Grammar("json_schema", schema)
    return Grammar("json_object") if answer_format == JSON else None
