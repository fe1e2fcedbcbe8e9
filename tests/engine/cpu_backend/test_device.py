"""An engine computes on the CPU where the environment says so, as on the virtual Macs of continuous integration."""

from __future__ import annotations

import mlx.core as mx
import pytest

from engine import Engine
from engine.cpu_backend.device import VARIABLE
from tests.patience import PATIENCE_S


@pytest.mark.parametrize(("chosen", "devices"), [("cpu", [mx.cpu]), ("", [])])
def test_the_environment_chooses_the_cpu(
    chosen: str, devices: list[mx.DeviceType], monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen_devices: list[object] = []
    monkeypatch.setattr(mx, "set_default_device", chosen_devices.append)
    monkeypatch.setenv(VARIABLE, chosen)
    with Engine() as engine:
        engine.status().result(timeout=PATIENCE_S)
    assert chosen_devices == devices
