"""Long work in steps, so that the thread that runs it can do other work between two of them.

A generator of steps yields None after each, or the future for which the next one has to wait; it returns the result.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, wait
from typing import Any, Generic, TypeVar

from engine.errors import EngineError, as_engine_error, is_device_failure

T = TypeVar("T")
# Bytes of weights that are loaded at once, between two decode steps of running answers.
CHUNK_BYTES = 2**25
# With nothing else to do, a thread waits this long for a future before it looks at commands again.
WAIT_S = 0.02
Steps = Generator[Future[Any] | None, None, T]


class SteppedTask(Generic[T]):
    """Steps that are run one at a time; `done` gets their result, or the error that ended them."""

    def __init__(self, steps: Steps[T], done: Callable[[T | EngineError], None]) -> None:
        self._steps = steps
        self._on_done = done
        # What the next step waits for.
        self._pending: Future[Any] | None = None
        # What the next step raises.
        self._raised: EngineError | None = None

    @property
    def ready(self) -> bool:
        """Whether a step can be run now, without waiting."""
        return self._pending is None or self._pending.done() or self._raised is not None

    def step(self) -> None:
        """Run the next step, or wait a moment for its future. Raises a failure of the device."""
        raised, self._raised = self._raised, None
        if raised is None and self._pending is not None and not wait([self._pending], WAIT_S).done:
            return
        try:
            self._pending = next(self._steps) if raised is None else self._steps.throw(raised)
        except StopIteration as end:
            self._on_done(end.value)
        except Exception as error:
            self._on_done(as_engine_error(error))
            if is_device_failure(error):
                raise

    def interrupt(self, error: EngineError) -> None:
        """Raise an error where the steps are, instead of the next one. They may handle it and go on."""
        self._raised = error

    def end(self, outcome: T | EngineError) -> None:
        """Run no further step, and call `done` with `outcome`."""
        self._steps.close()
        self._on_done(outcome)


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


def in_chunks(arrays: Iterable[Any], most: int | None = None) -> Iterator[list[Any]]:
    """Yield arrays of MLX or NumPy, or anything with `nbytes`, in lists of about `most` bytes each.

    None stands for CHUNK_BYTES. The last list may be empty.
    """
    chunk: list[Any] = []
    for array in arrays:
        chunk.append(array)
        if sum(part.nbytes for part in chunk) >= (most or CHUNK_BYTES):
            yield chunk
            chunk = []
    yield chunk
