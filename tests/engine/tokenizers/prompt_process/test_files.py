"""Files are read within their own time and that of their request; those that take long are begun anew elsewhere."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from engine.errors import TemplateFailed
from engine.files.reading_time import ReadingTime, TimeSpent
from engine.tokenizers.prompt_process.client import PICTURE_PROCESS, SLOW_FILE_PROCESS, PromptProcess
from engine.tokenizers.prompt_process.files import QUICK_S, read_in_time


@dataclass(frozen=True)
class File:
    """A file that takes `seconds`; `tried` has where it was read, and how long it might take there."""

    seconds: float
    tried: list[tuple[PromptProcess, float]]

    def read(self, process: PromptProcess, seconds: float) -> File:
        self.tried.append((process, seconds))
        if self.seconds > seconds:
            raise TemplateFailed(str(seconds), "too-slow")
        return self


@pytest.mark.parametrize(
    ("takes", "most", "left", "tried", "outcome", "left_then"),
    [
        (1, 10, 30, [QUICK_S], None, 29),
        (7, 10, 30, [QUICK_S, 10], None, 30 - QUICK_S - 7),
        (70, 10, 30, [QUICK_S, 10], TemplateFailed, 20 - QUICK_S),
        (70, 1, 30, [1], TemplateFailed, 29),
        (7, 10, 6, [QUICK_S, 6 - QUICK_S], TimeSpent, 0),
        (7, 10, 1, [1], TimeSpent, 0),
        (1, 10, 0, [], TimeSpent, 0),
    ],
)
def test_a_file_is_read_within_its_time_and_that_of_its_request(
    takes: float, most: float, left: float, tried: list[float], outcome: type[Exception] | None, left_then: float
) -> None:
    file, time = File(takes, []), ReadingTime(left)
    if outcome is None:
        assert read_in_time(PICTURE_PROCESS, file.read, most, time) is file
    else:
        with pytest.raises(outcome):
            read_in_time(PICTURE_PROCESS, file.read, most, time)
    assert file.tried == list(zip([PICTURE_PROCESS, SLOW_FILE_PROCESS], tried, strict=False))
    assert time.left == left_then


def test_a_file_that_is_bad_is_read_once() -> None:
    tried = []

    def read(process: PromptProcess, seconds: float) -> File:
        tried.append((process, seconds))
        raise TemplateFailed("", "too-large")

    with pytest.raises(TemplateFailed):
        read_in_time(PICTURE_PROCESS, read, 10, ReadingTime())
    assert len(tried) == 1
