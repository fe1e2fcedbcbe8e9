"""Presets: named system prompts with settings, for new chats or to apply to one. No Qt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from app.conversations.chat_settings import usable
from app.conversations.database.database import Database
from app.conversations.database.encoding import object_from_json, to_json

# The name of the preset with which new chats begin.
NEW_CHATS = ""


@dataclass(frozen=True)
class Preset:
    """A named system prompt with settings.

    `own` holds only the settings that differ from the defaults; folders store it under this name. Tandem's presets have
    a `built_in` id and no `name`, the user's a `name` and no `built_in`.
    """

    name: str
    system_prompt: str = ""
    own: Mapping[str, Any] = field(default_factory=dict)
    built_in: str = ""


_SAMPLING: dict[str, dict[str, float | int]] = {
    "precise": {"temperature": 0.0, "top_p": 1.0, "top_k": 0, "min_p": 0.0, "repetition_penalty": 1.0},
    "balanced": {"temperature": 0.7, "top_p": 0.9, "top_k": 0, "min_p": 0.0, "repetition_penalty": 1.0},
    "creative": {"temperature": 1.0, "top_p": 1.0, "top_k": 0, "min_p": 0.05, "repetition_penalty": 1.0},
}
BUILT_IN = (
    *(Preset("", own=values, built_in=name) for name, values in _SAMPLING.items()),
    Preset("", "Answer in as few words as the question allows. Write in {{language}}.", built_in="concise"),
)


def preset_in_use(presets: Sequence[Preset], system_prompt: str, overrides: Mapping[str, Any]) -> Preset | None:
    """Return the preset whose system prompt and settings a chat has; None if there is none."""
    for preset in presets:
        if preset.system_prompt == system_prompt and preset.own == overrides:
            return preset
    return None


class Presets:
    """The presets of the store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self) -> list[Preset]:
        """Return the user's presets, by name."""
        rows = self._database.rows("SELECT * FROM presets WHERE name <> ? ORDER BY name", (NEW_CHATS,))
        return [_preset(row) for row in rows]

    def of_new_chats(self) -> Preset:
        """Return what new chats begin with."""
        row = self._database.row("SELECT * FROM presets WHERE name = ?", (NEW_CHATS,))
        return Preset(NEW_CHATS) if row is None else _preset(row)

    def save(self, name: str, system_prompt: str, overrides: Mapping[str, Any]) -> None:
        """Store a preset, or what new chats begin with under NEW_CHATS; one of the same name is replaced."""
        with self._database.write():
            self._database.execute(
                """
                INSERT INTO presets (name, system_prompt, settings) VALUES (?, ?, ?) ON CONFLICT (name)
                DO UPDATE SET system_prompt = excluded.system_prompt, settings = excluded.settings""",
                (" ".join(name.split()), system_prompt, to_json(overrides)),
            )

    def delete(self, name: str) -> None:
        """Delete the preset of that name, if there is one."""
        with self._database.write():
            self._database.execute("DELETE FROM presets WHERE name = ?", (name,))


def _preset(row: Any) -> Preset:
    return Preset(row["name"], row["system_prompt"], usable(object_from_json(row["settings"])))
