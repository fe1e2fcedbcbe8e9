"""Chooses the BLAS of MLX's CPU backend, before mlx is first imported.

The Linux wheel of mlx contains reference BLAS. Symbols of a library that is already loaded take precedence, so loading
OpenBLAS first makes float32 matrix products many times faster. A package that is installed with Tandem contains
OpenBLAS; the system's own is used where it is newer. On macOS mlx uses Accelerate and nothing is loaded.

OpenBLAS gets half of the cores, because MLX itself uses one thread for feeding and one for computing, and OpenBLAS's
threads wait for each other by yielding: any other load makes the narrow products of decoding many times slower.
The limit holds for numpy's own OpenBLAS too, whose threads spin for a moment after numpy is imported.
"""

from __future__ import annotations

import ctypes
import os
import re
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

# Names of the system's OpenBLAS.
_SYSTEM_NAMES = ("libopenblas.so.0", "libopenblas.so")
# The package with OpenBLAS, its library, and the version of OpenBLAS in the one release that pyproject.toml allows.
_PACKAGE = "scipy_openblas32"
_PACKAGED_FILE = "lib/libopenblas_python.so"
PACKAGED_VERSION = (0, 3, 23)


@dataclass(frozen=True, slots=True)
class _OpenBlas:
    """An OpenBLAS that this process has loaded. `file` is its name or path, `source` what logs call it."""

    library: ctypes.CDLL
    file: str
    source: str

    @property
    def config(self) -> str:
        """Its version, the processor whose kernels it uses, and how it was built."""
        self.library.openblas_get_config.restype = ctypes.c_char_p
        config: bytes = self.library.openblas_get_config()
        return config.decode().strip()

    @property
    def version(self) -> tuple[int, ...]:
        """Its version; () for old releases, which do not say it."""
        match = re.match(r"OpenBLAS (\d+)\.(\d+)\.(\d+)", self.config)
        return tuple(map(int, match.groups())) if match else ()


def load_blas() -> str:
    """Load the best BLAS that there is for this system and return its name for logs.

    Must run before `mlx.core` is imported anywhere in the process; otherwise the returned name says so.
    """
    if sys.platform == "darwin":
        return "Accelerate"
    if "mlx.core" in sys.modules:
        return "unknown: mlx was imported before engine"
    # These OpenBLAS and numpy's read the variable when they are loaded. A value that the user has set stays.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", str(max(1, (os.cpu_count() or 1) // 2)))
    chosen = _system_openblas()
    if chosen is None or chosen.version <= PACKAGED_VERSION:
        chosen = _packaged_openblas() or chosen
    if chosen is None:
        return "reference (slow): install OpenBLAS, for example the package libopenblas0-pthread"
    # It is loaded already; this makes its symbols visible to mlx.
    ctypes.CDLL(chosen.file, mode=ctypes.RTLD_GLOBAL)
    return f"{chosen.config}, {chosen.library.openblas_get_num_threads()} threads ({chosen.source})"


def _system_openblas() -> _OpenBlas | None:
    """Load the system's OpenBLAS, if it has one."""
    for name in _SYSTEM_NAMES:
        try:
            return _OpenBlas(ctypes.CDLL(name), name, name)
        except OSError:
            continue
    return None


def _packaged_openblas() -> _OpenBlas | None:
    """Load the OpenBLAS of the package, unless it is not installed or not for this system."""
    spec = find_spec(_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        return None
    file = str(Path(spec.submodule_search_locations[0], _PACKAGED_FILE))
    try:
        return _OpenBlas(ctypes.CDLL(file), file, "scipy-openblas32")
    except OSError:
        return None


# The BLAS in use, for logs and for the kept figures, which depend on it. Importing this module loads it.
BLAS = load_blas()
