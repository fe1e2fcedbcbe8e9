"""The memory of this machine is read, or estimated if the system does not report it."""

from __future__ import annotations

import os
from types import SimpleNamespace

import psutil
import pytest

from engine.files.system_memory import SystemMemory, system_memory
from engine.serving.memory import memory_use


def unreadable() -> None:
    raise RuntimeError("host_statistics64(HOST_VM_INFO64) syscall failed: (ipc/mig) array not large enough")


def test_it_is_what_psutil_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(total=64, available=16, free=8))
    assert system_memory() == (64, 16)


def test_where_psutil_cannot_read_it_the_total_is_the_same_and_all_of_it_counts_as_free(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    total = psutil.virtual_memory().total
    monkeypatch.setattr(psutil, "virtual_memory", unreadable)
    assert system_memory() == SystemMemory(total, total)
    now = memory_use()
    assert now.free == now.limit - now.active


def test_where_nothing_tells_it_it_is_that_of_the_smallest_mac(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(_: str) -> int:
        raise ValueError("unrecognized configuration name")

    monkeypatch.setattr(psutil, "virtual_memory", unreadable)
    monkeypatch.setattr(os, "sysconf", unknown)
    assert system_memory() == (8 * 2**30, 8 * 2**30)
