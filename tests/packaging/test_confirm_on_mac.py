"""The script that confirms what only a Mac can confirm: every command in it exists, and a failure is told."""

from __future__ import annotations

import json
import os
import runpy
import sys
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PATH = ROOT / "packaging" / "confirm_on_mac.py"


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.setattr("sys.path", [*sys.path])
    return runpy.run_path(str(PATH))


@pytest.fixture
def report(script: dict[str, Any], tmp_path: Path) -> Any:
    return script["MacReport"](tmp_path / "report.md", "0123 on macOS", (), "")


def test_it_begins_with_the_doctor_and_each_command_names_files_and_modules_that_exist(script: dict[str, Any]) -> None:
    points = script["POINTS"]
    assert "tandem doctor" in points[0].what
    for point in points:
        if not callable(point.confirm):
            for word in point.confirm[1:]:
                if word.startswith(("tests/", "packaging/", "/")):
                    assert (ROOT / word).exists(), word
            if point.confirm[1] == "-m":
                assert find_spec(point.confirm[2]) is not None, point.confirm
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


@pytest.mark.parametrize("problems", [[], ["product not compiled"]])
def test_a_race_with_a_refused_kernel_is_not_confirmed(
    script: dict[str, Any], report: Any, problems: list[str]
) -> None:
    said = json.dumps({"seconds": 0.4, "problems": problems})
    point = script["race"]
    point.__globals__["run"] = lambda _: f"a line\n{said}\n"
    assert script["confirmed"](script["Point"]("the race ends", point), report) == (not problems)
    assert report.entry("the race ends").text == said


def test_a_next_version_is_offered_and_then_what_older_ones_left_is_opened(script: dict[str, Any]) -> None:
    commands: list[tuple[str, ...]] = []

    def run(command: tuple[str, ...]) -> str:
        commands.append(command)
        return "a line\n4 passed in 5 s\n" if "pytest" in command else "a line\n999.0 is offered\n"

    script["next_version"].__globals__["run"] = run
    assert script["next_version"]() == "999.0 is offered; what older versions left opens: 4 passed in 5 s"
    assert [(ROOT / command[-1]).exists() for command in commands] == [True, True]


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
def test_a_mac_has_to_answer_on_its_cpu_if_it_is_told_to(
    script: dict[str, Any], report: Any, device: str, holds: bool
) -> None:
    commands: list[list[str]] = []
    point = script["on_the_cpu"]
    said = json.dumps({"device": device})
    point.__globals__["run"] = lambda command: commands.append([*command]) or f"a line\n{said}\n"
    assert script["confirmed"](script["Point"]("the CPU answers", point), report) == holds
    [command] = commands
    assert "TANDEM_DEVICE=cpu" in command
    assert command[-1] == "--self-test"
    assert point in [other.confirm for other in script["POINTS"]]


@pytest.mark.parametrize(
    ("release", "image", "refused"), [("25.10.0", "Tandem-1-macos26-arm64.dmg", 1), ("24.6.0", "Tandem-1-arm64.dmg", 0)]
)
def test_the_image_for_this_mac_is_opened_as_a_download(
    script: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, release: str, image: str, refused: int
) -> None:
    commands: list[list[str]] = []
    devices = {"/usr/bin/env": "Device(gpu, 0)"}

    def run(command: list[str]) -> str:
        commands.append([*command])
        return json.dumps({"device": devices.get(command[0], "Device(gpu, 0)"), "nax": False})

    gatekeeper = SimpleNamespace(stderr="Tandem.app: rejected\n", returncode=refused)
    monkeypatch.setattr("os.uname", lambda: SimpleNamespace(release=release))
    monkeypatch.setattr("subprocess.run", lambda *_, **__: gatekeeper)
    point = script["downloaded_image"]
    monkeypatch.setitem(point.__globals__, "ROOT", tmp_path)
    monkeypatch.setitem(point.__globals__, "run", run)
    with pytest.raises(script["Failed"], match="no image in build/bundle"):
        point()
    (tmp_path / "build" / "bundle").mkdir(parents=True)
    for name in ("Tandem-1-arm64.dmg", "Tandem-1-macos26-arm64.dmg"):
        (tmp_path / "build" / "bundle" / name).touch()
    with pytest.raises(script["Failed"], match="computes on"):
        point()
    commands.clear()
    devices["/usr/bin/env"] = "Device(cpu, 0)"
    found = "Device(gpu, 0), kernels for neural accelerators: False; Device(cpu, 0)"
    assert point() == f"{image}: the seal holds, {found}; Gatekeeper: Tandem.app: rejected"
    marked = [Path(command[-1]).name for command in commands if command[:2] == ["xattr", "-w"]]
    assert marked == ["Tandem.dmg", "Tandem.app"]
    # What Gatekeeper refuses starts only after a person has allowed it.
    assert any("-dr" in command for command in commands) == bool(refused)
    *_, on_the_gpu, on_the_cpu = commands
    assert on_the_gpu[0].endswith("Tandem.app/Contents/MacOS/Tandem")
    assert on_the_cpu == ["/usr/bin/env", "TANDEM_DEVICE=cpu", *on_the_gpu]


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
def test_a_point_holds_if_its_command_succeeds_and_its_lines_are_seen_meanwhile(
    script: dict[str, Any], report: Any, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ("/bin/sh", "-c", f"echo a long way; echo the end; echo reason >&2; exit {code}")
    assert script["confirmed"](script["Point"]("it works", command), report) == (code == 0)
    first, *lines, last = capsys.readouterr().out.splitlines()
    assert first == "[runs, at most 10 minutes] it works"
    assert lines == ["    a long way", "    the end"]
    assert last == ("[ok, 0 s] it works" if code == 0 else "[failed, 0 s] it works: reason")
    found = report.entry("it works")
    assert (found.state, found.text) == (("ok", "the end") if code == 0 else ("failed", "reason"))


def test_what_does_not_end_is_ended_with_all_that_it_started(
    script: dict[str, Any], report: Any, tmp_path: Path
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    # Both wait for a writer who never comes.
    command = ("/bin/sh", "-c", f"echo so far; cat {pipe} & cat {pipe}")
    assert not script["confirmed"](script["Point"]("it ends", command, minutes=0.01), report)
    assert report.entry("it ends").text == "not done after 0 minutes: so far"
    with pytest.raises(OSError, match="No such device or address"):
        os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)


def test_a_run_goes_on_behind_the_point_that_hung_the_mac(
    script: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main, point, file = script["main"], script["Point"], tmp_path / "confirmed.md"
    written: list[str] = []

    def panic() -> str:
        """What is on the disk at this moment is what a Mac that hangs leaves."""
        written.extend([file.read_text(encoding="utf-8"), file.with_suffix(".json").read_text(encoding="utf-8")])
        return "no panic"

    points = [point("first", ("/bin/echo", "well"), here=True), point("second", panic, here=True)]
    points += [point("third", ("/bin/echo", "well"), here=True)]
    main.__globals__.update({"POINTS": points, "FILE": file})
    assert main([]) == 0
    assert "[ok] first\nwell" in written[0]
    assert "[runs] second" in written[0]
    assert "[not run] third" in written[0]
    file.write_text(written[0].replace("- [ ]", "- [x]", 1), encoding="utf-8")
    file.with_suffix(".json").write_text(written[1], encoding="utf-8")
    capsys.readouterr()
    # Again: the first is known, the second left out, and what a person ticked off stays.
    assert main([]) == 1
    said = capsys.readouterr().out
    assert "[ok in an earlier run] first" in said
    assert "[did not end in an earlier run: --retry] second" in said
    text = file.read_text(encoding="utf-8")
    assert "[did not end] second: the Mac or the script ended meanwhile" in text
    assert "[ok] third" in text
    assert text.count("- [x]") == 1
    assert main(["--retry"]) == 0
    assert "[ok] second\nno panic" in file.read_text(encoding="utf-8")


def test_of_another_commit_or_a_damaged_file_nothing_is_taken_over(script: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "report.md"
    report = script["MacReport"]
    report(file, "0123 on macOS 26.2", (), "- [ ] look").note("a point", "ok", "well")
    assert report(file, "0123 on macOS 26.2", (), "").entry("a point").text == "well"
    assert report(file, "4567 on macOS 26.2", (), "").entry("a point") is None
    file.with_suffix(".json").write_text('{"subject": "0123 on macOS 26.2", "entries": [1]}', encoding="utf-8")
    assert report(file, "0123 on macOS 26.2", (), "").entry("a point") is None


def test_elsewhere_it_names_what_needs_a_mac_and_what_needs_a_person(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr("sys.path", [*sys.path])
    script = runpy.run_path(str(PATH))
    main = script["main"]
    points = tuple(point for point in script["POINTS"] if not point.here or point.long)
    main.__globals__.update({"POINTS": points, "FILE": tmp_path / "confirmed.md"})
    assert main([]) == 0
    said = capsys.readouterr().out
    assert said.count("[needs a Mac]") == sum(not point.here for point in points)
    assert said.count("[needs --long]") == sum(point.here for point in points)
    assert "A person has to look at the rest" in said
    assert "VoiceOver" in (tmp_path / "confirmed.md").read_text()
