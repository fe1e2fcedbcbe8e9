"""The errors of several machines. Imports no MLX."""

from __future__ import annotations

from typing import ClassVar

from engine.errors import EngineError


class ClusterError(EngineError):
    """A cluster that cannot start, or that has ended.

    `reason` is a key of `REASONS`; `host` names the machine concerned, if any, and `detail` what was found there.
    """

    code = "cluster"

    REASONS: ClassVar[dict[str, str]] = {
        "too-few": "it takes at least two computers, and the list has {detail}",
        "bad-host": "{detail} is not a name or an address of a computer",
        "bad-hosts-file": "the list of computers cannot be read ({detail})",
        "no-address": "{host} has no address that the other computers can reach: name one for it",
        "network-denied": "macOS does not let this program reach {host}: allow it in System Settings > "
        "Privacy & Security > Local Network",
        "unreachable": "{host} cannot be reached over ssh with a key ({detail})",
        "no-tandem": "Tandem is missing on {host} ({detail})",
        "other-version": "{host} has a different version: {detail}",
        "no-model": "{host} does not have the model: {detail}",
        "download": "{host} lacks files of the model ({detail} to download)",
        "no-download": "{host} could not download the model: {detail}",
        "other-model": "{host} has different files for the model: {detail}",
        "no-memory": "{host} does not have enough memory: {detail}",
        "cannot-split": "the model cannot be split: {detail}",
        "slow-start": "{host} did not start within {detail} seconds",
        "ended": "{host} has ended ({detail})",
        "silent": "{host} has not answered for {detail} seconds",
        "out-of-step": "{host} computed something different from the others ({detail})",
        "running": "a cluster is already running ({detail})",
        "not-running": "no cluster is running",
    }

    def __init__(self, reason: str, host: str = "", detail: str = "") -> None:
        self.reason, self.host, self.detail = reason, host, detail
        sentence = self.REASONS[reason].format(host=host or "one of them", detail=detail)
        super().__init__(f"several computers: {sentence}", reason=reason, host=host, detail=detail)


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
