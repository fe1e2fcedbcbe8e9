"""Long work in slices, so that whoever runs it can do something else between two of them.

A generator of slices yields None after each, or the future that it waits for before the next; it returns the result.
"""

from __future__ import annotations

from collections.abc import Generator
from concurrent.futures import Future, wait
from typing import Any, TypeVar

T = TypeVar("T")
Steps = Generator[Future[Any] | None, None, T]


def run_to_completion(slices: Steps[T]) -> T:
    """Do all of it, with nothing in between."""
    while True:
        try:
            pending = next(slices)
        except StopIteration as end:
            result: T = end.value
            return result
        if pending is not None:
            wait([pending])


def result_of(future: Future[T]) -> Steps[T]:
    """What `future` comes to, as slices that wait for it."""
    while not future.done():
        yield future
    return future.result()
