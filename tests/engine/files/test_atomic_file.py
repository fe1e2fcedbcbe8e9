"""A file is written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from engine.files import private_files
from engine.files.atomic_file import write_atomically


@pytest.mark.first
def test_content_replaces_what_was_there_and_leaves_no_other_file(tmp_path: Path) -> None:
    path = tmp_path / "new folder" / "file"
    write_atomically(path, b"old")
    write_atomically(path, (piece for piece in (b"ne", b"w")))
    assert path.read_bytes() == b"new"
    assert list(path.parent.iterdir()) == [path]


def test_a_file_is_private_unless_the_caller_says_otherwise(tmp_path: Path) -> None:
    umask = os.umask(0o022)
    try:
        write_atomically(tmp_path / "private", b"")
        write_atomically(tmp_path / "shared", b"", mode=0o666)
    finally:
        os.umask(umask)
    assert (tmp_path / "private").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "shared").stat().st_mode & 0o777 == 0o644


def test_missing_folders_are_as_private_as_the_file(tmp_path: Path) -> None:
    umask = os.umask(0o022)
    try:
        write_atomically(tmp_path / "a" / "b" / "private", b"")
        write_atomically(tmp_path / "c" / "d" / "shared", b"", mode=0o666)
        private_files.make_folder(tmp_path / "e" / "f")
        (tmp_path / "open").mkdir()
        write_atomically(tmp_path / "open" / "private", b"")
    finally:
        os.umask(umask)
    modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.rglob("*") if path.is_dir()}
    private, shared = dict.fromkeys("abef", 0o700), dict.fromkeys(["c", "d", "open"], 0o755)
    assert modes == private | shared


def test_a_full_disk_or_content_that_fails_leaves_the_old_file_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    path = tmp_path / "file"
    write_atomically(path, b"old")
    monkeypatch.setattr("engine.files.atomic_file.os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_atomically(path, b"new")
    monkeypatch.undo()
    with pytest.raises(ZeroDivisionError):
        write_atomically(path, (bytes([1 // number]) for number in (1, 0)))
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]
