"""The wheel of MLX for macOS 26 is built for 26.2."""

from __future__ import annotations

import platform
import sys
from pathlib import Path

import pytest

from engine.machine.macos import needs_newer_macos


@pytest.mark.parametrize(
    ("system", "kernel", "wheel", "expected"),
    [
        ("darwin", "25.0.0", "macosx_26_0", True),
        ("darwin", "25.1.0", "macosx_26_0", True),
        ("darwin", "25.2.0", "macosx_26_0", False),
        ("darwin", "24.0.0", "macosx_15_0", False),
        ("darwin", "23.6.0", "macosx_14_0", True),
        ("darwin", "25.1.0", "macosx_14_0", False),
        ("linux", "25.1.0", "manylinux_2_35", False),
    ],
)
def test_macos_can_be_too_old_for_the_wheel_of_26_or_for_pyside(
    system: str, kernel: str, wheel: str, expected: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = tmp_path / "mlx-0.32.4.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Name: mlx\nVersion: 0.32.4\n")
    (folder / "WHEEL").write_text(f"Tag: cp311-cp311-{wheel}_arm64\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(platform, "release", lambda: kernel)
    assert needs_newer_macos() is expected
