"""Confirm before a release what only a Mac can confirm: `python packaging/confirm_on_mac.py [--long]` in a checkout.

Continuous integration has no Metal. Each point is run, or named for a person to look at: the points of ten minutes,
with `--long` the points of some hours, and the list for a person. All is in one file, for a person to complete and to
send: without the names of the person, the Mac and its folders. It is written before and after each point, so a Mac that
hangs loses nothing: the next run goes on behind the point that did not end, and with `--retry` tries that again. What
an earlier run of this commit has confirmed is not run again, unless with `--anew`. The exit code is 1 if a point has
failed.
"""

from __future__ import annotations

import argparse
import getpass
import json
import os
import platform
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

sys.path.insert(0, str(Path(__file__).resolve().parent))

from mac_report import FAILED, HUNG, OK, RUNS, Entry, MacReport, Section

ROOT = Path(__file__).resolve().parents[1]
PYTHON = sys.executable
TANDEM = (PYTHON, "-m", "app")
PYTEST = (PYTHON, "-m", "pytest", "-q")
# The default tier leaves out families of models, settings and rows of tables that another Mac's kernels may differ in.
FULL_TIER = (*PYTEST, "-m", "not campaign and not real")
# Programs with the app's own functions: what ends or hangs one of them does not end the others.
PROGRAMS = ROOT / "packaging" / "points"
FILE = ROOT / "build" / "confirmed-on-mac.md"
# Seconds after which what does not end at SIGKILL, because the GPU hangs, is left alone.
KILLED_S = 10
# Why a point that hung the Mac, or the script, is left out.
HUNG_EARLIER = "did not end in an earlier run: --retry"


class Failed(Exception):
    """A point is not confirmed; the text has the findings."""


@dataclass(frozen=True)
class Point:
    """A point that has to hold, and its confirmation: a command that succeeds, or a function that returns its findings.

    Both run in a checkout, and each of their commands for at most so many `minutes`. `here` is true if they also run on
    other systems; `long` if they take many minutes.
    """

    what: str
    confirm: Sequence[str] | Callable[[], str]
    here: bool = False
    long: bool = False
    minutes: float = 10


class Limit:
    """How many seconds a command of the point that runs may take."""

    seconds = 600.0


def run(command: Sequence[str]) -> str:
    """Return the output of a command, and show its lines as they come.

    Raises `Failed` if it fails, or is not done in the time of `Limit`. Its processes are ended then.
    """
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
    lines: list[str] = []
    with tempfile.TemporaryFile("w+", encoding="utf-8") as errors:
        process = subprocess.Popen(
            [*command],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            start_new_session=True,
        )
        reader = threading.Thread(target=show_lines, args=(process.stdout, lines), daemon=True)
        reader.start()
        try:
            code = process.wait(Limit.seconds)
        except subprocess.TimeoutExpired:
            raise Failed(f"not done after {Limit.seconds / 60:.0f} minutes: {' '.join(lines[-3:]).strip()}") from None
        finally:
            end(process)
            reader.join(KILLED_S)
        errors.seek(0)
        reason = errors.read()
    output = "".join(lines)
    if code:
        raise Failed(" ".join((reason or output).split())[-1000:] or f"exit code {code}")
    return output


def program(name: str) -> tuple[str, ...]:
    """Return the command that runs a program of points/: its last line is its findings, or why it failed."""
    return (PYTHON, str(PROGRAMS / f"{name}.py"))


def show_lines(printed: IO[str], lines: list[str]) -> None:
    """Add each line that is printed to `lines`, and show it: what runs for an hour has to be seen to run."""
    with printed:
        for line in printed:
            lines.append(line)
            print(f"    {line.rstrip()[:200]}", flush=True)


def end(process: subprocess.Popen[str]) -> None:
    """End a process and those that it started, as far as they can be ended."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(KILLED_S)
    # All have ended, or the kernel does not let one go.
    except (ProcessLookupError, PermissionError, subprocess.TimeoutExpired):
        return


def doctor() -> str:
    """Return the report of `tandem doctor`, as people publish it; on a Mac nothing in it may be unknown."""
    report = json.loads(run([*TANDEM, "doctor", "--json"]))
    if sys.platform == "darwin":
        unknown = [name for name in ("low_power_mode", "hot", "wired_limit_mb") if report[name] is None]
        if report["memory"]["free"] is None:
            unknown.append("free memory")
        if unknown:
            raise Failed(f"unknown: {', '.join(unknown)}")
        if report["lacks_accelerator_kernels"]:
            raise Failed("MLX has no kernels for this chip's neural accelerators: see the page of `tandem doctor`")
    return json.dumps(report, ensure_ascii=False)


def low_power_mode() -> str:
    """Compare Low Power Mode with what pmset says."""
    reported = json.loads(run([*TANDEM, "doctor", "--no-speed", "--json"]))["low_power_mode"]
    # Macs with High Power Mode call it powermode, where 0 is automatic, 1 low and 2 high.
    on = re.search(r"^\s*(?:low)?powermode\s+1\b", run(["/usr/bin/pmset", "-g"]), re.MULTILINE) is not None
    if reported != on:
        raise Failed(f"doctor says {reported}, pmset {on}")
    return f"Low Power Mode: {reported}"


def self_test(tandem: Sequence[str] = TANDEM) -> str:
    """Ask the window a question; a Mac has to answer on its GPU."""
    reported = json.loads(run([*tandem, "--self-test"]).splitlines()[-1])
    return f"{reported['device']}, kernels for neural accelerators: {reported['nax']}"


def on_the_cpu(tandem: Sequence[str] = TANDEM) -> str:
    """Ask the window a question where the CPU computes, as on the Macs of continuous integration."""
    reported = json.loads(run(["/usr/bin/env", "TANDEM_DEVICE=cpu", *tandem, "--self-test"]).splitlines()[-1])
    if "cpu" not in reported["device"]:
        raise Failed(f"MLX computes on {reported['device']}")
    return str(reported["device"])


def race() -> str:
    """Race our kernels against MLX's, as after a load, and return the times; also with heads of 256."""
    said = run(program("race")).splitlines()[-1]
    if json.loads(said)["problems"]:
        raise Failed(said)
    return said


def next_version() -> str:
    """Sign the feed of a next version with a new key, serve it here, and let this version read it."""
    offered = run(program("next_version")).splitlines()[-1]
    homes = run([*PYTEST, "-m", "", "tests/app/test_older_homes.py"]).splitlines()[-1]
    return f"{offered}; what older versions left opens: {homes}"


def downloaded_image() -> str:
    """Open the image for this Mac as one that a browser downloaded, copy the app out of it, and start that.

    It answers on the GPU and, as where a release is verified, on the CPU, where a signed app must compile nothing.
    """
    image = image_for_this_mac()
    with tempfile.TemporaryDirectory() as folder:
        app = copied_app(image, Path(folder))
        run(["codesign", "--verify", "--deep", "--strict", app])
        signed = subprocess.run(["spctl", "--assess", "-vv", app], capture_output=True, text=True)
        # An app that is not notarised starts only without the mark, as after "Open Anyway".
        if signed.returncode:
            run(["xattr", "-dr", "com.apple.quarantine", app])
        tandem = [f"{app}/Contents/MacOS/Tandem"]
        devices = f"{self_test(tandem)}; {on_the_cpu(tandem)}"
    gatekeeper = " ".join(signed.stderr.replace(app, "Tandem.app").split())
    return f"{image.name}: the seal holds, {devices}; Gatekeeper: {gatekeeper}"


def image_for_this_mac() -> Path:
    """Return the image for the newest macOS that this one can open, of those that were built. Raises `Failed`."""
    images = sorted((ROOT / "build" / "bundle").glob("*.dmg"), key=lambda file: "macos26" in file.name)
    is_new = tuple(map(int, os.uname().release.split(".")[:2])) >= (25, 2)
    fitting = [image for image in images if "macos26" not in image.name or is_new]
    if not fitting:
        raise Failed("there is no image in build/bundle: the point that builds it comes before this one")
    return fitting[-1]


def copied_app(built: Path, folder: Path) -> str:
    """Copy an image and then the app in it into a folder, both marked as downloaded; return the path of the app."""
    image, volume, app = (str(folder / name) for name in ("Tandem.dmg", "volume", "Tandem.app"))
    run(["cp", str(built), image])
    Path(volume).mkdir()
    # As Safari marks downloaded files; macOS hands the mark on to files that are copied out of the image.
    mark = ["xattr", "-w", "com.apple.quarantine", "0081;00000000;Safari;"]
    run([*mark, image])
    run(["hdiutil", "attach", "-readonly", "-nobrowse", "-mountpoint", volume, image])
    try:
        run(["ditto", f"{volume}/Tandem.app", app])
    finally:
        run(["hdiutil", "detach", "-force", volume])
    run([*mark, app])
    return app


POINTS = (
    Point("tandem doctor reads the machine and measures the starter pair", doctor, here=True),
    Point("Low Power Mode is read as pmset reads it", low_power_mode),
    Point("a Mac stays awake while an answer streams, and only then (pmset -g assertions)", program("awake")),
    Point("a name in .local, such as this Mac's own, has an address that can be connected to", program("local_name")),
    Point("noise for a key is the same whatever the number of rows", program("same_noise"), here=True),
    Point("the window answers a question, and every part of the app works: tandem --self-test", self_test, here=True),
    Point("with TANDEM_DEVICE=cpu, by which images are verified before a release, the CPU answers", on_the_cpu),
    Point("the race between our kernels and MLX's ends, with no kernel refused", race),
    Point(
        "HEIC pictures are attached as they look, and those that are cut or too large are refused",
        program("heic_pictures"),
    ),
    Point("a document of Word 97 is converted by a program of this Mac, and read", program("old_document")),
    Point(
        "pages that are pictures are recognized by Vision in four languages, also on one page", program("scanned_pages")
    ),
    Point(
        "what reads documents has no network, no files of the person and no programs, and reads documents all the same",
        (*PYTEST, "-m", "", "tests/engine/sandbox/test_confinement.py", "tests/app/session/test_attachments.py"),
        here=True,
    ),
    Point("a next version is offered to this one, and this one opens what older ones left", next_version, here=True),
    Point(
        "answers across 1,024, 4,096, 8,192 and 16,384 keys are those of plain decoding where that is said",
        (PYTHON, "-m", "tests.tools.same_text"),
        long=True,
        minutes=60,
    ),
    Point(
        "models load where psutil cannot read the memory, as on macOS 27",
        (*PYTEST, "-m", "", "tests/app/test_unreadable_memory.py", "tests/engine/files/test_system_memory.py"),
        here=True,
    ),
    Point(
        "compiled draft steps agree with the draft itself",
        (*FULL_TIER, "tests/engine/speculation/rounds/test_compiled_steps.py"),
        here=True,
    ),
    Point(
        "seeded texts are the same with and without a draft",
        (*FULL_TIER, "tests/engine/lossless/test_table.py"),
        here=True,
    ),
    Point(
        "the full tier of the tests passes",
        FULL_TIER,
        here=True,
        long=True,
        minutes=180,
    ),
    Point(
        "the starter's head and draft are faster than plain at their best depth (read the table)",
        (*TANDEM, "bench", "--also", str(ROOT / "resources" / "starter" / "head"), "--repetitions", "1"),
        here=True,
        long=True,
        minutes=60,
    ),
    Point(
        "behind 500 and 1,500 tokens of context automatic is not slower than plain (read the table)",
        (*TANDEM, "bench", "--context", "500,1500"),
        here=True,
        long=True,
        minutes=60,
    ),
    Point(
        "what drafting ahead on this Mac's processor gains or loses is measured (read the table)",
        (*TANDEM, "bench", "--draft-ahead", "here", "--repetitions", "1"),
        here=True,
        long=True,
        minutes=60,
    ),
    Point(
        "on a quiet Mac the window takes at most 3 % of the engine's speed, and no frame is more than one late",
        (PYTHON, "-m", "tests.benchmarks.window"),
        here=True,
        long=True,
        minutes=60,
    ),
    Point(
        "in how many parts a pass is the fastest, and whether compiled ones are faster, is measured (read the table)",
        (PYTHON, "-m", "tests.benchmarks.verify_pass"),
        here=True,
        long=True,
        minutes=60,
    ),
    Point(
        "kernels of products and attention have MLX's bits for one row, and win without a stall (read the table)",
        (PYTHON, "-m", "tests.tools.row_kernels"),
        long=True,
        minutes=60,
    ),
    Point(
        "both images are built, signed where there is a certificate, and verified, with an M5's kernels in one of them",
        (PYTHON, "packaging/build.py"),
        long=True,
        minutes=120,
    ),
    Point(
        "an image opens as one that a browser has downloaded, and the app out of it works", downloaded_image, long=True
    ),
)

BY_A_PERSON = (Path(__file__).parent / "by_a_person.md").read_text(encoding="utf-8")


def main(arguments: list[str] | None = None) -> int:
    """Run every point and name the others; returns the exit code."""
    options = parsed(arguments)
    report = MacReport(FILE, subject(), sections(), BY_A_PERSON)
    failed = False
    try:
        for point in POINTS:
            reason = reason_to_leave_out(point, report.entry(point.what), options)
            if reason:
                print(f"[{reason}] {point.what}")
                failed = failed or reason == HUNG_EARLIER
            elif not confirmed(point, report):
                failed = True
        if not is_mac():
            print("This is no Mac with Apple Silicon: what is ok above is so here, not on Metal.")
    # Also if a person stops it: the long points take hours.
    finally:
        report.write()
        print("A person has to look at the rest, at the end of the file.")
        print(f"Tick off what holds and note what does not in this file, and send it: {FILE}")
    return int(failed)


def parsed(arguments: list[str] | None) -> argparse.Namespace:
    """Return the options `long`, `retry` and `anew`; `arguments` are those of the process if None."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--long", action="store_true", help="also run what takes hours in all")
    parser.add_argument("--retry", action="store_true", help="try again what did not end in an earlier run")
    parser.add_argument("--anew", action="store_true", help="run again what an earlier run has confirmed")
    return parser.parse_args(arguments)


def is_mac() -> bool:
    """Return whether this is a Mac with Apple Silicon."""
    return sys.platform == "darwin" and platform.machine() == "arm64"


def reason_to_leave_out(point: Point, earlier: Entry | None, options: argparse.Namespace) -> str:
    """Return why a point is not run, "" if it is. `earlier` is its entry of an earlier run, None if there is none."""
    if not (point.here or is_mac()):
        return "needs a Mac"
    if point.long and not options.long:
        return "needs --long"
    if earlier is None or options.anew:
        return ""
    if earlier.state == OK:
        return "ok in an earlier run"
    return HUNG_EARLIER if earlier.state == HUNG and not options.retry else ""


def subject() -> str:
    """Return the subject that is confirmed: the commit and the system. Findings on another subject do not count."""
    commit = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    system = f"macOS {platform.mac_ver()[0]}" if sys.platform == "darwin" else platform.system()
    return f"{commit.stdout.strip() or 'no commit'} on {system}, {platform.machine()}"


def sections() -> tuple[Section, ...]:
    """Return the points as they stand in the report."""
    return (
        Section("Ten minutes", [point.what for point in POINTS if not point.long]),
        Section("Hours, with --long", [point.what for point in POINTS if point.long]),
    )


def anonymous(text: str) -> str:
    """Return a text without the names of folders, the person and the computer."""
    for private, instead in ((str(ROOT), "."), (str(Path.home()), "~"), (platform.node(), "a-mac")):
        text = text.replace(private, instead) if private else text
    return re.sub(rf"\b{re.escape(getpass.getuser())}\b", "somebody", text)


def confirmed(point: Point, report: MacReport) -> bool:
    """Run a point and note its findings, without private names; return whether it holds."""
    Limit.seconds = 60 * point.minutes
    report.note(point.what, RUNS)
    print(f"[runs, at most {point.minutes:g} minutes] {point.what}", flush=True)
    begun = time.monotonic()
    state = OK
    text = ""
    try:
        output = point.confirm() if callable(point.confirm) else run(point.confirm)
        lines = output.strip().splitlines()
        last_line = lines[-1][:2000] if lines else ""
        # A table is for reading; of all else the last line says enough.
        text = output.rstrip() if point.long else last_line
    except KeyboardInterrupt:
        report.forget(point.what)
        raise
    # Whatever goes wrong in one point, the others are run.
    except (Exception, SystemExit) as reason:
        state = FAILED
        text = str(reason) if isinstance(reason, Failed) else repr(reason)
    report.note(point.what, state, anonymous(text))
    shown = anonymous(text) if state == FAILED else ""
    print(f"[{state}, {time.monotonic() - begun:.0f} s] {point.what}{': ' if shown else ''}{shown}", flush=True)
    return state == OK


if __name__ == "__main__":
    sys.exit(main())
