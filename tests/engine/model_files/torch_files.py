"""The file of a mask's embedding that `torch.save` wrote, and hostile variants of it."""

from __future__ import annotations

import zipfile
from pathlib import Path

from tests.engine.heads.golden import cases

# Written by torch 2.13.0: a mask token, and its embedding in BF16.
REAL = cases.HERE / cases.MASK_FILE


def written(path: Path, changes: dict[str, bytes | None], *, compress: bool = False) -> Path:
    """Write the real file with some parts, named by the ends of their names, changed or left out."""
    with (
        zipfile.ZipFile(REAL) as real,
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED if compress else zipfile.ZIP_STORED) as archive,
    ):
        for name in real.namelist():
            changed = next((new for end, new in changes.items() if name.endswith(end)), real.read(name))
            if changed is not None:
                archive.writestr(name, changed)
    return path
