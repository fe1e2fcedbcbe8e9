"""Reads untrusted files in sandboxes: each within a time limit, and all files of a request within another one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Protocol, TypeVar

from engine.files.reading_time import ReadingTime, ReadSoFar
from engine.sandbox.errors import LimitExceeded, TimeSpent
from engine.sandbox.process import Sandbox
from engine.sandbox.tasks import Progress

# Seconds of computing after which a file is begun anew in the sandbox for slow ones, so that others need not wait for
# it. Most files take less.
QUICK_S = 2


class _Read(Protocol):
    """What was read, and the seconds of computing that it took."""

    @property
    def seconds(self) -> float: ...


Read = TypeVar("Read", bound=_Read)


class FileSandboxes:
    """A sandbox that reads files by the tasks of a module, and one for those that take it too long. Thread-safe.

    The tasks of `other_modules` are run by a third sandbox, where the module's tasks ask for it
    (`tasks.run_elsewhere`).
    """

    def __init__(self, module: str, *other_modules: str) -> None:
        self.other = Sandbox(*other_modules, has_folder=True) if other_modules else None
        self.quick = Sandbox(module, other=self.other)
        self.slow = Sandbox(module, other=self.other)

    def read(self, task: partial[Read], most_s: float, time: ReadingTime) -> Read:
        """Return the result of a task that may compute for `most_s` seconds. Waits.

        Takes the seconds that it computed off `time`, which also gets the progress. Raises `SandboxError`, also
        `TimeSpent` if `time` has none left, and `EngineClosed` when `time` is abandoned.
        """
        time.read_so_far = None
        show = _shown_by(time)
        for sandbox, limit in ((self.quick, min(QUICK_S, most_s)), (self.slow, most_s)):
            if time.left_s <= 0:
                break
            seconds = min(limit, time.left_s)
            try:
                result = sandbox.run(task, seconds, time.abandoned, show=show)
            except LimitExceeded as error:
                time.left_s -= seconds
                is_slow = error.reason == "too-slow"
                had_all = limit == most_s == seconds
                if not is_slow or had_all:
                    raise
                if seconds < limit:
                    # The request's time ended it, not the limit of this file.
                    break
            else:
                time.left_s -= result.seconds
                return result
        raise TimeSpent


def _shown_by(time: ReadingTime) -> Callable[[Progress], None]:
    """Return what gives `time` the progress of a file. One that is begun anew goes on from where it was."""

    def show(progress: Progress) -> None:
        earlier = time.read_so_far
        if earlier is None or earlier.done < progress.done or earlier.kind != progress.kind:
            time.read_so_far = ReadSoFar(progress.kind, progress.done, progress.count)

    return show
