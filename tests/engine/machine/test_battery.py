"""Whether this machine runs on its battery, from what the system tells."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import psutil
import pytest

from engine.machine.battery import on_battery


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        (lambda: None, False),
        (lambda: SimpleNamespace(power_plugged=False), True),
        (lambda: SimpleNamespace(power_plugged=True), False),
        (lambda: SimpleNamespace(power_plugged=None), False),
        (lambda: (_ for _ in ()).throw(RuntimeError("syscall failed")), False),
    ],
    ids=["no battery", "on battery", "plugged in", "unknown", "unreadable"],
)
def test_only_a_battery_in_use_counts(monkeypatch: pytest.MonkeyPatch, told: Any, expected: bool) -> None:
    monkeypatch.setattr(psutil, "sensors_battery", told)
    assert on_battery() is expected
