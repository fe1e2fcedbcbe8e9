"""The errors of several machines. Imports no MLX."""

from __future__ import annotations

from engine.errors import EngineError


class ClusterError(EngineError):
    """A cluster that cannot start, or that has ended.

    `reason` is one of `REASONS`; `host` names the machine concerned, if any, and `detail` what was found there.
    """

    code = "cluster"
    REASONS = (
        "too-few", "bad-host", "no-address", "network-denied", "unreachable", "no-tandem",
        "other-version", "no-model", "download", "no-download", "other-model", "no-memory", "cannot-split",
        "slow-start", "ended", "silent", "out-of-step",
    )  # fmt: skip

    def __init__(self, reason: str, host: str = "", detail: str = "") -> None:
        self.reason, self.host, self.detail = reason, host, detail
        super().__init__(reason=reason, host=host, detail=detail)


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
