"""Counts the steps of Python and of SQLite that work takes, which do not depend on the machine.

What an answer, an event or a notice costs must not grow with how many are kept. A test keeps a few and then many, and
compares the steps of one more.
"""

from __future__ import annotations

import importlib
import re
import sqlite3
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import markdown_it
import pytest

OURS = tuple(str(Path(__file__).parents[1] / package) for package in ("app", "engine"))
FEW, MANY = 100, 400
# What logarithms, and lists that fill their first places, may add.
MORE, SPARE = 1.25, 40
# Where answers are parsed.
PARSER = str(Path(markdown_it.__file__).parent)
# A pattern reads this many characters in the time of a line of Python.
LETTERS_OF_A_LINE = 10


class CountedPattern:
    """A regular expression that counts the characters which it reads, at least."""

    def __init__(self, pattern: re.Pattern[str], letters: list[int]) -> None:
        self._pattern = pattern
        self._letters = letters

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._pattern, name)
        if not callable(method):
            return method

        def counted(*arguments: Any, **options: Any) -> Any:
            found = method(*arguments, **options)
            begins = name in ("search", "match", "fullmatch")
            start = arguments[1] if begins and len(arguments) > 1 else 0
            if isinstance(found, re.Match):
                end = found.end()
            elif begins and found is None and name != "search":
                # It may have failed at the first character.
                end = start
            elif begins and len(arguments) > 2:
                end = min(len(arguments[0]), arguments[2])
            else:
                end = max(len(text) for text in arguments if isinstance(text, str))
            self._letters[0] += max(0, end - start)
            return found

        return counted


def count_letters(monkeypatch: pytest.MonkeyPatch, modules: Iterable[str]) -> list[int]:
    """Have the regular expressions of these modules counted; return a list whose only item is the count.

    Those that a module makes later are counted, too.
    """
    letters = [0]
    compiled = re.compile
    for name in modules:
        module = importlib.import_module(name)
        for key, value in vars(module).items():
            if isinstance(value, re.Pattern):
                monkeypatch.setattr(module, key, CountedPattern(value, letters))
        if hasattr(module, "re"):
            counting = type("re", (), {**vars(re), "compile": lambda *of: CountedPattern(compiled(*of), letters)})
            monkeypatch.setattr(module, "re", counting)
    return letters


def lines(work: Callable[[], object], *, of: tuple[str, ...] = OURS) -> int:
    """Return how many lines of our code `work` runs on this thread; each turn of a loop counts its lines again.

    `of` are the folders whose code counts.
    """
    count = 0

    def on_line(_frame: FrameType, _event: str, _argument: Any) -> Any:
        nonlocal count
        count += 1
        return on_line

    def on_call(frame: FrameType, _event: str, _argument: Any) -> Any:
        return on_line if frame.f_code.co_filename.startswith(of) else None

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
