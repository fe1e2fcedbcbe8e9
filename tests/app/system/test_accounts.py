"""Other people's accounts are told by their home folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.system import accounts


@pytest.mark.parametrize(
    ("names", "others"), [((), False), (("me",), False), (("me", "Shared", ".Trashes"), False), (("me", "you"), True)]
)
def test_only_home_folders_of_others_count(
    names: tuple[str, ...], others: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(accounts, "_HOMES", tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "me"))
    for name in names:
        (tmp_path / name).mkdir()
    (tmp_path / "a file").touch()
    assert accounts.others_have_accounts() is others


def test_without_a_folder_of_homes_there_is_nobody_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accounts, "_HOMES", tmp_path / "none")
    assert not accounts.others_have_accounts()
