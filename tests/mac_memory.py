"""The memory of a Mac, as macOS and psutil would report it."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import psutil
import pytest

from engine.files import system_memory


def report_memory(
    monkeypatch: pytest.MonkeyPatch,
    *,
    total: int = 16 * 2**30,
    available: int | None = 0,
    level: int | None = None,
    pressure: int | None = None,
) -> None:
    """Run as on a Mac of which psutil says what is `available`, and the kernel says `level` and `pressure`.

    None stands for what cannot be read.
    """

    def virtual_memory() -> SimpleNamespace:
        if available is None:
            raise RuntimeError("host_statistics64(HOST_VM_INFO64) syscall failed: (ipc/mig) array not large enough")
        return SimpleNamespace(total=total, available=available)

    numbers = {"kern.memorystatus_level": level, "kern.memorystatus_vm_pressure_level": pressure}
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(psutil, "virtual_memory", virtual_memory)
    monkeypatch.setattr(system_memory, "kernel_number", numbers.get)
    # Foundation is not there.
    for module in ("process_info", "keep_awake"):
        monkeypatch.setattr(f"engine.machine.{module}.process_info", lambda: None)
