"""A task that may read and write files anywhere."""

from __future__ import annotations

from pathlib import Path

from engine.sandbox.access import Access, declare_access
from engine.sandbox.tasks import task

declare_access(__name__, Access(reads=True, writes=True))


@task
def move(source: str, folder: str) -> str:
    """Move a file into a new folder, let its owner alone read it, and return what it says."""
    Path(folder).mkdir()
    moved = Path(source).rename(Path(folder, "moved"))
    moved.chmod(0o400)
    return moved.read_text()
