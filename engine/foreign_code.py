"""Calls into code that a model folder steers: tokenizers, templates."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class ForeignCodePanicked(RuntimeError):
    """A library panicked on what a model folder holds."""


@contextmanager
def panics_as_errors() -> Iterator[None]:
    """Raise an ordinary `Exception` for a panic of Rust code, which arrives as a bare `BaseException`."""
    try:
        yield
    except (Exception, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as error:
        raise ForeignCodePanicked(" ".join(str(error).split())[:200] or type(error).__name__) from error
