"""Files are read within their own time and that of their request; those that take long are begun anew elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from engine.files.reading_time import ReadingTime
from engine.sandbox.errors import LimitExceeded, TimeSpent
from engine.sandbox.file_reading import QUICK_S, FileSandboxes
from engine.sandbox.process import Sandbox


@dataclass(frozen=True)
class File:
    """A file that takes `seconds`; one of more than 100, all memory."""

    seconds: float


@pytest.fixture
def sandboxes() -> FileSandboxes:
    return FileSandboxes("none")


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Sandbox, float]]:
    """Where files were read, and how long that might take."""
    found: list[tuple[Sandbox, float]] = []

    def run(sandbox: Sandbox, file: File, seconds: float, _: object, **__: object) -> File:
        found.append((sandbox, seconds))
        if file.seconds > seconds:
            raise LimitExceeded("too-large" if file.seconds > 100 else "too-slow", seconds)
        return file

    monkeypatch.setattr(Sandbox, "run", run)
    return found


@pytest.mark.parametrize(
    ("takes", "most", "left", "limits", "outcome", "left_then"),
    [
        (1, 10, 30, [QUICK_S], None, 29),
        (7, 10, 30, [QUICK_S, 10], None, 30 - QUICK_S - 7),
        (70, 10, 30, [QUICK_S, 10], LimitExceeded, 20 - QUICK_S),
        (70, 1, 30, [1], LimitExceeded, 29),
        (101, 10, 30, [QUICK_S], LimitExceeded, 30 - QUICK_S),
        (7, 10, 6, [QUICK_S, 6 - QUICK_S], TimeSpent, 0),
        (7, 10, 1, [1], TimeSpent, 0),
        (1, 10, 0, [], TimeSpent, 0),
    ],
)
def test_a_file_is_read_within_its_time_and_that_of_its_request(
    sandboxes: FileSandboxes,
    tried: list[tuple[Sandbox, float]],
    takes: float,
    most: float,
    left: float,
    limits: list[float],
    outcome: type[Exception] | None,
    left_then: float,
) -> None:
    file: Any = File(takes)
    time = ReadingTime(left)
    if outcome is None:
        assert sandboxes.read(file, most, time) is file
    else:
        with pytest.raises(outcome):
            sandboxes.read(file, most, time)
    assert tried == list(zip([sandboxes.quick, sandboxes.slow], limits, strict=False))
    assert time.left_s == left_then
