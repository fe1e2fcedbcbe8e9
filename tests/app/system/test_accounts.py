"""Other people's accounts are told by their home folders, and a display by the system and its variables."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from app.system import accounts
from app.system.display import has_display


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


@pytest.mark.parametrize(
    ("system", "environment", "shown"),
    [
        ("darwin", {}, True),
        ("win32", {}, True),
        ("linux", {}, False),
        ("linux", {"DISPLAY": ":0"}, True),
        ("linux", {"WAYLAND_DISPLAY": "wayland-0"}, True),
        ("linux", {"QT_QPA_PLATFORM": "offscreen"}, True),
    ],
)
def test_system_and_environment_decide(
    system: str, environment: dict[str, str], shown: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", system)
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert has_display() is shown
