"""Which BLAS is chosen, and what its name says where the choice is a poor one."""

from __future__ import annotations

import ctypes
import sys

import pytest

from engine.cpu_backend.blas import load_blas


def test_on_macos_nothing_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert load_blas() == "Accelerate"


def test_after_mlx_it_is_too_late_to_choose(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setitem(sys.modules, "mlx.core", object())
    assert load_blas().startswith("unknown")


def test_without_openblas_the_name_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str, mode: int) -> None:  # noqa: ARG001
        raise OSError(name)

    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.delitem(sys.modules, "mlx.core", raising=False)
    monkeypatch.setattr(ctypes, "CDLL", missing)
    assert "install OpenBLAS" in load_blas()
