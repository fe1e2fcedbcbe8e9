"""Other people's accounts on this computer."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

_HOMES = Path("/Users" if sys.platform == "darwin" else "/home")
_NOBODY = ("Shared", "Guest", "lost+found")


def others_have_accounts() -> bool:
    """Whether another person than the user of Tandem has a home folder here; False if the folders cannot be listed."""
    with suppress(OSError):
        return any(
            home.is_dir() and home != Path.home() and home.name not in _NOBODY and not home.name.startswith(".")
            for home in _HOMES.iterdir()
        )
    return False
