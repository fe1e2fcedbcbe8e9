"""Paths of the data that comes with the program, and of the user's folders, which may not exist yet.

`resources/` and `i18n/` are beside the `app` package both in a checkout and in an installed wheel.
"""

from __future__ import annotations

import sys
from pathlib import Path

import platformdirs

from engine.files.paths import resources

_APP = "Tandem"
_ROOT = Path(__file__).resolve().parents[2]


def in_bundle() -> bool:
    """Whether this is Tandem.app or the Linux folder, which bring their own Python."""
    return bool(getattr(sys, "frozen", False))


def resource(*parts: str) -> Path:
    """The path of a file or folder in `resources/`."""
    return resources().joinpath(*parts)


def translations() -> Path:
    """The folder of the compiled translations, which `i18n/compile.py` writes when the program is built."""
    return _ROOT / "i18n"


def cache_folder() -> Path:
    """The user's folder for files that can be created again."""
    return Path(platformdirs.user_cache_dir(_APP, appauthor=False))


def learned_file() -> Path:
    """The file of the engine's measurements of speculation on this machine."""
    return cache_folder() / "learned.json"


def speeds_file() -> Path:
    """The file of the measured speed-ups of pairs of models on this machine."""
    return cache_folder() / "speeds.json"


def prefix_folder() -> Path:
    """The folder of the prefix caches of stored chats."""
    return cache_folder() / "prefixes"


def answer_index_folder() -> Path:
    """The folder of the index of answers in stored chats."""
    return cache_folder() / "answers"


def data_folder() -> Path:
    """The user's folder for files that must never be lost."""
    return Path(platformdirs.user_data_dir(_APP, appauthor=False))


def taught_folder() -> Path:
    """The folder of what draft models were taught."""
    return data_folder() / "taught"


def unsaved_folder(data: Path) -> Path:
    """The folder beside `data` of chats that could not be saved in it. It may be a link."""
    return data.with_name(f"{data.name} Unsaved")


def settings_folder() -> Path:
    """The user's folder for settings."""
    return Path(platformdirs.user_config_dir(_APP, appauthor=False))
