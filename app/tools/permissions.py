"""What a person has allowed a tool to do. Nothing that a server or a result says changes it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from enum import StrEnum

import msgspec

from app.tools.tool import TANDEM, Tool


class Permission(StrEnum):
    """Whether a call of a tool runs: after a question, in one chat, always, or never."""

    ASK = "ask"
    CHAT = "chat"
    ALWAYS = "always"
    DENY = "deny"


class Choice(msgspec.Struct, frozen=True):
    """What a person chose for a tool of a server: ALWAYS for exactly this `fingerprint`, or DENY for any."""

    server: str
    tool: str
    fingerprint: str
    permission: Permission


def permission_of(tool: Tool, choices: Iterable[Choice], chat: Collection[str]) -> Permission:
    """Return whether a call of `tool` runs; `chat` holds the fingerprints of the tools allowed in the chat.

    A tool whose description, schema or server has changed is asked about again. A denied one stays denied.
    """
    if tool.server == TANDEM:
        return Permission.ALWAYS
    kept = next((one for one in choices if (one.server, one.tool) == (tool.server, tool.name)), None)
    if kept is not None and kept.permission is Permission.DENY:
        return Permission.DENY
    if kept is not None and kept.permission is Permission.ALWAYS and kept.fingerprint == tool.fingerprint:
        return Permission.ALWAYS
    return Permission.CHAT if tool.fingerprint in chat else Permission.ASK
