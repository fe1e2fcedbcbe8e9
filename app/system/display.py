"""Whether a window can be shown here. No Qt in here: a headless machine may not even be able to load it."""

from __future__ import annotations

import os
import sys


def has_display() -> bool:
    """Always on macOS; elsewhere with a display server, or a Qt platform that was chosen by hand."""
    if sys.platform in ("darwin", "win32") or os.environ.get("QT_QPA_PLATFORM"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
