"""The free space of a disk."""

from __future__ import annotations

import logging
import shutil
from pathlib import Path

log = logging.getLogger(__name__)


def free_bytes(folder: Path) -> int | None:
    """Return the bytes that may still be written into a folder; None if the system does not say, as on some shares."""
    try:
        return shutil.disk_usage(folder).free
    except OSError as error:
        log.info("the free space of %s is unknown: %s", folder, error)
        return None
