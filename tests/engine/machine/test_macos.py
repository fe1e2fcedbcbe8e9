"""The wheel of MLX for macOS 26 is built for 26.2, and only that has kernels for an M5's neural accelerators."""

from __future__ import annotations

import platform
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from engine.machine import macos
from engine.machine.macos import lacks_accelerator_kernels, needs_newer_macos


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


@pytest.mark.parametrize(
    ("chip", "system", "kernel", "library", "expected"),
    [
        ("Apple M5 Max", "darwin", "25.2.0", b"affine_qmm_t", True),
        ("Apple M5", "darwin", "26.0.0", b"affine_qmm_t", True),
        ("Apple M10 Pro", "darwin", "25.5.0", b"affine_qmm_t", True),
        ("Apple M5", "darwin", "25.5.0", b"affine_qmm_t_nax_float16", False),
        ("Apple M5", "darwin", "25.1.0", b"affine_qmm_t", False),
        ("Apple M4 Max", "darwin", "25.5.0", b"affine_qmm_t", False),
        ("Apple M5", "linux", "25.5.0", b"affine_qmm_t", False),
    ],
)
def test_an_m5_lacks_kernels_where_mlx_is_that_of_an_older_macos(
    chip: str, system: str, kernel: str, library: bytes, expected: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "mlx.metallib").write_bytes(library)
    monkeypatch.setattr(macos, "find_spec", lambda name: ModuleSpec(name, None, origin=str(tmp_path / "core.so")))
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(platform, "release", lambda: kernel)
    assert lacks_accelerator_kernels(chip) is expected
