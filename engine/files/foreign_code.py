"""Guards calls into code that a model folder controls: tokenizers, templates."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def panics_as_errors() -> Iterator[None]:
    """Raise a `RuntimeError` for a panic of Rust code, which arrives as a bare `BaseException`."""
    try:
        yield
    # The last three are Python's own exceptions outside `Exception`.
    except (Exception, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as error:
        raise RuntimeError(" ".join(str(error).split())[:200] or type(error).__name__) from error
