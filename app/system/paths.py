"""Where things lie: the data that comes with the program, and the folders that belong to the user.

`resources/` and `i18n/` are beside the `app` package both in a checkout and in an installed wheel.
"""

from __future__ import annotations

from pathlib import Path

import platformdirs

from engine.paths import resources

_APP = "Tandem"
_ROOT = Path(__file__).resolve().parents[2]


def resource(*parts: str) -> Path:
    """A file or folder of `resources/`."""
    return resources().joinpath(*parts)


def translations() -> Path:
    """The folder of the compiled translations, which `i18n/compile.py` writes when the program is built."""
    return _ROOT / "i18n"


def cache_folder() -> Path:
    """The user's folder for what can be made again. It may not exist yet."""
    return Path(platformdirs.user_cache_dir(_APP, appauthor=False))


def learned_file() -> Path:
    """Where the engine keeps what speculation costs and brings on this machine. It may not exist yet."""
    return cache_folder() / "learned.json"


def prefix_folder() -> Path:
    """Where the engine keeps what models have read of stored chats. It may not exist yet."""
    return cache_folder() / "prefixes"


def data_folder() -> Path:
    """The user's folder for what must never be lost. It may not exist yet."""
    return Path(platformdirs.user_data_dir(_APP, appauthor=False))


def settings_folder() -> Path:
    """The user's folder for preferences. It may not exist yet."""
    return Path(platformdirs.user_config_dir(_APP, appauthor=False))
