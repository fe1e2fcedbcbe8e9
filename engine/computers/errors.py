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
        self.reason = reason
        self.host = host
        self.detail = detail
        super().__init__(reason=reason, host=host, detail=detail)
