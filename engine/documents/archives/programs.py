"""Runs other programs of this computer that read documents, within limits, in the sandbox of the document."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
from collections.abc import Sequence
from functools import partial
from pathlib import Path

# Where Homebrew puts programs; apps that the Finder starts do not look there.
HOMEBREW = Path("/opt/homebrew/bin")
# What programs may know of this process's variables.
_PASSED_ON = ("HOME", "LANG", "PATH", "TMPDIR")


def program_at(name: str, *places: Path) -> str:
    """Return the path of a program by its name, or else the first of the places where there is one; "" for none."""
    by_name = shutil.which(name)
    there = (str(place) for place in (HOMEBREW / name, *places) if place.exists())
    return by_name or next(there, "")


def output_of(command: Sequence[str], data: bytes, most_s: int) -> bytes:
    """Return what a program writes that gets `data`; nothing if it fails.

    It may take `most_s` seconds, of the clock and of computing.
    """
    variables = {name: value for name in _PASSED_ON if (value := os.environ.get(name))}
    try:
        program = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=os.sep,
            # Several threads are slower for the small pictures of Tesseract.
            env={**variables, "OMP_THREAD_LIMIT": "1"},
            start_new_session=True,
            preexec_fn=partial(_limit_time, most_s),
        )
    except OSError:
        return b""
    with program:
        try:
            output, _ = program.communicate(data, most_s)
        except subprocess.TimeoutExpired:
            # LibreOffice is started by a program of its own, which does not end it.
            os.killpg(program.pid, signal.SIGKILL)
            return b""
    return output if program.returncode == 0 else b""


def _limit_time(seconds: int) -> None:
    """Limit the computing of this process to `seconds`, instead of the seconds that its parent has left."""
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, most))
