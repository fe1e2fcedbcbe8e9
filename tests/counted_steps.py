"""Counts the steps of Python and of SQLite that work takes, which do not depend on the machine.

What an answer, an event or a notice costs must not grow with how many are kept. A test keeps a few and then many, and
compares the steps of one more.
"""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

OURS = tuple(str(Path(__file__).parents[1] / package) for package in ("app", "engine"))
FEW, MANY = 100, 400
# What logarithms, and lists that fill their first places, may add.
MORE, SPARE = 1.25, 40


def lines(work: Callable[[], object]) -> int:
    """Return how many lines of our code `work` runs on this thread; each turn of a loop counts its lines again."""
    count = 0

    def on_line(_frame: FrameType, _event: str, _argument: Any) -> Any:
        nonlocal count
        count += 1
        return on_line

    def on_call(frame: FrameType, _event: str, _argument: Any) -> Any:
        return on_line if frame.f_code.co_filename.startswith(OURS) else None

    before = sys.gettrace()
    sys.settrace(on_call)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


class Statements:
    """Counts every fourth step of SQLite's machine, in all connections that are opened meanwhile, on any thread."""

    def __init__(self) -> None:
        self.steps = 0

    def count(self) -> int:
        self.steps += 1
        return 0

    def of(self, work: Callable[[], object]) -> int:
        """Return the steps that `work` takes."""
        before = self.steps
        work()
        return self.steps - before


@contextmanager
def counted_statements(monkeypatch: pytest.MonkeyPatch) -> Iterator[Statements]:
    statements, connect = Statements(), sqlite3.connect

    def connected(*arguments: Any, **options: Any) -> sqlite3.Connection:
        connection = connect(*arguments, **options)
        # In fours, because each call takes longer than a step.
        connection.set_progress_handler(statements.count, 4)
        return connection

    with monkeypatch.context() as patch:
        patch.setattr(sqlite3, "connect", connected)
        yield statements


def assert_stays(few: int, many: int) -> None:
    """Hold that one more costs about the same with MANY kept as with FEW."""
    assert 0 < many <= few * MORE + SPARE, (few, many)
