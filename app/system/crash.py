"""Reports of unexpected errors and crashes, in files of the user's data folder."""

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

from app.system.paths import data_folder
from engine.files import private_files
from engine.files.atomic_file import write_atomically


def report(error: BaseException) -> Path | None:
    """Write an error with its traceback to the user's data folder. Return the file, or None if that failed."""
    file = data_folder() / "last-error.txt"
    try:
        # The error may quote half a surrogate pair.
        write_atomically(file, "".join(traceback.format_exception(error)).encode(errors="backslashreplace"))
    except OSError:
        return None
    return file


def catch_in_slots(notify: Callable[[Path | None], None]) -> None:
    """Call `notify` with the report of every error that reaches `sys.excepthook`, as errors in Qt slots do.

    The report is None if it could not be written. The window continues, because only the reaction to one event failed.
    """
    # The terminal starts without Qt.
    from PySide6.QtCore import QTimer

    def tell(error: BaseException) -> None:
        # An error in here, also in a slot of the notice, would come back to `hook`, without end.
        sys.excepthook = sys.__excepthook__
        file = None
        try:
            with contextlib.suppress(Exception):
                file = report(error)
            notify(file)
        except Exception as failure:
            sys.__excepthook__(type(failure), failure, failure.__traceback__)
        finally:
            sys.excepthook = hook

    def hook(_kind: type[BaseException], error: BaseException, _trace: TracebackType | None) -> None:
        if isinstance(error, RecursionError | SystemError):
            # No call may fit on the stack any more, which Qt reports as a SystemError. The event loop's own is empty.
            QTimer.singleShot(0, lambda: tell(error))
        else:
            tell(error)

    sys.excepthook = hook


# The open file that faulthandler writes a crash of this process to.
_crash_files: list[IO[str]] = []


def start_watching() -> Path | None:
    """Write a report if the process crashes outside Python from now on.

    Return the report of an earlier process that crashed, or None. A process that was killed leaves no report.
    """
    folder = data_folder()
    last = None
    with contextlib.suppress(OSError):
        private_files.make_folder(folder)
        for file in sorted(folder.glob("crash-*.txt")):
            process = file.stem.partition("-")[2]
            if not process.isdecimal():
                continue
            # Most starts find no file, and need not wait for this.
            import psutil

            if file.stat().st_size:
                last = folder / "last-crash.txt"
                os.replace(file, last)
            elif not psutil.pid_exists(int(process)):
                file.unlink()
        file = folder / f"crash-{os.getpid()}.txt"
        private_files.create(file)
        handle = file.open("w", encoding="utf-8")
        _crash_files.append(handle)
        faulthandler.enable(handle)
    return last


def stop_watching() -> None:
    """Remove the empty report of this process, which ends normally."""
    faulthandler.disable()
    while _crash_files:
        handle = _crash_files.pop()
        handle.close()
        Path(handle.name).unlink(missing_ok=True)
