"""Calls into code that a model folder steers: tokenizers, templates."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

# Bare exceptions of Python itself, which are no panics.
ENDINGS = (KeyboardInterrupt, SystemExit, GeneratorExit)


class ForeignCodePanicked(RuntimeError):
    """A library panicked on what a model folder holds."""


@contextmanager
def panics_as_errors() -> Iterator[None]:
    """Raise an ordinary `Exception` for a panic of Rust code, which arrives as a bare `BaseException`."""
    try:
        yield
    except (Exception, *ENDINGS):
        raise
    except BaseException as error:
        raise panicked(error) from error


def panicked(panic: BaseException) -> ForeignCodePanicked:
    """The ordinary exception for a panic."""
    return ForeignCodePanicked(" ".join(str(panic).split())[:200] or type(panic).__name__)
