"""The free space of a disk, which some shares do not tell."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from engine.files.disk_space import free_bytes


def test_a_disk_that_does_not_say_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (free_bytes(tmp_path) or 0) > 0

    def silent(_folder: Path) -> None:
        raise OSError(45, "Operation not supported")

    monkeypatch.setattr(shutil, "disk_usage", silent)
    assert free_bytes(tmp_path) is None
