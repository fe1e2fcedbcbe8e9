"""Where the library keeps its files, and the settings that decide how it reaches the Hub and judges models."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from app.settings.declarations import SettingsValues
from engine.hub.download_job import JobSettings

# The settings that decide where models come from and how much memory they are judged by.
_DECIDING = (
    "hub_endpoint",
    "proxy",
    "model_folders",
    "work_offline",
    "fit_context",
    "kv_bits",
    "memory_limit_gb",
)


@dataclass(frozen=True)
class LibraryPaths:
    """Where models, downloads and indexes are kept.

    queue: the file of the downloads that are under way
    index: the file in which a scan of the disk keeps its results
    small_files: the folder of configurations that were read from the Hub
    starter: the folder of the starter pair
    cache: the Hugging Face cache; None for the one that this user's programs share
    catalog: the file of the recommended models; None for the one that ships
    memory_bytes: the memory of the machine; None to ask the system
    jobs: how downloads are run
    """

    queue: Path
    index: Path
    small_files: Path
    starter: Path
    cache: Path | None = None
    catalog: Path | None = None
    memory_bytes: int | None = None
    jobs: JobSettings = field(default_factory=JobSettings)


@dataclass(frozen=True)
class HubOptions:
    """The configuration of the library.

    values: the settings that decide here (see `deciding`)
    device_limit: the bytes that the running engine admits, which count if the user set no memory limit; None before
        the engine runs
    machines: the bytes that models may use on each of several Macs, this one first; () for one Mac
    """

    values: SettingsValues
    device_limit: int | None = None
    machines: tuple[int, ...] = ()


def deciding(values: SettingsValues) -> SettingsValues:
    """Return the values of the settings that decide here; others have their defaults, so that they change nothing."""
    return SettingsValues(**{name: getattr(values, name) for name in _DECIDING})
