"""The memory limit of the terminal commands."""

from __future__ import annotations

from app.settings.engine_settings import memory_limit_of
from app.settings.store import SettingsStore
from app.system.paths import settings_folder


def chosen_memory_limit() -> int | None:
    """Return the bytes that the user's settings allow models; None for the device's recommendation."""
    return memory_limit_of(SettingsStore(settings_folder() / "settings.json").values)


def memory_limit() -> int:
    """Return the bytes that the engine allows: the user's choice or the device's recommendation. Imports MLX."""
    from engine.serving.memory import recommended_limit

    return chosen_memory_limit() or recommended_limit()
