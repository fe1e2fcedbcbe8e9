"""The memory of this machine is read, or estimated if the system does not report it."""

from __future__ import annotations

import subprocess
from types import SimpleNamespace

import psutil
import pytest

from engine.files.system_memory import SystemMemory, kernel_number, memory_pressure, system_memory
from engine.upkeep.memory import memory_use
from tests.mac_memory import report_memory

GB16 = 16 * 2**30


def unreadable(*_: object, **__: object) -> None:
    raise RuntimeError("host_statistics64(HOST_VM_INFO64) syscall failed: (ipc/mig) array not large enough")


def test_it_is_what_psutil_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(total=64, available=16, free=8))
    assert system_memory() == (64, 16, True)


def test_where_psutil_cannot_read_it_the_total_is_the_same_and_all_of_it_counts_as_free(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    total = psutil.virtual_memory().total
    monkeypatch.setattr(psutil, "virtual_memory", unreadable)
    assert system_memory() == SystemMemory(total, total, known=False)
    now = memory_use()
    assert now.free == now.limit - now.active


@pytest.mark.parametrize(
    ("available", "level", "expected"),
    [
        # Psutil does not count what macOS can compress.
        (0, 47, SystemMemory(GB16, GB16 * 47 // 100)),
        (2**30, 20, SystemMemory(GB16, GB16 * 20 // 100)),
        (12 * 2**30, 47, SystemMemory(GB16, 12 * 2**30)),
        (5 * 2**20, None, SystemMemory(GB16, 5 * 2**20)),
        (0, 300, SystemMemory(GB16, GB16)),
    ],
)
def test_on_a_mac_the_larger_figure_of_psutil_and_the_kernel_is_available(
    available: int, level: int | None, expected: SystemMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    report_memory(monkeypatch, total=GB16, available=available, level=level)
    assert system_memory() == expected


def test_on_a_mac_the_kernel_tells_what_psutil_cannot_read_without_another_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    total = psutil.virtual_memory().total
    report_memory(monkeypatch, available=None, level=47)
    monkeypatch.setattr(subprocess, "Popen", unreadable)
    assert system_memory() == SystemMemory(total, total * 47 // 100)


@pytest.mark.parametrize(("level", "expected"), [(1, ""), (2, "warn"), (4, "critical"), (0, ""), (None, "")])
def test_the_kernel_tells_how_short_a_mac_is_of_memory(
    level: int | None, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    report_memory(monkeypatch, pressure=level)
    assert memory_pressure() == expected


def test_a_number_that_the_kernel_does_not_have_is_none() -> None:
    assert kernel_number("kern.there_is_no_such_number") is None
