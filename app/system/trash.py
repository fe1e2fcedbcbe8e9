"""The system's trash."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from PySide6.QtCore import QFile, QStandardPaths

_DATA = QStandardPaths.StandardLocation.GenericDataLocation


def move_to_trash(path: Path) -> bool:
    """Move a file, a folder or a link itself to the trash. Blocks.

    Return False, with everything as it was, if the trash cannot take it. True also if nothing is at the path.
    """
    if not os.path.lexists(path):
        return True
    with suppress(OSError):
        # On Linux, Qt makes the trash in this folder, but not the folder.
        Path(QStandardPaths.writableLocation(_DATA)).mkdir(parents=True, exist_ok=True)
    return QFile(str(path)).moveToTrash()
