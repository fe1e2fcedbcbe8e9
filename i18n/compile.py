"""Compile the .ts files into the .qm files that the window loads: `python i18n/compile.py`.

Building a wheel or an editable install runs this, and so do the tests. Run it by hand in a checkout without either. A
file that is newer than its source is not compiled again.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent


def compile_translations(folder: Path = FOLDER) -> list[Path]:
    """Bring every .qm file of `folder` up to date, and return all of them.

    Safe to run in several processes at once. Raises OSError or subprocess.SubprocessError when Qt's compiler is
    missing or fails.
    """
    compiled = []
    for source in sorted(folder.glob("tandem_*.ts")):
        target = source.with_suffix(".qm")
        if not target.exists() or target.stat().st_mtime <= source.stat().st_mtime:
            partial = target.with_name(f".{target.name}.{os.getpid()}")
            subprocess.run([str(_lrelease()), "-silent", str(source), "-qm", str(partial)], check=True, timeout=60)
            partial.replace(target)
        compiled.append(target)
    return compiled


def _lrelease() -> Path:
    """Return the path of Qt's compiler, without importing PySide6: a build machine may lack Qt's libraries."""
    spec = importlib.util.find_spec("PySide6")
    if spec is None or not spec.submodule_search_locations:
        raise FileNotFoundError("PySide6-Essentials is not installed; it holds Qt's lrelease")
    return Path(spec.submodule_search_locations[0]) / ("lrelease.exe" if sys.platform == "win32" else "lrelease")


if __name__ == "__main__":
    compile_translations()
