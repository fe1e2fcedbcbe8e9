"""Whether the installed MLX is built for this macOS: neither for a newer one nor, on an M5, for an older one."""

from __future__ import annotations

import platform
import re
import sys
from importlib.util import find_spec
from mmap import ACCESS_READ, mmap
from pathlib import Path


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


def lacks_accelerator_kernels(chip: str) -> bool:
    """Whether MLX leaves the neural accelerators of `chip` unused that this macOS could use.

    May read 100 MB. pip takes MLX's wheel for macOS 15 where Python was built before macOS 26 and is told that it is
    16.0 (cpython#135675); uv takes the right one since 2026-03 (uv#14267).
    """
    number = re.match(r"Apple M(\d+)\b", chip)
    if sys.platform != "darwin" or number is None or int(number[1]) < 5:
        return False
    kernel = tuple(map(int, platform.release().split(".")[:2]))
    return kernel >= (25, 2) and not has_accelerator_kernels()


def has_accelerator_kernels() -> bool:
    """Whether MLX's library has kernels for the neural accelerators of an M5: builds for older systems have none."""
    spec = find_spec("mlx.core")
    library = Path(spec.origin if spec and spec.origin else "").with_name("lib") / "mlx.metallib"
    if not library.is_file():
        return False
    with library.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as content:
        return content.find(b"_nax_") >= 0
