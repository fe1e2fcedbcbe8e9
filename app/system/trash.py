"""The system's trash."""

from __future__ import annotations

import os
from pathlib import Path

from PySide6.QtCore import QFile


def move_to_trash(path: Path) -> bool:
    """Move a file, a folder or a link itself to the trash; False, with all as it was, if the trash cannot take it.

    What is gone already needs no trash. Blocks.
    """
    return not os.path.lexists(path) or QFile(str(path)).moveToTrash()
