"""Chooses the BLAS of MLX's CPU backend, before mlx is first imported.

The Linux wheel of mlx contains reference BLAS. Symbols of a library that is already loaded take precedence, so loading
OpenBLAS first makes float32 matrix products many times faster. On macOS mlx uses Accelerate and nothing is loaded.

OpenBLAS gets half of the cores, because MLX itself uses one thread for feeding and one for computing, and OpenBLAS's
threads wait for each other by yielding: any other load makes the narrow products of decoding many times slower.
The limit holds for numpy's own OpenBLAS too, whose threads spin for a moment after numpy is imported.
"""

from __future__ import annotations

import ctypes
import logging
import os
import sys

log = logging.getLogger(__name__)

_CANDIDATES = ("libopenblas.so.0", "libopenblas.so")


def load_blas() -> str:
    """Load the best BLAS that this system has and return its name for logs.

    Must run before `mlx.core` is imported anywhere in the process; otherwise the returned name says so.
    """
    if sys.platform == "darwin":
        return "Accelerate"
    if "mlx.core" in sys.modules:
        return "unknown: mlx was imported before engine"
    # This OpenBLAS and numpy's read the variable when they are loaded. A value that the user has set stays.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", str(max(1, (os.cpu_count() or 1) // 2)))
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
    return f"{config.decode().strip()}, {library.openblas_get_num_threads()} threads ({name})"


# The BLAS in use, for logs and for the kept figures, which depend on it. Importing this module loads it.
BLAS = load_blas()
