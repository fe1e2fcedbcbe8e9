"""A folder is deleted with all that the system allows, and named where something stays."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from engine.files.removal import remove_folder


def test_a_folder_goes_with_what_is_in_it_and_what_links_lead_to_stays(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "file").write_text("words")
    folder = tmp_path / "folder"
    (folder / "inside").mkdir(parents=True)
    (folder / "link").symlink_to(tmp_path / "elsewhere")
    assert remove_folder(folder)
    assert [path.name for path in tmp_path.rglob("*")] == ["elsewhere", "file"]
    # It is gone already.
    assert remove_folder(folder)


def test_a_folder_that_stays_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    monkeypatch.setattr(shutil, "rmtree", lambda *_, **__: None)
    assert not remove_folder(folder)
    assert str(folder) in caplog.text
    caplog.clear()
