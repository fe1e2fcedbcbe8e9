"""NSProcessInfo is asked and told in the calling conventions of C; no other system has it."""

from __future__ import annotations

import sys

import pytest

from engine.machine.keep_awake import KeepAwake
from engine.machine.process_info import process_info, slowed
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
