"""Whether a window can be shown follows from the system and its environment."""

from __future__ import annotations

import sys

import pytest

from app.system.display import has_display


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
