"""Why a task of a sandbox has no result. Whoever gives the task words it."""

from __future__ import annotations

from pathlib import Path

from engine.errors import ModelNotUsable


class SandboxError(Exception):
    """A task has no result.

    `reason` is one of those below: "too-slow", "too-large", "no-time" or "crashed"; "" if the task itself failed.
    """

    reason = ""

    def of_model(self, path: str | Path, reason: str, detail: str) -> ModelNotUsable:
        """Return the error of the model in `path`: `reason` if reading it failed, "beyond-limits" if that was ended."""
        return ModelNotUsable(path, "beyond-limits" if self.reason else reason, detail)


class LimitExceeded(SandboxError):
    """A task took more than `limit` seconds of computing ("too-slow") or, with `limit` 0, all memory ("too-large")."""

    def __init__(self, reason: str, limit: float = 0) -> None:
        super().__init__(f"{reason}, {limit:g}" if limit else reason)
        self.reason = reason
        self.limit = limit


class TimeSpent(SandboxError):
    """The files of a request have taken its time."""

    reason = "no-time"


class SandboxCrashed(SandboxError):
    """The process ended in each attempt at a task without exceeding a limit."""

    reason = "crashed"


class TaskFailed(SandboxError):
    """The task raised an error, whose message this one has."""
