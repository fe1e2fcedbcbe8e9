"""What the terminal commands take from the settings of the user."""

from __future__ import annotations

from app.settings.declarations import SettingsValues
from app.settings.engine_settings import memory_limit_of
from app.settings.store import SettingsStore
from app.system.paths import learned_file, settings_folder
from engine.settings import EngineSettings


def own_settings() -> SettingsValues:
    """Return the settings as they are stored."""
    return SettingsStore(settings_folder() / "settings.json").values


def own_engine_settings() -> EngineSettings:
    """Return the settings of an engine that learns from this computer, within the memory that the user allows."""
    return EngineSettings(learned_file=learned_file(), memory_limit=memory_limit_of(own_settings()))


def memory_limit() -> int:
    """Return the bytes that the engine allows: the user's choice or the device's recommendation. Imports MLX."""
    from engine.serving.memory import recommended_limit

    return memory_limit_of(own_settings()) or recommended_limit()
