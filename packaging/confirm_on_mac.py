"""Confirm before a release what only a Mac can confirm: `python packaging/confirm_on_mac.py [--long]` in a checkout.

Continuous integration has no Metal. Each point is run, or named as one for a person to look at. Points that take more
than some minutes need `--long`. All of it is also written to FILE, for a person to complete and to send: without the
names of the person, the Mac and its folders. The exit code is 1 if a point has failed.
"""

from __future__ import annotations

import argparse
import getpass
import json
import os
import platform
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PYTHON = sys.executable
TANDEM = (PYTHON, "-m", "app")
PYTEST = (PYTHON, "-m", "pytest", "-q")
FILE = ROOT / "build" / "confirmed-on-mac.md"
said: list[str] = []


class Failed(Exception):
    """A point is not confirmed; the text says what was found."""


@dataclass(frozen=True)
class Point:
    """What has to hold, and what confirms it: a command that succeeds, or a function that returns what it found.

    Both run in a checkout. `here` is true if they also run on other systems; `long` if they take many minutes.
    """

    what: str
    confirm: Sequence[str] | Callable[[], str]
    here: bool = False
    long: bool = False


def run(command: Sequence[str]) -> str:
    """Return what a command printed. Raises `Failed` if it fails."""
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run([*command], cwd=ROOT, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise Failed(" ".join((done.stderr or done.stdout).split())[-1000:] or f"exit code {done.returncode}")
    return done.stdout


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


def awake() -> str:
    """Look at this process's assertions while answers are written, more than end before pmset does, and after them."""
    code = """
import os, subprocess
from engine import ChatRequest, Engine, starter_pair
def held():
    lines = subprocess.run(["pmset", "-g", "assertions"], capture_output=True, text=True).stdout.splitlines()
    return any(f"pid {os.getpid()}(" in line and "Tandem" in line for line in lines)
with Engine() as engine:
    engine.load(*starter_pair()).result()
    question = ChatRequest([{"role": "user", "content": "Hello"}], max_tokens=128)
    answers = [engine.submit(question) for _ in range(64)]
    next(iter(answers[0]))
    during = held()
    for answer in reversed(answers):
        answer.cancel()
        list(answer)
    engine.status().result()
    print(during, held())
"""
    during, after = run([PYTHON, "-c", code]).splitlines()[-1].split()
    if (during, after) != ("True", "False"):
        raise Failed(f"an assertion during an answer: {during}, after it: {after}")
    return "an assertion during an answer, none after it"


def self_test() -> str:
    """Ask the window a question; a Mac has to answer on its GPU."""
    reported = json.loads(run([*TANDEM, "--self-test"]).splitlines()[-1])
    return f"{reported['device']}, kernels for neural accelerators: {reported['nax']}"


def on_the_cpu() -> str:
    """Ask the window a question where the CPU computes, as on the Macs of continuous integration."""
    reported = json.loads(run(["/usr/bin/env", "TANDEM_DEVICE=cpu", *TANDEM, "--self-test"]).splitlines()[-1])
    if "cpu" not in reported["device"]:
        raise Failed(f"MLX computes on {reported['device']}")
    return str(reported["device"])


def same_noise() -> str:
    """Compare the noise of a key alone with that of the same key among others."""
    code = """
import mlx.core as mx
keys = mx.stack([mx.random.key(number) for number in range(16)])
alone = mx.stack([mx.random.gumbel((1000,), key=key) for key in keys])
for rows in (1, 2, 3, 5, 8, 16):
    assert mx.array_equal(mx.vmap(lambda key: mx.random.gumbel((1000,), key=key))(keys[:rows]), alone[:rows]), rows
print(mx.default_device())
"""
    return run([PYTHON, "-c", code]).strip()


POINTS = (
    Point("tandem doctor reads the machine and measures the starter pair", doctor, here=True),
    Point("Low Power Mode is read as pmset reads it", low_power_mode),
    Point("a Mac stays awake while an answer streams, and only then (pmset -g assertions)", awake),
    Point("noise for a key is the same whatever the number of rows", same_noise, here=True),
    Point("the window answers a question, and every part of the app works: tandem --self-test", self_test, here=True),
    Point("with TANDEM_DEVICE=cpu, by which images are verified before a release, the CPU answers", on_the_cpu),
    Point(
        "answers across 1,024, 4,096, 8,192 and 16,384 keys are those of plain decoding where that is said",
        (PYTHON, "-m", "tests.tools.same_text"),
        long=True,
    ),
    Point(
        "models load where psutil cannot read the memory, as on macOS 27",
        (*PYTEST, "-m", "", "tests/app/test_unreadable_memory.py", "tests/engine/files/test_system_memory.py"),
        here=True,
    ),
    Point(
        "compiled draft steps agree with the draft itself",
        (*PYTEST, "tests/engine/speculation/rounds/test_compiled_steps.py"),
        here=True,
    ),
    Point(
        "seeded texts are the same with and without a draft",
        (*PYTEST, "tests/engine/lossless/test_table.py"),
        here=True,
    ),
    Point("the full tier of the tests passes", (*PYTEST, "-m", "not campaign and not real"), here=True, long=True),
    Point(
        "the starter's head and draft are faster than plain at their best depth (read the table)",
        (*TANDEM, "bench", "--also", str(ROOT / "resources" / "starter" / "head"), "--repetitions", "1"),
        here=True,
        long=True,
    ),
    Point(
        "behind 500 and 1,500 tokens of context automatic is not slower than plain (read the table)",
        (*TANDEM, "bench", "--context", "500,1500"),
        here=True,
        long=True,
    ),
    Point(
        "on a quiet Mac the window takes at most 3 % of the engine's speed, and no frame is more than one late",
        (PYTHON, "-m", "tests.benchmarks.window"),
        here=True,
        long=True,
    ),
    Point(
        "whether passes sent in parts, or compiled, are faster than whole ones on this Mac (read the table)",
        (PYTHON, "-m", "tests.benchmarks.verify_pass"),
        here=True,
        long=True,
    ),
    Point(
        "kernels of products and attention have MLX's bits for one row, and win without a stall (read the table)",
        (PYTHON, "-m", "tests.tools.row_kernels"),
        long=True,
    ),
    Point(
        "both images are built, signed where there is a certificate, and verified, with an M5's kernels in one of them",
        (PYTHON, "packaging/build.py"),
        long=True,
    ),
)

BY_A_PERSON = (Path(__file__).parent / "by_a_person.md").read_text(encoding="utf-8")


def main(arguments: list[str] | None = None) -> int:
    """Run every point and name the others; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--long", action="store_true", help="also run what takes many minutes")
    long = parser.parse_args(arguments).long
    mac = sys.platform == "darwin" and platform.machine() == "arm64"
    failed = False
    try:
        for point in POINTS:
            if not (mac or point.here):
                say(f"[needs a Mac] {point.what}")
            elif point.long and not long:
                say(f"[needs --long] {point.what}")
            elif not confirmed(point):
                failed = True
        if not mac:
            say("This is no Mac with Apple Silicon: what is ok above is so here, not on Metal.")
    # Also if a person stops it: the long points take an hour.
    finally:
        say(f"\nA person has to look at the rest:\n{BY_A_PERSON}")
        FILE.parent.mkdir(exist_ok=True)
        FILE.write_text("\n".join(said), encoding="utf-8")
        print(f"Tick off what holds and note what does not in this file, and send it: {FILE}")
    return int(failed)


def say(text: str) -> None:
    """Print a text and note it for the file."""
    print(text, flush=True)
    said.append(text)


def anonymous(text: str) -> str:
    """Return a text without the names of folders, the person and the computer."""
    for private, instead in ((str(ROOT), "."), (str(Path.home()), "~"), (platform.node(), "a-mac")):
        text = text.replace(private, instead) if private else text
    return re.sub(rf"\b{re.escape(getpass.getuser())}\b", "somebody", text)


def confirmed(point: Point) -> bool:
    """Run a point and say what it found, without private names; return whether it holds."""
    try:
        output = point.confirm() if callable(point.confirm) else run(point.confirm)
    # Whatever goes wrong in one point, the others are run.
    except (Exception, SystemExit) as reason:
        say(f"[failed] {point.what}: {anonymous(str(reason) if isinstance(reason, Failed) else repr(reason))}")
        return False
    lines = output.strip().splitlines()
    last_line = lines[-1][:2000] if lines else ""
    # A table is for reading; of all else the last line says enough.
    shown = output.rstrip() if point.long else last_line
    say(f"[ok] {point.what}\n{anonymous(shown)}")
    return True


if __name__ == "__main__":
    sys.exit(main())
