"""Changes of a file by another program, between two steps of a load."""

from __future__ import annotations

import itertools
import os
import random
import shutil
from collections.abc import Callable
from concurrent.futures import wait
from pathlib import Path
from typing import TypeVar

from engine.files.steps import Steps

T = TypeVar("T")
KINDS = ("cut", "cut a little", "replaced", "written over", "deleted", "noise")


def disturb(kind: str, file: Path, other: Path, source: random.Random) -> None:
    """Do to a file what a copy, another download, or a failing disk may do to it."""
    size = file.stat().st_size
    if kind.startswith("cut"):
        os.truncate(file, source.randrange(size) if kind == "cut" else size - source.randrange(1, 100))
    elif kind == "replaced":
        shutil.copy(other, file.with_suffix(".new"))
        file.with_suffix(".new").replace(file)
    elif kind == "deleted":
        file.unlink()
    else:
        with file.open("r+b") as opened:
            opened.seek(source.randrange(size // 2, size) if kind == "noise" else 0)
            opened.write(other.read_bytes() if kind == "written over" else source.randbytes(100))


def disturbed(steps: Steps[T], at: int, disturbance: Callable[[], object]) -> T:
    """Run steps, with a disturbance before the one of number `at`, which is the first after the check if it is 1."""
    for number in itertools.count():
        if number == at:
            disturbance()
        try:
            wait([pending] if (pending := next(steps)) else [])
        except StopIteration as end:
            return end.value
    raise AssertionError
