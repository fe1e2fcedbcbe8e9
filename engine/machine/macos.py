"""Whether this macOS is new enough for the installed MLX."""

from __future__ import annotations

import platform
import sys


def needs_newer_macos() -> bool:
    """Whether a library was built for a newer macOS than this one.

    PySide6's are built for 15.0, and those in MLX's wheel for macOS 26 for 26.2 (mlx#4525); pip does not look at them.
    """
    if sys.platform != "darwin":
        return False
    # The kernel's numbers: a Python that was built before macOS 26 is told that it is 16.0.
    kernel = platform.release()
    if kernel.startswith(("22.", "23.")):
        return True
    if not kernel.startswith(("25.0.", "25.1.")):
        return False
    # Imported here because it imports the e-mail package, which would delay the window.
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        return "macosx_26" in (distribution("mlx").read_text("WHEEL") or "")
    except PackageNotFoundError:
        return False
