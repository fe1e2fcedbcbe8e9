"""What is to be deleted of the store is deleted, at a later time if the system refuses now."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.prefix.files import SUFFIX, TurnDeletions, short_hash, stored_bytes


def _refused(*_: Any, **_options: Any) -> Any:
    raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))


def _no_listing(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(os, "listdir", _refused)
    patch.setattr(os, "scandir", _refused)


def _no_unlinking(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Path, "unlink", _refused)


def _write(folder: Path, *names: str) -> None:
    for name in names:
        (folder / f"{short_hash(name)}-{name}{SUFFIX}").write_bytes(b"a turn")


def _names(folder: Path) -> set[str]:
    return {file.stem.partition("-")[2] for file in folder.iterdir()}


@pytest.mark.parametrize("fault", [_no_listing, _no_unlinking])
def test_what_cannot_be_deleted_is_deleted_later(
    tmp_path: Path,
    fault: Callable[[pytest.MonkeyPatch], None],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    _write(tmp_path, "a", "b", "c")
    deletions = TurnDeletions()
    with monkeypatch.context() as patch:
        fault(patch)
        deletions.forget(tmp_path, ["a"])
        deletions.retry()
    assert _names(tmp_path) == {"a", "b", "c"}
    # A person or a log hears of it once.
    assert [record.levelname for record in caplog.records if record.levelname != "INFO"] == ["WARNING"]
    caplog.clear()
    deletions.retry()
    assert _names(tmp_path) == {"b", "c"}


def test_what_is_stored_after_all_others_were_to_be_deleted_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    _write(tmp_path, "kept", "gone")
    deletions = TurnDeletions()
    for file in tmp_path.iterdir():
        os.utime(file, (1, 1))
    with monkeypatch.context() as patch:
        _no_listing(patch)
        deletions.forget_others(tmp_path, ["kept"])
        assert stored_bytes(tmp_path) is None
    caplog.clear()
    _write(tmp_path, "new")
    deletions.forget(tmp_path, ["nobody"])
    assert _names(tmp_path) == {"kept", "new"}
    # Nothing is left to do.
    _write(tmp_path, "gone")
    deletions.retry()
    assert _names(tmp_path) == {"kept", "new", "gone"}


def test_a_folder_that_was_never_made_has_nothing_to_delete(tmp_path: Path) -> None:
    TurnDeletions().forget(tmp_path / "none", ["a"])
    assert stored_bytes(tmp_path / "none") == 0
