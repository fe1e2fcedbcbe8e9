"""Which BLAS serves MLX's CPU backend, chosen before mlx is first imported.

The Linux wheel of mlx carries reference BLAS. The symbols of a library that is already in the process win, so loading
OpenBLAS first makes float32 matrix products 7 to 27 times faster. On macOS mlx links Accelerate and nothing is done.
"""

from __future__ import annotations

import ctypes
import logging
import sys

log = logging.getLogger(__name__)

_CANDIDATES = ("libopenblas.so.0", "libopenblas.so")


def load_blas() -> str:
    """Load the best BLAS that this system has and return its name for logs.

    Must run before `mlx.core` is imported anywhere in the process; the answer says so when it comes too late.
    """
    if sys.platform == "darwin":
        return "Accelerate"
    if "mlx.core" in sys.modules:
        return "unknown: mlx was imported before engine"
    for name in _CANDIDATES:
        try:
            library = ctypes.CDLL(name, mode=ctypes.RTLD_GLOBAL)
        except OSError:
            continue
        return _describe(library, name)
    return "reference (slow): install OpenBLAS, for example the package libopenblas0-pthread"


def _describe(library: ctypes.CDLL, name: str) -> str:
    library.openblas_get_config.restype = ctypes.c_char_p
    config: bytes = library.openblas_get_config()
    return f"{config.decode().strip()} ({name})"
