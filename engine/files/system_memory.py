"""The memory of this machine: total, available, and whether macOS is short of it."""

from __future__ import annotations

import ctypes
import logging
import os
import sys
from typing import NamedTuple

import psutil

log = logging.getLogger(__name__)


class SystemMemory(NamedTuple):
    """The system's memory in bytes; beyond `available` other programs get slower; `known` says whether it was read."""

    total: int
    available: int
    known: bool = True

    @property
    def usable(self) -> int:
        """The most that models may take: macOS makes room, as it compresses and swaps what is not in use."""
        return self.total if sys.platform == "darwin" else self.available


def system_memory() -> SystemMemory:
    """Return the memory of this machine as it is now; never raises, and starts no process.

    On a Mac, the larger of psutil's figure and the kernel's own is available: psutil does not count memory that is in
    use, but can be compressed. If neither can be read (up to psutil 7.2.2 each call raises on macOS 27), the total
    comes from the system's configuration, and all of it counts as available.
    """
    available: int | None = None
    try:
        memory = psutil.virtual_memory()
        total = memory.total
        available = memory.available
    # The exception depends on the system's error.
    except Exception as error:
        log.info("psutil cannot read the memory: %s", error)
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    # The per cent that is neither wired nor compressed; `memory_pressure -Q` prints it.
    if (level := kernel_number("kern.memorystatus_level")) is not None:
        available = max(available or 0, total * min(level, 100) // 100)
    return SystemMemory(total, total if available is None else available, available is not None)


def memory_pressure() -> str:
    """Return "warn" or "critical" if macOS is short of memory, or "". Takes a few microseconds."""
    # The levels of DISPATCH_SOURCE_TYPE_MEMORYPRESSURE; 1 is normal.
    level = kernel_number("kern.memorystatus_vm_pressure_level") or 1
    if level >= 4:
        return "critical"
    return "warn" if level >= 2 else ""


def kernel_number(name: str) -> int | None:
    """Return a number of macOS's kernel; None if there is none."""
    value = kernel_value(name)
    return int.from_bytes(value, sys.byteorder) if value else None


def kernel_value(name: str) -> bytes:
    """Return a value of macOS's kernel, which the command `sysctl` prints; empty if there is none."""
    read = getattr(ctypes.CDLL(None), "sysctlbyname", None)
    if read is None:
        return b""
    value = ctypes.create_string_buffer(256)
    size = ctypes.c_size_t(len(value))
    failed = read(name.encode(), value, ctypes.byref(size), None, ctypes.c_size_t(0))
    return b"" if failed else value.raw[: size.value]
