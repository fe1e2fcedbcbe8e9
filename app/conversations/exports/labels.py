"""The words that an export adds to messages; the user interface passes translated ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from app.conversations.database.records import Message


@dataclass(frozen=True, slots=True)
class Labels:
    """The words that an export adds, in English unless others are given.

    `model_name` gets the name of a model in figures and returns what to show for it.
    """

    user: str = "You"
    assistant: str = "Assistant"
    system: str = "System prompt"
    untitled: str = "Untitled chat"
    interrupted: str = "This answer was interrupted."
    failed: str = "This answer ended with an error."
    thoughts: str = "Reasoning"
    tool: str = "Tool"
    tool_failed: str = "This call failed."
    tool_interrupted: str = "This call was interrupted."
    model_name: Callable[[str], str] = str

    def of_writer(self, message: Message) -> tuple[str, ...]:
        """Return the role of a message; for an answer also its models' names, for a call its server and tool."""
        if message.tool_use is not None:
            return tuple(name for name in (self.tool, message.tool_use.server, message.tool_use.tool) if name)
        role = {"user": self.user, "assistant": self.assistant, "system": self.system}[message.role]
        named = (message.source.main_model, message.source.draft_model)
        models = " + ".join(self.model_name(name) for name in named if name)
        return (role, models) if models else (role,)

    def of_state(self, message: Message) -> str:
        """Return the sentence about a message that did not end well, "" for others."""
        is_call = message.tool_use is not None
        interrupted = self.tool_interrupted if is_call else self.interrupted
        failed = self.tool_failed if is_call else self.failed
        return {"interrupted": interrupted, "streaming": interrupted, "failed": failed}.get(message.state, "")
