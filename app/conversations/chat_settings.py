"""A chat's own settings under the keys of the settings window, and the variables of its system prompt. No Qt."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from app.settings.declarations import SETTINGS, declared_in
from app.settings.engine_settings import none_values
from engine.grammars.grammar import Grammar
from engine.requests import SamplingSettings, SpeculationSettings

# Keys of a chat's stored settings: its own ones, and the system prompt with the settings that a preset replaced.
OWN, SET_ASIDE = "own", "set_aside"
# Keys of the switch of a chat's tools, and of the tools that are allowed in this chat alone.
TOOLS_ON, TOOLS_ALLOWED = "tools", "tools_allowed"
SPECULATION_KEYS = tuple(key for key, setting in declared_in(SpeculationSettings).items() if setting.in_chats)
# Only a chat has this setting: text, any JSON, or JSON by a schema. It is stored as one string: "", "json", or "schema"
# followed by a new line and the schema as the user wrote it.
ANSWER_FORMAT = "answer_format"
TEXT, JSON = "", "json"
_SCHEMA = "schema\n"
_OF_SAMPLING = tuple(key for key, setting in declared_in(SamplingSettings).items() if setting.in_chats)
_OF_ANSWER = ("max_tokens", "overflow", "thinking")
KEYS = (*_OF_SAMPLING, *_OF_ANSWER, *SPECULATION_KEYS)
_NONE = {"max_tokens": 0} | none_values(SamplingSettings) | none_values(SpeculationSettings)

# Names that a system prompt may hold in double braces, filled in when a question is sent. The time of day is not among
# them: it would change the prompt with every question and force a full prefill.
VARIABLES = ("date", "weekday", "language", "model", "draft", "computer")
_VARIABLE = re.compile(r"\{\{\s*([a-z]+)\s*\}\}")


@dataclass(frozen=True)
class GenerationSettings:
    """How answers are generated. Without `max_tokens`, only the context limits them; they call `most_calls` tools."""

    sampling: SamplingSettings = field(default_factory=SamplingSettings)
    speculation: SpeculationSettings = field(default_factory=SpeculationSettings)
    max_tokens: int | None = None
    overflow: str = "refuse"
    thinking: str = "auto"
    answer_format: str = TEXT
    most_calls: int = 25

    def with_own(self, own: Mapping[str, Any]) -> GenerationSettings:
        """Return these settings, changed by a chat's own ones."""

        def chosen(keys: tuple[str, ...]) -> dict[str, Any]:
            return {key: None if own[key] == _NONE.get(key) else own[key] for key in keys if key in own}

        return replace(
            self,
            sampling=replace(self.sampling, **chosen(_OF_SAMPLING)),
            speculation=replace(self.speculation, **chosen(SPECULATION_KEYS)),
            **chosen((*_OF_ANSWER, ANSWER_FORMAT)),
        )

    def values(self) -> dict[str, Any]:
        """Return the same in the keys and values of the settings window."""
        parts = ((self.sampling, _OF_SAMPLING), (self, _OF_ANSWER), (self.speculation, SPECULATION_KEYS))
        found = {key: getattr(part, key) for part, keys in parts for key in keys}
        return {key: _NONE.get(key) if value is None else value for key, value in found.items()}


def own_of(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return a chat's own settings, without those that this version cannot use."""
    stored = settings.get(OWN)
    return usable(stored) if isinstance(stored, dict) else {}


def set_aside_of(settings: Mapping[str, Any]) -> tuple[str, dict[str, Any]] | None:
    """Return the system prompt and the settings that a preset replaced in a chat with these stored settings."""
    stored = settings.get(SET_ASIDE)
    if not isinstance(stored, dict) or not isinstance(stored.get("system_prompt"), str):
        return None
    return stored["system_prompt"], own_of(stored)


def without_permissions(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return a chat's stored settings for another chat, in which no tool was allowed yet."""
    return {key: value for key, value in settings.items() if key != TOOLS_ALLOWED}


def usable(own: Mapping[str, Any]) -> dict[str, Any]:
    found = {}
    for key in KEYS:
        value = own.get(key)
        if isinstance(SETTINGS[key].default, float) and type(value) is int:
            value = float(value)
        if SETTINGS[key].accepts(value):
            found[key] = value
    if is_format(own.get(ANSWER_FORMAT)):
        found[ANSWER_FORMAT] = own[ANSWER_FORMAT]
    return found


def filled(prompt: str, values: Mapping[str, str]) -> str:
    """Return a system prompt with its variables filled in; unknown ones stay as they are."""
    return _VARIABLE.sub(lambda match: values.get(match[1], match[0]), prompt)


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
