"""Deletions of folders that say what the system refuses to delete."""

from __future__ import annotations

import logging
import os
import shutil
from pathlib import Path

log = logging.getLogger(__name__)


def remove_folder(folder: Path) -> bool:
    """Delete a folder, or as much of it as the system allows, and return whether it is gone.

    A folder that stays is named in the log. Links in it are deleted, not followed; one in its place stays.
    """
    shutil.rmtree(folder, ignore_errors=True)
    if os.path.lexists(folder):
        log.warning("%s cannot be deleted", folder)
        return False
    return True
