"""Confirm before a release what only a Mac can confirm: `python packaging/confirm_on_mac.py [--long]` in a checkout.

Continuous integration has no Metal. Each point is run, or named as one for a person to look at. Points that take more
than some minutes need `--long`. The exit code is 1 if a point has failed.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PYTHON = sys.executable
TANDEM = (PYTHON, "-m", "app")
PYTEST = (PYTHON, "-m", "pytest", "-q")


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
        raise Failed(" ".join((done.stderr or done.stdout).split())[-300:] or f"exit code {done.returncode}")
    return done.stdout


def doctor() -> str:
    """Return the page of `tandem doctor`; on a Mac nothing in it may be unknown."""
    found = json.loads(run([*TANDEM, "doctor", "--json"]))
    if sys.platform == "darwin":
        unknown = [name for name in ("low_power_mode", "hot", "wired_limit_mb") if found[name] is None]
        if found["memory"]["free"] is None:
            unknown.append("free memory")
        if unknown:
            raise Failed(f"unknown: {', '.join(unknown)}")
    return json.dumps(found, ensure_ascii=False)


def low_power_mode() -> str:
    """Compare Low Power Mode with what pmset says."""
    told = json.loads(run([*TANDEM, "doctor", "--no-speed", "--json"]))["low_power_mode"]
    lines = [line.split() for line in run(["/usr/bin/pmset", "-g"]).splitlines() if "lowpowermode" in line]
    said = bool(lines) and lines[0][-1] == "1"
    if told != said:
        raise Failed(f"doctor says {told}, pmset {said}")
    return f"Low Power Mode: {told}"


def awake() -> str:
    """Look at the system's assertions while an answer streams, and after it."""
    code = """
import subprocess
from engine import ChatRequest, Engine, TokensCommitted, starter_pair
def held():
    return "Tandem" in subprocess.run(["/usr/bin/pmset", "-g", "assertions"], capture_output=True, text=True).stdout
with Engine() as engine:
    engine.load(*starter_pair()).result()
    during = [held() for event in engine.submit(ChatRequest([{"role": "user", "content": "Hello"}], max_tokens=32))
              if isinstance(event, TokensCommitted)]
    engine.status().result()
    print(during[0], held())
"""
    during, after = run([PYTHON, "-c", code]).split()
    if (during, after) != ("True", "False"):
        raise Failed(f"an assertion during an answer: {during}, after it: {after}")
    return "an assertion during an answer, none after it"


def self_test() -> str:
    """Ask the window; the library of MLX has the kernels of an M5 where this macOS can load them."""
    nax = json.loads(run([*TANDEM, "--self-test"]).splitlines()[-1])["nax"]
    # The kernel's numbers: a Python that was built before macOS 26 is told that it is 16.0.
    newer = sys.platform == "darwin" and tuple(map(int, platform.release().split(".")[:2])) >= (25, 2)
    if nax != newer:
        raise Failed(f"kernels for neural accelerators: {nax}")
    return f"kernels for neural accelerators: {nax}"


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
    Point("the window answers a question, with MLX's kernels for this macOS: tandem --self-test", self_test, here=True),
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
    Point("seeded texts are the same with and without a draft", (*PYTEST, "tests/engine/test_lossless.py"), here=True),
    Point("the full tier of the tests passes", (*PYTEST, "-m", "not campaign and not real"), here=True, long=True),
    Point(
        "the starter's head and draft are faster than plain at their best depth (read the table)",
        (*TANDEM, "bench", "--also", str(ROOT / "resources" / "starter" / "head"), "--repetitions", "1"),
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
        "kernels for several rows have the bits of MLX's for one row, and what they cost (read the tables)",
        (PYTHON, "-m", "tests.tools.row_kernels"),
        long=True,
    ),
    Point(
        "both images are built, signed where there is a certificate, and verified, with an M5's kernels in one of them",
        (PYTHON, "packaging/build.py"),
        long=True,
    ),
)

BY_A_PERSON = """\
- [ ] `python -m tests.tools.same_text MAIN DRAFT` with an 8B or larger model, on M1 or M2, on M3 or later, and on a Max
  or an Ultra: every line says yes; `ranges` in `learned.json` change where MLX's kernels of that Mac do.
- [ ] An M5 reads a prompt of 8,000 tokens with Tandem.app of the image for macOS 26 as fast as with Tandem of pip.
- [ ] `tandem chat --method draft` with a Qwen3 pair: the speed-up, and the depth that the controller settles on.
- [ ] Korean, Japanese and Chinese input methods in the composer: the four sequences of `tests/app`.
- [ ] Dark mode switches live; VoiceOver reads every control; the window is sharp on Retina and plain displays.
- [ ] Started from Finder, the language follows the system.
- [ ] The menu bar has Tandem (About, Settings, Quit), File, Edit, Chat, View, Speculation, Window and Help; Cmd+W
  closes the window in front, the settings as well as the chats.
- [ ] With “Show Tandem in the menu bar” on (macOS 27 too: a click ended Qt before 6.11.3), the icon has the menu bar's
  colour, light and dark; its menu says what is loaded and the speed while an answer is written; New chat brings a
  minimised window to the front, and Unload models frees the memory.
- [ ] Settings > General, “Shortcut for the quick entry”: Control+Option+Space opens the small window over another
  program, also over one in full screen and on another desktop, with Tandem minimised, and no question of macOS comes.
  Keys of another program (such as Raycast's) and Command+Space are refused with a sentence; letters work with a Korean
  input source. Korean, Japanese and Chinese compose in it, and Return confirms a candidate without sending; Return then
  brings the main window with the answer; Esc closes it and stops no answer. After a restart the keys work still, after
  Delete in the setting no more.
- [ ] A preview of SVG and of HTML shows Korean, Japanese and Chinese text, no second icon comes into the Dock, and a
  preview that takes too long leaves no question of macOS about a program that quit.
- [ ] View and Chat say Show or Hide, Pin or Unpin, Enter or Exit for what is so when they open.
- [ ] A second `tandem` from a terminal, with another app in front, brings the open window to the front.
- [ ] A maximised and a full-screen window come back so after a restart, and the first window fits a 13-inch screen.
- [ ] A context that is too large for the GPU (`allow_oversize`): the answer fails with a text that begins with
  `[METAL]`, Tandem goes on, and the next answers are right. MLX may end the process instead: then no chat is lost.
- [ ] Memory: weights of both models are wired, and given back after unloading (`vm_stat` before and after).
- [ ] A head: time to first token at most 1.03 of plain; a 4-bit main model does not get slower with more than four
  draft tokens once it is calibrated. How much longer a round takes whose confidence is read (`WASTE_ALLOWED` rests on
  two cores of another machine).
- [ ] Compiled draft steps are faster (no "cannot be compiled" in the log at level info).
- [ ] 8- and 4-bit KV caches with a family of each rule: sensible text, and the memory that the Models page reckons.
- [ ] While an answer streams, a large model is loaded beside it: no pause between two tokens that a person notices.
- [ ] In Low Power Mode the live panel says so after the next answer, the speed-up that it shows is that of `tandem
  bench` in the same mode, and the figures of full speed are as before once the mode is off.
- [ ] Hidden behind other windows for ten minutes, Tandem writes a long answer as fast as in front (no App Nap).
- [ ] "Read the answer aloud" speaks English, Korean, Japanese and Chinese with `say`, and stops at once.
- [ ] A download shows its number on the Dock's icon and its mark in the menu bar, keeps the Mac awake, and its end is
  notified while another program is in front. So is the end of a long answer, without a word of the chat; a click on
  the notification shows the chat. The Hub token is in the keychain and nowhere else.
- [ ] A chat of several thousand tokens with a large model goes on at once after a restart (Settings > Storage shows
  what is kept), and quitting takes no longer than a few seconds.
- [ ] Tandem.app asks in its language for the local network when several Macs or this Mac are checked first, and works
  after a yes. After a no, the check and the page “Multiple Macs” say where to allow it.
- [ ] Multiple Macs: `tandem cluster check` and `run` over SSH with Tandem.app and with `tandem` of uv on the other
  Mac; over Wi-Fi, a cable and Thunderbolt.
- [ ] Multiple Macs: texts equal those of one Mac, greedy and seeded, for a model that fits both ways, quantised too.
- [ ] Multiple Macs: a model that no Mac holds alone; the memory on each is what `check` said; speed-up of speculation
  by link, beside `python -m tests.benchmarks.ranks`.
- [ ] Multiple Macs: a lid is closed, a cable pulled, Tandem killed on one: the answer ends within ten seconds with its
  text, the sentence names the Mac, no process stays on any, and the next start works.
- [ ] Multiple Macs: `tandem cluster download` fetches only the part on the other Mac, with that Mac's token and cache.
- [ ] Multiple Macs: the firewall's question comes once, and its refusal is named.
- [ ] The app starts from the disk image and from Applications.
- [ ] Settings > Storage moves chats and models to an external disk; with the disk unplugged the window says so.
- [ ] Started by uv and by pip (Python of python.org, of Homebrew and of uv): the menu bar, the Dock and the questions
  for the keychain and the local network say Tandem, and the end of a long answer behind other windows bounces its icon.
"""


def main(arguments: list[str] | None = None) -> int:
    """Run every point and name the others; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--long", action="store_true", help="also run what takes many minutes")
    long = parser.parse_args(arguments).long
    mac = sys.platform == "darwin" and platform.machine() == "arm64"
    failed = False
    for point in POINTS:
        if not (mac or point.here):
            print(f"[needs a Mac] {point.what}")
        elif point.long and not long:
            print(f"[needs --long] {point.what}")
        elif not confirmed(point):
            failed = True
    if not mac:
        print("This is no Mac with Apple Silicon: what is ok above is so here, not on Metal.")
    print(f"\nA person has to look at the rest:\n{BY_A_PERSON}", end="")
    return int(failed)


def confirmed(point: Point) -> bool:
    """Run a point and print what it found; returns whether it holds."""
    try:
        found = point.confirm() if callable(point.confirm) else run(point.confirm)
    except Failed as reason:
        print(f"[failed] {point.what}: {reason}", flush=True)
        return False
    lines = found.strip().splitlines()
    # A table is for reading, of all else the last line says enough.
    shown = found.rstrip() if point.long else (lines[-1][:400] if lines else "")
    print(f"[ok] {point.what}\n{shown}", flush=True)
    return True


if __name__ == "__main__":
    sys.exit(main())
