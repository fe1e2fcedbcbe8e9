"""What the system says of the machine; what it does not say is missing, and nothing fails."""

from __future__ import annotations

import sys

import pytest

from engine import BLAS
from engine.files import system_memory
from engine.machine import facts as module
from engine.machine.facts import read_facts
from tests.engine.machine.objective_c import Runtime

KERNEL = {"machdep.cpu.brand_string": b"Apple M4 Pro\0", "iogpu.wired_limit_mb": (40000).to_bytes(4, sys.byteorder)}


@pytest.fixture(autouse=True)
def in_no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "local_network", lambda: "none")
    monkeypatch.setattr(module, "chip", module.chip.__wrapped__)


@pytest.mark.first
def test_a_mac_says_everything(mac: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    mac.low_power, mac.thermal_state = True, 3
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(system_memory, "kernel_value", lambda name: KERNEL.get(name, b""))
    monkeypatch.setattr(module, "kernel_value", KERNEL.__getitem__)
    monkeypatch.setattr("platform.mac_ver", lambda: ("26.1", ("", "", ""), "arm64"))
    found = read_facts()
    assert (found.chip, found.system, found.wired_limit_mb) == ("Apple M4 Pro", "macOS 26.1", 40000)
    assert (found.low_power_mode, found.hot, found.local_network) == (True, True, "none")
    assert found.memory.total > 0
    assert found.blas is None


def test_on_linux_the_speed_depends_on_the_blas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    assert read_facts().blas == BLAS


def test_a_system_that_says_little_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(module, "process_info", lambda: None)
    found = read_facts()
    assert found.chip
    assert (found.low_power_mode, found.hot, found.wired_limit_mb) == (None, None, None)
