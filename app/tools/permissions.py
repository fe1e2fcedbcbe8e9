"""What a person has allowed a tool to do. Nothing that a server or a result says changes it."""

from __future__ import annotations

from enum import StrEnum


class Permission(StrEnum):
    """Whether a call of a tool runs: after a question, in one chat, always, or never."""

    ASK = "ask"
    CHAT = "chat"
    ALWAYS = "always"
    DENY = "deny"
