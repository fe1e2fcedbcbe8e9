"""Whether a window can be shown. This module does not use Qt, which may not load on a machine without a display."""

from __future__ import annotations

import os
import sys


def has_display() -> bool:
    """Return True on macOS and Windows; elsewhere if there is a display server or QT_QPA_PLATFORM names a platform."""
    if sys.platform in ("darwin", "win32") or os.environ.get("QT_QPA_PLATFORM"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
