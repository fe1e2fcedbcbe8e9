"""A chat's own settings, which differ from the defaults, and the variables of its system prompt. No Qt.

A chat's settings have the keys of the settings window, so that ranges and words are declared once. `overrides` are such
keys with their values; for example, {"temperature": 0.0} changes only the temperature.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from app.settings.declarations import SETTINGS, declared_in
from app.settings.engine_settings import none_values
from engine.grammars.grammar import Grammar
from engine.requests import SamplingSettings, SpeculationSettings

# Keys of a chat's stored settings: its own settings.
OWN = "own"
# The system prompt and the settings that a preset replaced.
SET_ASIDE = "set_aside"
# The switch of a chat's tools.
TOOLS_ON = "tools"
# The tools that are allowed in this chat alone.
TOOLS_ALLOWED = "tools_allowed"
SPECULATION_KEYS = tuple(key for key, setting in declared_in(SpeculationSettings).items() if setting.in_chats)
# Only a chat has this setting: text, any JSON, or JSON by a schema. It is stored as one string: "", "json", or "schema"
# followed by a new line and the schema as the user wrote it.
ANSWER_FORMAT = "answer_format"
TEXT = ""
JSON = "json"
_SCHEMA_PREFIX = "schema\n"
_OF_SAMPLING = tuple(key for key, setting in declared_in(SamplingSettings).items() if setting.in_chats)
_OF_ANSWER = ("max_tokens", "overflow", "thinking")
KEYS = (*_OF_SAMPLING, *_OF_ANSWER, *SPECULATION_KEYS)
# The values that the settings window has in place of None, by key.
_NONE = {"max_tokens": 0} | none_values(SamplingSettings) | none_values(SpeculationSettings)

# Names that a system prompt may hold in double braces, filled in when a question is sent. The time of day is not among
# them: it would change the prompt with every question and force a full prefill.
VARIABLES = ("date", "weekday", "language", "model", "draft", "computer")
_VARIABLE = re.compile(r"\{\{\s*([a-z]+)\s*\}\}")


@dataclass(frozen=True)
class GenerationSettings:
    """How answers are generated.

    With `max_tokens` None, only the context limits their length. An answer calls at most `most_calls` tools. `overflow`
    and `thinking` have the values that the settings window gives them.
    """

    sampling: SamplingSettings = field(default_factory=SamplingSettings)
    speculation: SpeculationSettings = field(default_factory=SpeculationSettings)
    max_tokens: int | None = None
    overflow: str = "refuse"
    thinking: str = "auto"
    answer_format: str = TEXT
    most_calls: int = 25

    def with_overrides(self, overrides: Mapping[str, Any]) -> GenerationSettings:
        """Return these settings, changed by a chat's own ones. A value that stands for None (`_NONE`) becomes None."""

        def chosen(keys: tuple[str, ...]) -> dict[str, Any]:
            return {
                key: None if overrides[key] == _NONE.get(key) else overrides[key] for key in keys if key in overrides
            }

        return replace(
            self,
            sampling=replace(self.sampling, **chosen(_OF_SAMPLING)),
            speculation=replace(self.speculation, **chosen(SPECULATION_KEYS)),
            **chosen((*_OF_ANSWER, ANSWER_FORMAT)),
        )

    def values(self) -> dict[str, Any]:
        """Return these settings under the keys of the settings window, with its values in place of None."""
        parts = ((self.sampling, _OF_SAMPLING), (self, _OF_ANSWER), (self.speculation, SPECULATION_KEYS))
        values = {key: getattr(part, key) for part, keys in parts for key in keys}
        return {key: _NONE.get(key) if value is None else value for key, value in values.items()}


def overrides_of(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return a chat's own settings among its stored settings, without those that this version cannot use."""
    stored = settings.get(OWN)
    return usable(stored) if isinstance(stored, dict) else {}


def replaced_by_preset(settings: Mapping[str, Any]) -> tuple[str, dict[str, Any]] | None:
    """Return the system prompt and the chat's own settings that a preset replaced; None if none did.

    `settings` are the chat's stored settings.
    """
    stored = settings.get(SET_ASIDE)
    if not isinstance(stored, dict) or not isinstance(stored.get("system_prompt"), str):
        return None
    return stored["system_prompt"], overrides_of(stored)


def without_permissions(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return a chat's stored settings for another chat, in which no tool was allowed yet."""
    return {key: value for key, value in settings.items() if key != TOOLS_ALLOWED}


def usable(overrides: Mapping[str, Any]) -> dict[str, Any]:
    """Return a chat's own settings without the keys that this version does not know and the values it refuses."""
    accepted = {}
    for key in KEYS:
        value = overrides.get(key)
        if isinstance(SETTINGS[key].default, float) and type(value) is int:
            value = float(value)
        if SETTINGS[key].accepts(value):
            accepted[key] = value
    if is_format(overrides.get(ANSWER_FORMAT)):
        accepted[ANSWER_FORMAT] = overrides[ANSWER_FORMAT]
    return accepted


def filled(prompt: str, values: Mapping[str, str]) -> str:
    """Return a system prompt with its variables filled in; unknown ones stay as they are."""
    return _VARIABLE.sub(lambda match: values.get(match[1], match[0]), prompt)


def by_schema(source: str) -> str:
    """Return the format for a schema, which may be unfinished."""
    return _SCHEMA_PREFIX + source


def schema_of(answer_format: str) -> str | None:
    """Return the schema as the user wrote it; None for other formats."""
    return answer_format.removeprefix(_SCHEMA_PREFIX) if answer_format.startswith(_SCHEMA_PREFIX) else None


def is_format(value: object) -> bool:
    """Return whether a stored value is a format other than text."""
    return isinstance(value, str) and (value == JSON or value.startswith(_SCHEMA_PREFIX))


def grammar_of(answer_format: str) -> Grammar | None:
    """Return the grammar that the engine has to follow. Raises the engine's GrammarNotUsable for an invalid schema."""
    if (schema := schema_of(answer_format)) is not None:
        return Grammar("json_schema", schema)
    return Grammar("json_object") if answer_format == JSON else None
