"""Long work in steps, so that the thread that runs it can do other work between two of them.

A generator of steps yields None after each, or the future for which the next one has to wait; it returns the result.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import Future, wait
from typing import Any, TypeVar

T = TypeVar("T")
# Bytes of weights that are loaded at once, between two decode steps of running answers.
CHUNK_BYTES = 2**25
Steps = Generator[Future[Any] | None, None, T]


def run_to_completion(steps: Steps[T]) -> T:
    """Run all steps with nothing in between, and return their result."""
    while True:
        try:
            pending = next(steps)
        except StopIteration as end:
            result: T = end.value
            return result
        if pending is not None:
            wait([pending])


def result_of(future: Future[T]) -> Steps[T]:
    """Return the result of `future`, as steps that wait for it."""
    while not future.done():
        yield future
    return future.result()


def in_chunks(arrays: Iterable[Any]) -> Iterator[list[Any]]:
    """Yield arrays, of MLX or NumPy, in lists of about CHUNK_BYTES each; the last may be empty."""
    chunk: list[Any] = []
    for array in arrays:
        chunk.append(array)
        if sum(part.nbytes for part in chunk) >= CHUNK_BYTES:
            yield chunk
            chunk = []
    yield chunk
