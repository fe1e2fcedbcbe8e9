"""The servers of tools that a person has set up, and what they may do: `tools.json`, without any secret."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Protocol

import msgspec

from app.tools.permissions import Permission
from app.tools.tool import Tool, digest


class Server(msgspec.Struct, frozen=True, kw_only=True):
    """A server: a `command` with `args` that is run here (stdio), or a `url` (streamable HTTP).

    The values of `env` and `headers` may be secrets, and are "" until `ToolSettings.with_secrets` has filled them in.
    `approved` is the fingerprint of what the person agreed to run.
    """

    name: str
    command: str = ""
    args: tuple[str, ...] = ()
    env: dict[str, str] = {}
    url: str = ""
    headers: dict[str, str] = {}
    enabled: bool = True
    approved: str = ""

    @property
    def fingerprint(self) -> str:
        """The digest of what runs, or of what is reached, and of the names of the values that are given to it."""
        return digest(self.command, self.args, sorted(self.env), self.url, sorted(self.headers))

    @property
    def is_approved(self) -> bool:
        """Whether the person has agreed to exactly this server."""
        return self.approved == self.fingerprint

    def as_approved(self) -> Server:
        """Return this server, agreed to."""
        return msgspec.structs.replace(self, approved=self.fingerprint)


class SecretStore(Protocol):
    """The place of secrets: `app.settings.keychain.Keychain`. Its calls may ask the person."""

    def read(self, endpoint: str) -> str | None: ...

    def write(self, endpoint: str, token: str) -> bool: ...

    def remove(self, endpoint: str) -> None: ...


class ToolSettings:
    """The servers and the permissions of tools, in the file at `path`; secrets are in `secrets`.

    The file is read at once and written with each change; writing raises nothing. A damaged file is set aside. Methods
    that touch secrets may ask the person, so they must not run on the Qt thread.
    """

    def __init__(self, path: Path, secrets: SecretStore) -> None:
        raise NotImplementedError

    @property
    def servers(self) -> tuple[Server, ...]:
        """All servers, without their secrets."""
        raise NotImplementedError

    def put(self, server: Server) -> bool:
        """Add a server, or replace the one of the same name. Returns whether its secrets are in the keychain.

        Values of `env` and `headers` that are "" keep what is stored. Without a keychain they are for this run only.
        """
        raise NotImplementedError

    def remove(self, name: str) -> None:
        """Remove a server with its secrets and permissions."""
        raise NotImplementedError

    def with_secrets(self, server: Server) -> Server:
        """Return the server with the values of its `env` and `headers`."""
        raise NotImplementedError

    def permission(self, tool: Tool, chat: Collection[str] = ()) -> Permission:
        """Return whether a call of `tool` runs; `chat` holds the fingerprints of the tools allowed in the chat."""
        raise NotImplementedError

    def permit(self, tool: Tool, permission: Permission) -> None:
        """Keep the person's choice for a tool: ASK, ALWAYS or DENY; CHAT is kept with the chat."""
        raise NotImplementedError


def servers_from_json(text: str) -> list[Server]:
    """Return the servers of an `mcp.json`, with their secrets, not yet agreed to. Raises `ToolFailed`.

    The form is {"mcpServers": {NAME: {...}}}, which Claude Desktop, LM Studio and Cursor share, or VS Code's "servers".
    """
    raise NotImplementedError
