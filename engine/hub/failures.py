"""The errors of the Hub: one type with a reason code and its arguments."""

from __future__ import annotations

from engine.errors import EngineError


class HubError(EngineError):
    """A search, download, check or removal failed.

    `reason` is one of `REASONS`; `arguments` holds what its sentence needs in addition to `repository`.
    """

    code = "hub"
    REASONS = (
        "offline", "kept-offline", "proxy", "certificate", "wrong-mirror", "server-error", "too-slow", "slow-file",
        "rate-limited", "bad-name", "missing", "revision-missing", "file-missing", "gated", "forbidden",
        "token-refused", "not-mlx", "no-quantisation", "unsafe-name", "no-space", "disk-full", "not-writable",
        "checksum", "no-head", "head-not-shipped", "head-unknown", "not-installed", "in-use", "built-in", "other-app",
        "in-main", "own-folder", "no-trash",
    )  # fmt: skip

    def __init__(self, reason: str, repository: str = "", **arguments: str | int) -> None:
        self.reason = reason
        self.repository = repository
        super().__init__(reason=reason, repository=repository, **arguments)


class InterruptedTransferError(HubError):
    """A request that may succeed if repeated. `retry_after` is the seconds that the server asked to wait, if any."""

    def __init__(
        self, reason: str, repository: str = "", retry_after: float | None = None, **arguments: str | int
    ) -> None:
        super().__init__(reason, repository, **arguments)
        self.retry_after = retry_after
