"""What happens when something unexpected does: it is written down where a person can read it, and told in place."""

from __future__ import annotations

import contextlib
import faulthandler
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import IO

import psutil

from app.system.paths import data_folder


def report(error: BaseException) -> Path | None:
    """Write an error with its traceback to the user's data folder; None if even that cannot be done."""
    file = data_folder() / "last-error.txt"
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(traceback.format_exception(error)), encoding="utf-8")
    except OSError:
        return None
    return file


def catch_in_slots(tell: Callable[[Path | None], None]) -> None:
    """Let `tell` have the report of any error that reaches Python's top level, as those in Qt slots do.

    The window goes on: what failed was one reaction to one event.
    """

    def hook(_kind: type[BaseException], error: BaseException, _trace: TracebackType | None) -> None:
        tell(report(error))

    sys.excepthook = hook


# The file that a crash of the program itself is written to while it runs; one for each process.
_watched: list[IO[str]] = []


def watch() -> Path | None:
    """Have a crash of the program itself (not of Python's) written down from now on.

    Returns the report of the one before this start, or None where there was none. A program that was killed leaves no
    report: nothing was wrong with it.
    """
    folder = data_folder()
    last = None
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        for file in sorted(folder.glob("crash-*.txt")):
            process = file.stem.partition("-")[2]
            if not process.isdecimal():
                continue
            if file.stat().st_size:
                last = folder / "last-crash.txt"
                os.replace(file, last)
            elif not psutil.pid_exists(int(process)):
                file.unlink()
        handle = (folder / f"crash-{os.getpid()}.txt").open("w", encoding="utf-8")
        _watched.append(handle)
        faulthandler.enable(handle)
    return last


def end_watch() -> None:
    """The program ends as it should: there is nothing to report."""
    faulthandler.disable()
    while _watched:
        handle = _watched.pop()
        handle.close()
        Path(handle.name).unlink(missing_ok=True)
