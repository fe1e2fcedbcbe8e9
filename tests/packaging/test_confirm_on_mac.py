"""The script that confirms what only a Mac can confirm: every command in it exists, and a failure is told."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PATH = ROOT / "packaging" / "confirm_on_mac.py"


@pytest.fixture
def script() -> dict[str, Any]:
    return runpy.run_path(str(PATH))


def test_it_begins_with_the_doctor_and_each_command_names_files_that_exist(script: dict[str, Any]) -> None:
    points = script["POINTS"]
    assert "tandem doctor" in points[0].what
    for point in points:
        if not callable(point.confirm):
            for word in point.confirm[1:]:
                if word.startswith(("tests/", "packaging/", "/")):
                    assert (ROOT / word).exists(), word
    assert "- [ ]" in script["BY_A_PERSON"]


@pytest.mark.parametrize("code", [0, 3])
def test_a_point_holds_if_its_command_succeeds(
    script: dict[str, Any], code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ("/bin/sh", "-c", f"echo a long way; echo the end; echo reason >&2; exit {code}")
    assert script["confirmed"](script["Point"]("it works", command)) == (code == 0)
    said = capsys.readouterr().out
    assert said == ("[ok] it works\nthe end\n" if code == 0 else "[failed] it works: reason\n")


def test_elsewhere_it_names_what_needs_a_mac_and_what_needs_a_person(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    script = runpy.run_path(str(PATH), init_globals={})
    main = script["main"]
    points = tuple(point for point in script["POINTS"] if not point.here or point.long)
    main.__globals__["POINTS"] = points
    assert main([]) == 0
    said = capsys.readouterr().out
    assert said.count("[needs a Mac]") == sum(not point.here for point in points)
    assert said.count("[needs --long]") == sum(point.here for point in points)
    assert "A person has to look at the rest" in said
    assert "VoiceOver" in said
