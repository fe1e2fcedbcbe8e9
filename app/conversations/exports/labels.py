"""The words that an export adds to messages; the user interface passes translated ones."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Labels:
    user: str = "You"
    assistant: str = "Assistant"
    system: str = "System prompt"
    untitled: str = "Untitled chat"
    interrupted: str = "This answer was interrupted."
    failed: str = "This answer ended with an error."
    thoughts: str = "Thoughts"

    def of_role(self, role: str) -> str:
        return {"user": self.user, "assistant": self.assistant, "system": self.system}[role]

    def of_state(self, state: str) -> str:
        return {"interrupted": self.interrupted, "streaming": self.interrupted, "failed": self.failed}.get(state, "")
