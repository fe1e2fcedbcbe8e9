"""The machine as the system describes it, for a check. Reading takes up to seconds and asks for the local network."""

from __future__ import annotations

import platform
import re
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from engine.cpu_backend.blas import BLAS
from engine.files.system_memory import SystemMemory, kernel_number, kernel_value, system_memory
from engine.machine.local_network import LocalNetwork, local_network
from engine.machine.macos import lacks_accelerator_kernels, needs_newer_macos
from engine.machine.process_info import process_info

_CPU_INFO = Path("/proc/cpuinfo")


@dataclass(frozen=True, slots=True)
class MachineFacts:
    """What a check finds on this machine. `low_power_mode` and `hot` are None if the system does not say.

    `wired_limit_mb` is the limit of GPU memory that the user has set with sysctl, 0 for the system's own, None if there
    is no such setting. `blas` is what multiplies matrices on the CPU, None on a Mac, where the GPU does.
    """

    chip: str
    system: str
    memory: SystemMemory
    low_power_mode: bool | None
    hot: bool | None
    wired_limit_mb: int | None
    local_network: LocalNetwork
    needs_newer_macos: bool = False
    lacks_accelerator_kernels: bool = False
    blas: str | None = None


def read_facts() -> MachineFacts:
    """Read them now; what the system does not tell is missing."""
    info = process_info()
    return MachineFacts(
        chip(),
        f"macOS {platform.mac_ver()[0]}" if sys.platform == "darwin" else f"{platform.system()} {platform.release()}",
        system_memory(),
        None if info is None else info.low_power,
        None if info is None else info.hot,
        kernel_number("iogpu.wired_limit_mb"),
        local_network(),
        needs_newer_macos(),
        lacks_accelerator_kernels(chip()),
        None if sys.platform == "darwin" else BLAS,
    )


@cache
def chip() -> str:
    """Return the name of the chip, such as "Apple M4 Pro"."""
    name = kernel_value("machdep.cpu.brand_string").rstrip(b"\0").decode()
    try:
        match = re.search(r"^model name\s*: (.+)$", _CPU_INFO.read_text(encoding="utf-8"), re.MULTILINE)
    except (OSError, UnicodeDecodeError):
        match = None
    return name or (match[1].strip() if match else platform.machine())
