"""The script that confirms what only a Mac can confirm: every command in it exists, and a failure is told."""

from __future__ import annotations

import json
import os
import runpy
import sys
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


PMSET = """System-wide power settings:
Currently in use:
 standby              1
 sleep                1 (sleep prevented by powerd)
 {}
 displaysleep         10
"""


@pytest.mark.parametrize(
    ("line", "on"),
    [("lowpowermode         1", True), ("lowpowermode         0", False), ("", False)]
    + [(f"powermode            {mode}", mode == 1) for mode in (0, 1, 2)],
)
def test_low_power_mode_has_two_names(script: dict[str, Any], line: str, on: bool) -> None:
    def run(command: tuple[str, ...]) -> str:
        return PMSET.format(line) if "pmset" in command[0] else json.dumps({"low_power_mode": on})

    script["low_power_mode"].__globals__["run"] = run
    assert script["low_power_mode"]() == f"Low Power Mode: {on}"


@pytest.mark.full
def test_a_mac_is_seen_to_stay_awake_however_slow_pmset_is(
    script: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Of two processes whose reasons sound alike only one is asked about; after its answers it holds nothing.
    (tmp_path / "pmset").write_text(
        "#!/bin/sh\nsleep 0.5\necho ' pid 1(python3): named: \"Tandem answers\"'\n"
        f'[ -e {tmp_path}/asked ] || echo " pid $PPID(python3): named: \\"Tandem answers\\""\n'
        f"touch {tmp_path}/asked\n"
    )
    (tmp_path / "pmset").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    assert script["awake"]() == "an assertion during an answer, none after it"


def test_a_mac_whose_accelerators_are_not_used_is_not_confirmed(
    script: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.platform", "darwin")
    found = {"low_power_mode": False, "hot": False, "wired_limit_mb": 0, "memory": {"free": 1}}
    doctor = script["doctor"]
    doctor.__globals__["run"] = lambda _: json.dumps(found | {"lacks_accelerator_kernels": False})
    assert "wired_limit_mb" in doctor()
    doctor.__globals__["run"] = lambda _: json.dumps(found | {"lacks_accelerator_kernels": True})
    with pytest.raises(script["Failed"], match="neural accelerators"):
        doctor()


@pytest.mark.parametrize(("device", "holds"), [("Device(cpu, 0)", True), ("Device(gpu, 0)", False)])
def test_a_mac_has_to_answer_on_its_cpu_if_it_is_told_to(script: dict[str, Any], device: str, holds: bool) -> None:
    commands: list[list[str]] = []
    point = script["on_the_cpu"]
    said = json.dumps({"device": device})
    point.__globals__["run"] = lambda command: commands.append([*command]) or f"a line\n{said}\n"
    assert script["confirmed"](script["Point"]("the CPU answers", point)) == holds
    [command] = commands
    assert "TANDEM_DEVICE=cpu" in command
    assert command[-1] == "--self-test"
    assert point in [other.confirm for other in script["POINTS"]]


def test_whatever_a_point_raises_the_others_are_run_and_one_anonymous_file_is_left(
    script: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    main, point = script["main"], script["Point"]

    def misread() -> str:
        during, after = json.loads("[1, 2, 3]")
        return str(during + after)

    def stop() -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("getpass.getuser", lambda: "anna")
    # The list for a person stays as it is.
    monkeypatch.setattr("platform.node", lambda: "Mac")
    where = f"{ROOT} {Path.home()} /private/var/pytest-of-anna/x Mac"
    points = [point("a table", misread, here=True), point("an exit", sys.exit, here=True)]
    points += [point("a place", ("/bin/echo", where), here=True)]
    main.__globals__.update({"POINTS": points, "FILE": tmp_path / "build" / "confirmed.md"})
    assert main([]) == 1
    points.append(point("a long way", stop, here=True))
    with pytest.raises(KeyboardInterrupt):
        main([])
    assert str(tmp_path / "build" / "confirmed.md") in capsys.readouterr().out.splitlines()[-1]
    written = (tmp_path / "build" / "confirmed.md").read_text()
    assert "[failed] a table: ValueError(" in written
    assert "[failed] an exit: SystemExit(" in written
    assert "[ok] a place\n. ~ /private/var/pytest-of-somebody/x a-mac\n" in written
    assert written.endswith(script["BY_A_PERSON"])


@pytest.mark.parametrize("code", [0, 3])
def test_a_point_holds_if_its_command_succeeds(
    script: dict[str, Any], code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ("/bin/sh", "-c", f"echo a long way; echo the end; echo reason >&2; exit {code}")
    assert script["confirmed"](script["Point"]("it works", command)) == (code == 0)
    said = capsys.readouterr().out
    assert said == ("[ok] it works\nthe end\n" if code == 0 else "[failed] it works: reason\n")


def test_elsewhere_it_names_what_needs_a_mac_and_what_needs_a_person(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    script = runpy.run_path(str(PATH), init_globals={})
    main = script["main"]
    points = tuple(point for point in script["POINTS"] if not point.here or point.long)
    main.__globals__.update({"POINTS": points, "FILE": tmp_path / "confirmed.md"})
    assert main([]) == 0
    said = capsys.readouterr().out
    assert said.count("[needs a Mac]") == sum(not point.here for point in points)
    assert said.count("[needs --long]") == sum(point.here for point in points)
    assert "A person has to look at the rest" in said
    assert "VoiceOver" in said
