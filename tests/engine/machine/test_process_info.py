"""NSProcessInfo is asked and told in the calling conventions of C; no other system has it."""

from __future__ import annotations

import math
import sys
from types import SimpleNamespace

import psutil
import pytest

from engine.machine.keep_awake import KeepAwake
from engine.machine.process_info import PATIENCE_S, process_info, seconds_before_measuring, slowed
from tests.engine.machine.objective_c import Runtime


@pytest.mark.parametrize(
    ("low_power", "thermal_state", "expected"),
    [
        (False, 0, ""),
        (False, 1, ""),
        (False, 2, "hot"),
        (False, 3, "hot"),
        (True, 0, "low-power"),
        (True, 3, "low-power"),
    ],
)
def test_low_power_mode_and_serious_heat_slow_a_mac(
    mac: Runtime, low_power: bool, thermal_state: int, expected: str
) -> None:
    mac.low_power, mac.thermal_state = low_power, thermal_state
    assert slowed() == expected


@pytest.mark.parametrize(
    ("system", "low_power", "plugged", "expected"),
    [
        ("darwin", False, True, 0.0),
        ("darwin", False, False, PATIENCE_S),
        ("darwin", True, True, math.inf),
        ("darwin", True, False, math.inf),
        # A Mac without a battery, and one that does not say.
        ("darwin", False, None, 0.0),
        ("darwin", False, OSError("no power sources"), 0.0),
        ("linux", False, False, 0.0),
    ],
)
def test_a_mac_on_its_battery_measures_later_and_one_in_low_power_mode_not_at_all(
    mac: Runtime,
    system: str,
    low_power: bool,
    plugged: bool | OSError | None,
    expected: float,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def battery() -> SimpleNamespace | None:
        if isinstance(plugged, OSError):
            raise plugged
        return None if plugged is None else SimpleNamespace(power_plugged=plugged)

    mac.low_power = low_power
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(psutil, "sensors_battery", battery)
    assert seconds_before_measuring() == expected


def test_an_activity_is_open_from_its_begin_to_its_end(mac: Runtime) -> None:
    answering, loading = KeepAwake("Tandem is answering — 답변 중"), KeepAwake("Tandem is downloading")
    for awake in (True, True, False, False, True):
        answering.keep(awake)
        assert answering.active == awake
    loading.keep(True)
    assert sorted(mac.open.values()) == ["Tandem is answering — 답변 중", "Tandem is downloading"]
    assert not mac.leaks
    answering.keep(False)
    loading.keep(False)
    assert not mac.open
    assert not mac.leaks
    assert mac.begun == 3


@pytest.mark.skipif(sys.platform == "darwin", reason="other systems")
def test_other_systems_are_neither_kept_awake_nor_slowed() -> None:
    assert process_info() is None
    assert slowed() == ""
    awake = KeepAwake("Tandem is answering")
    awake.keep(True)
    assert not awake.active
