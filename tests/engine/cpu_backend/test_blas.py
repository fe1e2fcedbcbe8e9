"""The choice of the BLAS, and the name that reports it."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys

import pytest

from engine.cpu_backend.blas import BLAS, load_blas


def test_on_macos_nothing_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert load_blas() == "Accelerate"


def test_after_mlx_it_is_too_late_to_choose(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setitem(sys.modules, "mlx.core", object())
    assert load_blas().startswith("unknown")


@pytest.mark.parametrize("chosen", [None, "1"])
def test_without_openblas_the_name_says_what_to_install(monkeypatch: pytest.MonkeyPatch, chosen: str | None) -> None:
    def missing(name: str, mode: int) -> None:  # noqa: ARG001
        raise OSError(name)

    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.delitem(sys.modules, "mlx.core", raising=False)
    monkeypatch.setattr(ctypes, "CDLL", missing)
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    if chosen is not None:
        monkeypatch.setenv("OPENBLAS_NUM_THREADS", chosen)
    monkeypatch.setattr(os, "cpu_count", lambda: 12)
    assert "install OpenBLAS" in load_blas()
    assert os.environ["OPENBLAS_NUM_THREADS"] == (chosen or "6")


THREADS = """
import os
import engine, numpy
print(os.environ["OPENBLAS_NUM_THREADS"], len(os.listdir("/proc/self/task")), engine.BLAS)
"""


def ask(chosen: str | None) -> tuple[str, int, str]:
    """Return the value of OPENBLAS_NUM_THREADS, the number of threads and the name of the BLAS in a new process."""
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    environment |= {} if chosen is None else {"OPENBLAS_NUM_THREADS": chosen}
    run = subprocess.run([sys.executable, "-c", THREADS], env=environment, capture_output=True, text=True, check=True)
    threads, tasks, name = run.stdout.split(maxsplit=2)
    return threads, int(tasks), name


CHOICES = pytest.mark.parametrize("chosen", [None, pytest.param("1", marks=pytest.mark.full)])


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no BLAS is loaded")
@CHOICES
def test_the_blas_of_numpy_has_no_more_threads_than_that_of_mlx(chosen: str | None) -> None:
    threads, tasks, _ = ask(chosen)
    assert threads == (chosen or str(max(1, (os.cpu_count() or 1) // 2)))
    assert tasks <= 1 + 2 * (int(threads) - 1)


@pytest.mark.skipif(not BLAS.startswith("OpenBLAS"), reason="needs OpenBLAS (libopenblas0-pthread)")
@CHOICES
def test_the_name_says_how_many_threads_openblas_has(chosen: str | None) -> None:
    threads, _, name = ask(chosen)
    assert f"{threads} threads" in name
