"""The choices of where a draft model drafts ahead, with the computers that were named. No Qt in here."""

from __future__ import annotations

from app.settings.declarations import SETTINGS, SettingsValues
from engine.computers.hosts import is_name, is_name_here


def computers(values: SettingsValues) -> list[str]:
    """Return the other computers in the settings, and the one that drafts ahead, each once."""
    named = [name.strip() for name in values.machines.split(",")]
    usable = [name for name in named if is_name(name) and not is_name_here(name)]
    chosen = [] if values.draft_ahead in SETTINGS["draft_ahead"].values else [values.draft_ahead]
    return list(dict.fromkeys(usable + chosen))


def draft_places(values: SettingsValues) -> list[str]:
    """Return the values to choose from."""
    return [*SETTINGS["draft_ahead"].values, *computers(values)]
