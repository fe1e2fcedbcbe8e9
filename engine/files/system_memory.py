"""The memory of this machine: total and available."""

from __future__ import annotations

import logging
import os
import re
import subprocess
import sys
from typing import NamedTuple

import psutil

log = logging.getLogger(__name__)

# No Mac with Apple silicon has less.
_LEAST_TOTAL = 8 * 2**30
_VM_STAT, _VM_STAT_S = "/usr/bin/vm_stat", 2.0


class SystemMemory(NamedTuple):
    """The system's memory in bytes. `available` can be used without swapping; `known` is false if it was not read."""

    total: int
    available: int
    known: bool = True


def system_memory() -> SystemMemory:
    """Return the memory of this machine as it is now; never raises.

    If psutil cannot read it (up to 7.2.2 each call raises on macOS 27), the total comes from the system's configuration
    and the free memory from macOS's `vm_stat`. Where that fails, too, all memory counts as available: the use of other
    programs is unknown, so only the limit that the device recommends, or that the person has set, keeps models from
    taking too much.
    """
    try:
        memory = psutil.virtual_memory()
        return SystemMemory(memory.total, memory.available)
    # The exception depends on the system's error.
    except Exception as error:
        log.info("psutil cannot read the memory: %s", error)
    try:
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (OSError, ValueError):
        total = _LEAST_TOTAL
    if sys.platform == "darwin":
        try:
            said = subprocess.run([_VM_STAT], capture_output=True, text=True, timeout=_VM_STAT_S, check=True).stdout
            return SystemMemory(total, min(total, _available(said)))
        except (OSError, subprocess.SubprocessError, ValueError) as error:
            log.info("the free memory is unknown: %s", error)
    return SystemMemory(total, total, known=False)


def _available(said: str) -> int:
    """Return the bytes that `vm_stat` counts as free, as psutil does. Raises `ValueError` for another form."""
    page = re.search(r"page size of (\d+) bytes", said)
    counts = dict(re.findall(r"^Pages (free|inactive|speculative):\s+(\d+)\.$", said, re.MULTILINE))
    if page is None or not {"free", "inactive"} <= counts.keys():
        raise ValueError(f"vm_stat said {said[:200]!r}")
    return int(page[1]) * sum(map(int, counts.values()))
