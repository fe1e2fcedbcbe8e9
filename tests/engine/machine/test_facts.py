"""What the system says of the machine; what it does not say is missing, and nothing fails."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from engine.machine import facts as module
from engine.machine.facts import read_facts
from tests.engine.machine.objective_c import Runtime

SYSCTL = """#!/bin/sh
case "$2" in
  machdep.cpu.brand_string) echo "Apple M4 Pro" ;;
  iogpu.wired_limit_mb) echo 40000 ;;
esac
"""


@pytest.fixture(autouse=True)
def in_no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "local_network", lambda: "none")


def test_a_mac_says_everything(mac: Runtime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "sysctl"
    program.write_text(SYSCTL)
    program.chmod(0o755)
    mac.low_power, mac.thermal_state = True, 3
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(module, "_SYSCTL", str(program))
    monkeypatch.setattr("platform.mac_ver", lambda: ("26.1", ("", "", ""), "arm64"))
    found = read_facts()
    assert (found.chip, found.system, found.wired_limit_mb) == ("Apple M4 Pro", "macOS 26.1", 40000)
    assert (found.low_power, found.hot, found.local_network) == (True, True, "none")
    assert found.memory.total > 0


@pytest.mark.parametrize("program", ["/no/such/sysctl", "/bin/false"])
def test_a_system_that_says_little_is_no_error(program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(module, "_SYSCTL", program)
    monkeypatch.setattr(module, "process_info", lambda: None)
    found = read_facts()
    assert found.chip
    assert (found.low_power, found.hot, found.wired_limit_mb) == (None, None, None)
