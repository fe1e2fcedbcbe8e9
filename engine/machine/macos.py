"""Whether this macOS is new enough for the installed MLX."""

from __future__ import annotations

import platform
import sys


def needs_newer_macos() -> bool:
    """Whether this is macOS 26.0 or 26.1 with the wheel of MLX for macOS 26, which is built for 26.2 (mlx#4525)."""
    # The kernel's numbers: a Python that was built before macOS 26 is told that it is 16.0.
    if sys.platform != "darwin" or not platform.release().startswith(("25.0.", "25.1.")):
        return False
    # Imported here because it imports the e-mail package, which would delay the window.
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        return "macosx_26" in (distribution("mlx").read_text("WHEEL") or "")
    except PackageNotFoundError:
        return False
