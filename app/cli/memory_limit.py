"""The one memory limit, as the terminal commands apply it."""

from __future__ import annotations

from app.settings.engine_settings import memory_limit_of
from app.settings.store import SettingsStore
from app.system.paths import settings_folder


def chosen_memory_limit() -> int | None:
    """The bytes that the user's settings let models take; None for what the device recommends."""
    return memory_limit_of(SettingsStore(settings_folder() / "settings.json").values)


def memory_limit() -> int:
    """The bytes that the engine admits: the user's choice, or what the device recommends. Imports MLX."""
    from engine.serving.memory import recommended_limit

    return chosen_memory_limit() or recommended_limit()
