"""Whether a window can be shown. No Qt in here: a machine without a display may not be able to load it."""

from __future__ import annotations

import os
import sys


def has_display() -> bool:
    """True on macOS and Windows; elsewhere with a display server, or if QT_QPA_PLATFORM names a platform."""
    if sys.platform in ("darwin", "win32") or os.environ.get("QT_QPA_PLATFORM"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
