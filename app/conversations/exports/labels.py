"""The words that an export adds to messages; the user interface passes translated ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from app.conversations.records import Message


@dataclass(frozen=True, slots=True)
class Labels:
    user: str = "You"
    assistant: str = "Assistant"
    system: str = "System prompt"
    untitled: str = "Untitled chat"
    interrupted: str = "This answer was interrupted."
    failed: str = "This answer ended with an error."
    thoughts: str = "Reasoning"
    # Gets the name of a model in figures.
    model_name: Callable[[str], str] = str

    def of_writer(self, message: Message) -> tuple[str, ...]:
        """Return the role and, for an answer, the names of its models."""
        role = {"user": self.user, "assistant": self.assistant, "system": self.system}[message.role]
        named = (message.source.main_model, message.source.draft_model)
        models = " + ".join(self.model_name(name) for name in named if name)
        return (role, models) if models else (role,)

    def of_state(self, state: str) -> str:
        return {"interrupted": self.interrupted, "streaming": self.interrupted, "failed": self.failed}.get(state, "")
