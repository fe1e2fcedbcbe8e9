"""Files of strangers in processes with limits: each within a time of its own, and those of a request within one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from engine.errors import TemplateFailed
from engine.files.reading_time import ReadingTime, TimeSpent
from engine.tokenizers.prompt_process.client import SLOW_FILE_PROCESS, PromptProcess

# Seconds of computing after which a file is begun anew in the process for slow ones, so that others need not wait for
# it. Most files take less.
QUICK_S = 2


class _Read(Protocol):
    """What was read, and the seconds of computing that it took."""

    @property
    def seconds(self) -> float: ...


Read = TypeVar("Read", bound=_Read)


def read_in_time(
    quick: PromptProcess, read: Callable[[PromptProcess, float], Read], most_s: float, time: ReadingTime
) -> Read:
    """Return what `read` returns for a process and the seconds that it may compute: `quick`, or that for slow files.

    Waits; thread-safe. Raises `TemplateFailed` with the reason "too-slow" for a file that takes more than `most_s`, or
    as `read` does, and `TimeSpent` if there is not so much left for the request.
    """
    for process, limit in ((quick, min(QUICK_S, most_s)), (SLOW_FILE_PROCESS, most_s)):
        seconds = min(limit, time.left)
        if seconds <= 0 < limit:
            break
        try:
            found = read(process, seconds)
        except TemplateFailed as error:
            time.left -= seconds
            if error.reason != "too-slow" or limit == most_s == seconds:
                raise
            if seconds < limit:
                break
        else:
            time.left -= found.seconds
            return found
    raise TimeSpent
