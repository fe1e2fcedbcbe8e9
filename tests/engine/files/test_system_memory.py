"""The memory of this machine is read, or estimated if the system does not report it."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from engine.files import system_memory as module
from engine.files.system_memory import SystemMemory, system_memory
from engine.upkeep.memory import memory_use

VM_STAT = """Mach Virtual Memory Statistics: (page size of 16384 bytes)
Pages free:                               12000.
Pages active:                            401000.
Pages inactive:                           30000.
Pages speculative:                         1000.
Pages throttled:                              0.
Pages wired down:                        180000.
"""


def unreadable() -> None:
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


def test_where_nothing_tells_it_it_is_that_of_the_smallest_mac(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(_: str) -> int:
        raise ValueError("unrecognized configuration name")

    monkeypatch.setattr(psutil, "virtual_memory", unreadable)
    monkeypatch.setattr(os, "sysconf", unknown)
    assert system_memory() == (8 * 2**30, 8 * 2**30, False)


@pytest.mark.parametrize(
    ("program", "available"),
    [
        (f"cat <<'END'\n{VM_STAT}END\n", 16384 * 43000),
        ("echo of another version", None),
        ("exit 1", None),
        ("sleep 60", None),
    ],
    ids=["read", "other-form", "fails", "hangs"],
)
def test_on_a_mac_vm_stat_says_what_is_free(
    program: str, available: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    total = psutil.virtual_memory().total
    stand_in = tmp_path / "vm_stat"
    stand_in.write_text(f"#!/bin/sh\n{program}")
    stand_in.chmod(0o755)
    monkeypatch.setattr(psutil, "virtual_memory", unreadable)
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(module, "_VM_STAT", str(stand_in))
    monkeypatch.setattr(module, "_VM_STAT_S", 0.5)
    expected = SystemMemory(total, total, False) if available is None else SystemMemory(total, min(total, available))
    assert system_memory() == expected
