"""The errors of ranks. Imports no MLX."""

from __future__ import annotations

from engine.computers.errors import ClusterError


class OutOfStep(RuntimeError):
    """A rank computed something different from rank 0."""


def failure_of(error: BaseException, host: str = "") -> ClusterError:
    """Return the error that a rank reports if it cannot go on because of `error`."""
    words = " ".join(f"{type(error).__name__}: {error}".split())[:120]
    if isinstance(error, OutOfStep):
        return ClusterError("out-of-step", host, words)
    # MLX's allocator raises a RuntimeError.
    full = isinstance(error, MemoryError) or "malloc" in words or "Insufficient Memory" in words
    return ClusterError("no-memory" if full else "ended", host, words)
