"""The servers of tools that a person has set up, and their permissions: `tools.json`, which holds no secret. No Qt."""

from __future__ import annotations

import logging
import os
import re
import threading
from collections.abc import Callable, Collection
from datetime import date
from pathlib import Path

import msgspec
from msgspec.structs import replace

from app.settings.keychain import Keychain
from app.tools.errors import ToolFailed
from app.tools.permissions import Choice, Permission, permission_of
from app.tools.tool import TANDEM, Tool, digest
from engine.files import private_files
from engine.files.atomic_file import write_atomically
from engine.files.bounded_json import UntrustedJsonError, read_bytes

log = logging.getLogger(__name__)

# Far more than a person sets up; a larger file is damaged, and text of this size is no configuration.
LARGEST_FILE = 4 * 2**20
LONGEST_SERVER_NAME = 64
# What the fields of a server look like, for a person who wrote one otherwise.
EXAMPLES = {
    "command": '"npx"', "args": '["-y", "server"]', "env": '{"KEY": "value"}', "url": '"https://server/mcp"',
    "headers": '{"Authorization": "Bearer key"}', "type": '"http"', "enabled": "true", "disabled": "false",
}  # fmt: skip


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
        return replace(self, approved=self.fingerprint)

    def without_secrets(self) -> Server:
        """Return this server with the names of its `env` and `headers` only."""
        return replace(self, env=dict.fromkeys(self.env, ""), headers=dict.fromkeys(self.headers, ""))


class _Secrets(msgspec.Struct):
    """The keychain's entry of one server."""

    env: dict[str, str] = {}
    headers: dict[str, str] = {}


class _File(msgspec.Struct):
    servers: list[Server] = []
    permissions: list[Choice] = []


class ToolSettings:
    """The servers and the permissions of tools, in the file at `path`; secrets are in `secrets`.

    The file is read at once; `submit` runs the writes, by default on the calling thread. A damaged file is set aside.
    `put`, `remove` and `with_secrets` may ask the person, so they must not run on the Qt thread.
    """

    def __init__(
        self,
        path: Path,
        secrets: Keychain,
        submit: Callable[[Callable[[], None]], object] = lambda write: write(),
    ) -> None:
        self._path, self._secrets, self._submit = path, secrets, submit
        self._lock = threading.Lock()
        # What no keychain could keep, for this run.
        self._unkept: dict[str, _Secrets] = {}
        self.backup: Path | None = None
        """The damaged file, if it was set aside, else None."""
        self._file = self._read()

    @property
    def servers(self) -> tuple[Server, ...]:
        """All servers, without their secrets."""
        return tuple(self._file.servers)

    @property
    def entries(self) -> list[str]:
        """The names of the servers' entries in the keychain."""
        return [_entry(server.name) for server in self.servers]

    def put(self, server: Server) -> bool:
        """Add a server, or replace the one of the same name. Returns whether its secrets are in the keychain.

        Values of `env` and `headers` that are "" keep what is stored. Without a keychain they are for this run only.
        A server that runs gets new values after `ToolHost.stop`.
        """
        kept = self._kept_secrets(server.name)
        secrets = _Secrets(_filled(server.env, kept.env), _filled(server.headers, kept.headers))
        stored = self._keep_secrets(server.name, secrets) if secrets != kept else server.name not in self._unkept
        plain = server.without_secrets()
        with self._lock:
            servers = [plain if one.name == server.name else one for one in self._file.servers]
            self._file.servers = servers if plain in servers else [*servers, plain]
        self._submit(self._write)
        return stored

    def remove(self, name: str) -> None:
        """Remove a server with its secrets and permissions."""
        self._keep_secrets(name, _Secrets())
        with self._lock:
            self._file.servers = [one for one in self._file.servers if one.name != name]
            self._file.permissions = [one for one in self._file.permissions if one.server != name]
        self._submit(self._write)

    def with_secrets(self, server: Server) -> Server:
        """Return the server with the values of its `env` and `headers`. Raises `ToolFailed` if one is not kept."""
        if not (server.env or server.headers):
            return server
        kept = self._kept_secrets(server.name)
        missing = [name for name in server.env if name not in kept.env]
        missing += [name for name in server.headers if name not in kept.headers]
        if missing:
            raise ToolFailed("no-secrets", server=server.name, names=", ".join(missing))
        env = {name: kept.env[name] for name in server.env}
        return replace(server, env=env, headers={name: kept.headers[name] for name in server.headers})

    def permission(self, tool: Tool, chat: Collection[str] = ()) -> Permission:
        """Return whether a call of `tool` runs; `chat` holds the fingerprints of the tools allowed in the chat."""
        return permission_of(tool, self._file.permissions, chat)

    def permit(self, tool: Tool, permission: Permission) -> None:
        """Keep the person's choice for a tool: ASK, ALWAYS or DENY; CHAT is kept with the chat."""
        with self._lock:
            others = [one for one in self._file.permissions if (one.server, one.tool) != (tool.server, tool.name)]
            if permission in (Permission.ALWAYS, Permission.DENY):
                others.append(Choice(tool.server, tool.name, tool.fingerprint, permission))
            self._file.permissions = others
        self._submit(self._write)

    def _kept_secrets(self, name: str) -> _Secrets:
        if (unkept := self._unkept.get(name)) is not None:
            return unkept
        try:
            return msgspec.json.decode(self._secrets.read(_entry(name)) or "{}", type=_Secrets)
        except msgspec.MsgspecError:
            log.info("the keychain's entry of a server of tools cannot be used")
            return _Secrets()

    def _keep_secrets(self, name: str, secrets: _Secrets) -> bool:
        self._unkept.pop(name, None)
        if not (secrets.env or secrets.headers):
            self._secrets.remove(_entry(name))
        elif not self._secrets.write(_entry(name), msgspec.json.encode(secrets).decode()):
            self._unkept[name] = secrets
            return False
        return True

    def _read(self) -> _File:
        if not self._path.exists():
            return _File()
        try:
            return msgspec.json.decode(read_bytes(self._path, LARGEST_FILE), type=_File)
        except (UntrustedJsonError, msgspec.MsgspecError) as error:
            log.info("%s cannot be read and is set aside: %s", self._path, error)
        backup = self._path.with_name(f"{self._path.stem}.{date.today().isoformat()}.backup.json")
        try:
            os.replace(self._path, backup)
            self.backup = backup
        except OSError:
            log.info("%s cannot be set aside", self._path, exc_info=True)
        return _File()

    def _write(self) -> None:
        with self._lock:
            try:
                private_files.make_folder(self._path.parent)
                write_atomically(self._path, msgspec.json.format(msgspec.json.encode(self._file), indent=1))
            except OSError:
                log.info("the servers of tools cannot be written to %s", self._path, exc_info=True)


def _entry(name: str) -> str:
    """Return the name of a server's entry in the keychain."""
    return f"tools/{name}"


def _filled(given: dict[str, str], kept: dict[str, str]) -> dict[str, str]:
    """Return the values with those that are stored. One that is neither is left out, to be asked for."""
    return {name: value or kept[name] for name, value in given.items() if value or name in kept}


class _Imported(msgspec.Struct):
    """A server as other programs write it. Numbers stand in `env` without quotes now and then."""

    command: str = ""
    args: tuple[str, ...] = ()
    env: dict[str, str | int | float] = {}
    url: str = ""
    headers: dict[str, str | int | float] = {}
    type: str = ""
    enabled: bool = True
    disabled: bool = False


def servers_from_json(text: str) -> list[Server]:
    """Return the servers of an `mcp.json`, with their secrets, not yet agreed to. Raises `ToolFailed`.

    The form is {"mcpServers": {NAME: {...}}}, which Claude Desktop, LM Studio and Cursor share, or VS Code's "servers".
    Unknown fields are ignored, and so are whole lines of comments, which VS Code writes.
    """
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("//")]
    try:
        content = msgspec.json.decode("\n".join(lines))
    except (msgspec.MsgspecError, RecursionError) as error:
        raise ToolFailed("not-json", detail=str(error)) from error
    found = content.get("mcpServers", content.get("servers")) if isinstance(content, dict) else None
    if not isinstance(found, dict) or not found:
        raise ToolFailed("no-servers")
    return [_server(name, fields) for name, fields in found.items()]


def _server(name: str, fields: object) -> Server:
    if not (0 < len(name) <= LONGEST_SERVER_NAME and name.isprintable() and name != TANDEM):
        raise ToolFailed("bad-name", server=name)
    try:
        found = msgspec.convert(fields, _Imported)
    except msgspec.ValidationError as error:
        field = re.search(r"\$\.(\w+)", str(error))
        raise _bad_field(name, field[1] if field else "") from error
    if bool(found.command) == bool(found.url):
        raise ToolFailed("one-of", server=name)
    if found.url and not found.url.startswith(("http://", "https://")):
        raise _bad_field(name, "url")
    if found.type == "sse":
        raise ToolFailed("old-transport", server=name)
    env, headers = ({key: str(value) for key, value in given.items()} for given in (found.env, found.headers))
    enabled = found.enabled and not found.disabled
    if found.url:
        return Server(name=name, url=found.url, headers=headers, enabled=enabled)
    return Server(name=name, command=found.command, args=found.args, env=env, enabled=enabled)


def _bad_field(server: str, field: str) -> ToolFailed:
    example = EXAMPLES.get(field, '{"command": "npx", "args": ["-y", "server"]}')
    return ToolFailed("bad-field", server=server, field=field or server, example=example)
