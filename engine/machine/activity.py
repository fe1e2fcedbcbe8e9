"""Keeps a Mac from falling asleep, and this process out of App Nap, while a person or a program waits for work."""

from __future__ import annotations

from engine.machine.process_info import process_info


class Activity:
    """Work that somebody waits for; does nothing on other systems. Belongs to one thread.

    `reason` is shown by macOS's own tools. macOS ends the activity of a process that ends.
    """

    def __init__(self, reason: str) -> None:
        self._reason = reason
        self._token: int | None = None

    @property
    def runs(self) -> bool:
        """Whether this keeps the Mac awake now."""
        return self._token is not None

    def keep(self, awake: bool) -> None:
        """Begin or end the activity; may be called again with the same value."""
        if awake == self.runs or (info := process_info()) is None:
            return
        if self._token is None:
            self._token = info.begin_activity(self._reason)
        else:
            token, self._token = self._token, None
            info.end_activity(token)
