"""The memory of this machine: total and available."""

from __future__ import annotations

import logging
import os
from typing import NamedTuple

import psutil

log = logging.getLogger(__name__)

# No Mac with Apple silicon has less.
_LEAST_TOTAL = 8 * 2**30


class SystemMemory(NamedTuple):
    """The system's memory in bytes. `available` can be used without swapping."""

    total: int
    available: int


def system_memory() -> SystemMemory:
    """Return the memory of this machine as it is now.

    If psutil cannot read it (up to 7.2.2 each call raises on macOS 27), the total comes from `sysconf`, on macOS from
    sysctl's hw.memsize, and all of it counts as available: the use of other programs is unknown, so only the limit that
    the device recommends, or that the person has set, keeps models from taking too much.
    """
    try:
        memory = psutil.virtual_memory()
        return SystemMemory(memory.total, memory.available)
    # The exception depends on the system's error.
    except Exception as error:
        log.info("the free memory is unknown: %s", error)
    try:
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (OSError, ValueError):
        total = _LEAST_TOTAL
    return SystemMemory(total, total)
