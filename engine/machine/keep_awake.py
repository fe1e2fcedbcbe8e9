"""Keeps a Mac from falling asleep, and this process out of App Nap, while a person or a program waits for work."""

from __future__ import annotations

from engine.machine.process_info import process_info


class KeepAwake:
    """Keeps a Mac awake from `keep(True)` to `keep(False)`; does nothing on other systems. Belongs to one thread.

    macOS's own tools show the `reason`. When the process ends, macOS ends it, too.
    """

    def __init__(self, reason: str) -> None:
        self._reason = reason
        self._token: int | None = None

    @property
    def active(self) -> bool:
        """Whether this keeps the Mac awake now."""
        return self._token is not None

    def keep(self, awake: bool) -> None:
        """Begin or end it; may be called again with the same value."""
        if awake == self.active or (info := process_info()) is None:
            return
        if self._token is None:
            self._token = info.begin_activity(self._reason)
        else:
            token, self._token = self._token, None
            info.end_activity(token)
