"""The servers of tools that a person has set up, and their permissions: `tools.json`, which holds no secret. No Qt."""

from __future__ import annotations

import logging
import os
import re
import shlex
import threading
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from app.settings.keychain import Keychain
from app.tools.search_services import DEFAULT_SERVICE, SERVICES
from app.tools.tool import TANDEM, Permission, Tool, ToolFailed, digest, is_visible
from app.tools.variables import decides, variables_in, with_defaults
from engine.files import private_files
from engine.files.atomic_file import write_atomically
from engine.files.bounded_json import UntrustedJsonError, read_bytes

log = logging.getLogger(__name__)

# Far more than a person sets up; a larger file is damaged, and text of this size is no configuration.
LARGEST_FILE = 4 * 2**20
LONGEST_SERVER_NAME = 64
# What the fields of a server look like, for a person who wrote one otherwise.
EXAMPLES = {
    "command": '"npx"',
    "args": '["-y", "server"]',
    "env": '{"KEY": "value"}',
    "url": '"https://server/mcp"',
    "headers": '{"Authorization": "Bearer key"}',
    "enabled": "true",
    "disabled": "false",
}
# The names of values that are no headers: the client id, and its secret if there is one, with which to sign in.
CLIENT_ID = "client_id"
CLIENT_SECRET = "client_secret"
# The commands that download a package and run it.
_RUNNERS = ("npx", "bunx", "pnpx", "uvx")
# What programs call the fields otherwise.
_NAMES = {"environment": "env", "serverUrl": "url", "httpUrl": "url"}
# A value of a variable, or an argument, as people write them.
_Plain = str | int | float | bool
# What people write between what JSON has, or a text, in which it is none.
_COMMENT = re.compile(r'("(?:[^"\\]++|\\.)*+"?)|//[^\r\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
_COMMA = re.compile(r'("(?:[^"\\]++|\\.)*+"?)|,(?=\s*[}\]])', re.DOTALL)


class Server(msgspec.Struct, frozen=True, kw_only=True):
    """A server: a `command` with `args` that is run here (stdio), or a `url` (streamable HTTP).

    `values` are the command's variables or the headers for the url. Those that may be secrets are "" until
    `ToolSettings.with_secrets` has filled them in. `approved` is the fingerprint of what the person agreed to run.
    `asks` are the names of values, and the variables in the command or url, that an imported file left to the person,
    with what it says of each. `signed_in`: the keychain has a sign-in for the url. `issuer` is how the service names
    itself at which the person has signed in.
    """

    name: str
    command: str = ""
    args: tuple[str, ...] = ()
    url: str = ""
    values: dict[str, str] = {}
    enabled: bool = True
    approved: str = ""
    asks: dict[str, str] = {}
    signed_in: bool = False
    issuer: str = ""

    @property
    def headers(self) -> dict[str, str]:
        """The values that are sent to the url."""
        return {name: value for name, value in self.values.items() if name not in (CLIENT_ID, CLIENT_SECRET)}

    @property
    def target(self) -> str:
        """The command as a shell has it, or the url."""
        return shlex.join([self.command, *self.args]) if self.command else self.url

    @property
    def package(self) -> str:
        """The package that the command downloads before it runs; "" if it is another command."""
        names = [argument for argument in self.args if not argument.startswith("-")]
        return "".join(names[:1]) if Path(self.command).name in _RUNNERS else ""

    @property
    def fingerprint(self) -> str:
        """The digest of what runs or is reached, of the names of its values, and of those that decide what runs."""
        deciding = [self.deciding] if self.deciding else []
        return digest(self.command, self.args, self.url, sorted(self.values), *deciding)

    @property
    def deciding(self) -> dict[str, str]:
        """The variables that decide what the command runs. They are no secrets: a person has to see them."""
        return {name: value for name, value in self.values.items() if self.command and decides(name)}

    @property
    def usable(self) -> bool:
        """Whether it is switched on and the person has agreed to exactly this server."""
        return self.enabled and self.is_approved

    @property
    def is_approved(self) -> bool:
        """Whether the person has agreed to exactly this server."""
        return self.approved == self.fingerprint

    def as_approved(self) -> Server:
        """Return this server, agreed to."""
        return replace(self, approved=self.fingerprint)


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """The state of a server, why it failed, its tools, and its standard error.

    Tools with the names `unusable` could not be used, and those with the names `only_as_tasks` can only be called as
    tasks.
    """

    state: Literal["stopped", "starting", "running", "failed", "signing-in"] = "stopped"
    error: ToolFailed | None = None
    tools: tuple[Tool, ...] = ()
    unusable: tuple[str, ...] = ()
    only_as_tasks: tuple[str, ...] = ()
    stderr: str = ""
    # While the person signs in: what the server calls the service there and what that calls itself, if they differ.
    issuers: tuple[str, str] | None = None

    @property
    def wants_sign_in(self) -> bool:
        """Whether a sign-in may make it run."""
        return self.error is not None and self.error.code.startswith(("sign-in-", "key-refused"))


class _StoredPermission(msgspec.Struct, frozen=True):
    """A person's choice for a tool of a server: ALWAYS for exactly this `fingerprint`, or DENY for any.

    `was_always` is the fingerprint of a tool that was allowed always until it was switched off. With a `site`, the
    choice is for its pages only, of a tool whose permissions are for one site each.
    """

    server: str
    tool: str
    fingerprint: str
    permission: Permission
    was_always: bool = False
    site: str = ""

    def is_for(self, tool: Tool) -> bool:
        """Whether this is the choice for the tool of that name and its site, however it has changed since."""
        return (self.server, self.tool, self.site) == (tool.server, tool.name, tool.site)


class WebChoice(msgspec.Struct, frozen=True):
    """Whether models have Tandem's web tools, the service of their searches, and the address of one's own SearXNG."""

    on: bool = False
    service: str = DEFAULT_SERVICE
    searxng: str = ""

    def address_of(self, service: str) -> str:
        """Return the address that the person entered for a service; "" for one that has its own."""
        return self.searxng if service == "searxng" else ""


class _File(msgspec.Struct):
    servers: list[Server] = []
    permissions: list[_StoredPermission] = []
    web: WebChoice = WebChoice()


class ToolSettings:
    """The servers and the permissions of tools, in the file at `path`; secrets are in the keychain `secrets`.

    The file is read at once; a damaged one is set aside. `submit` runs the writes, by default on the calling thread.
    `put`, `remove`, `with_secrets`, `kept_sign_in`, `keep_sign_in`, `search_key` and `keep_search_key` use the
    keychain, which may ask the person, so they must not run on the Qt thread.
    """

    def __init__(
        self, path: Path, secrets: Keychain, submit: Callable[[Callable[[], None]], object] = lambda write: write()
    ) -> None:
        self._path = path
        self._secrets = secrets
        self._submit = submit
        self._lock = threading.Lock()
        # What no keychain could keep, by the name of its entry, for this run.
        self._unkept: dict[str, str] = {}
        self._file = self._read()

    @property
    def servers(self) -> tuple[Server, ...]:
        """All servers, without their secrets."""
        return tuple(self._file.servers)

    @property
    def entries(self) -> list[str]:
        """The names of the entries of servers and of services that search in the keychain."""
        services = [_entry(name, "search") for name, service in SERVICES.items() if service.needs_key]
        return [_entry(server.name, kind) for server in self.servers for kind in ("tools", "sign-in")] + services

    @property
    def web(self) -> WebChoice:
        """The person's choice for Tandem's web tools. A service of another version is replaced by the default."""
        choice = self._file.web
        return choice if choice.service in SERVICES else replace(choice, service=DEFAULT_SERVICE)

    def set_web(self, choice: WebChoice) -> None:
        """Store the person's choice for Tandem's web tools."""
        with self._lock:
            self._file.web = choice
        self._submit(self._write)

    def search_key(self, service: str) -> str:
        """Return the person's key of a service that searches; "" without one. May ask the person."""
        return self._kept(_entry(service, "search")) if SERVICES[service].needs_key else ""

    def keep_search_key(self, service: str, key: str) -> bool:
        """Keep the key of a service; return whether the keychain could. Otherwise it is for this run."""
        return self._keep(_entry(service, "search"), key)

    def put(self, server: Server) -> bool:
        """Add a server, or replace the one of the same name. Return whether its secrets are in the keychain.

        A value that is "" keeps the one that is stored. Values that decide what runs are in the file, all others are
        secrets: in the keychain or, without one, in memory for this run only. A server that runs gets new values
        after `ToolHost.stop`. A sign-in is forgotten if the url changes.
        """
        known = self._kept_values(server.name)
        before = next((other for other in self.servers if other.name == server.name), server)
        signed_in = before.signed_in and before.url == server.url
        if before.signed_in and not signed_in:
            self._keep(_entry(server.name, "sign-in"), "")
        clear = {name: value or before.deciding.get(name, "") for name, value in server.deciding.items()}
        given = {name: value or known.get(name, "") for name, value in server.values.items() if name not in clear}
        values = {name: value for name, value in given.items() if value}
        entry = _entry(server.name)
        secret = msgspec.json.encode(values).decode() if values else ""
        stored = self._keep(entry, secret) if values != known else entry not in self._unkept
        issuer = before.issuer if before.url == server.url else ""
        hidden = dict.fromkeys(server.values, "") | clear
        self._replace(replace(server, values=hidden, signed_in=signed_in, issuer=issuer))
        return stored

    def remove(self, name: str) -> None:
        """Remove a server with its secrets, its sign-in and its permissions."""
        self._keep(_entry(name), "")
        self._keep(_entry(name, "sign-in"), "")
        with self._lock:
            self._file.servers = [other for other in self._file.servers if other.name != name]
            self._file.permissions = [other for other in self._file.permissions if other.server != name]
        self._submit(self._write)

    def with_secrets(self, server: Server) -> Server:
        """Return the server with its values. May ask the person. Raises `ToolFailed` (no-secrets) if one is lost."""
        stored = self._kept_values(server.name) if server.values else {}
        # A value that the person has not seen decides nothing, also if an earlier version kept it.
        known = {**stored, **server.deciding}
        if missing := [name for name in server.values if not known.get(name)]:
            raise ToolFailed("no-secrets", server=server.name, names=", ".join(missing))
        return replace(server, values={name: known[name] for name in server.values})

    def kept_sign_in(self, server: Server) -> str:
        """Return what `keep_sign_in` has kept for the server; "" without a sign-in. May ask the person."""
        return self._kept(_entry(server.name, "sign-in")) if server.signed_in else ""

    def keep_sign_in(self, server: Server, sign_in: str, issuer: str = "") -> None:
        """Keep a sign-in, or none if it is "", unless the server is gone or has another url. May ask the person.

        `issuer` is how the service names itself; "" keeps the known name.
        """
        for current in self.servers:
            if (current.name, current.url) == (server.name, server.url):
                self._keep(_entry(server.name, "sign-in"), sign_in)
                changed = replace(current, signed_in=bool(sign_in), issuer=issuer or current.issuer)
                if changed != current:
                    self._replace(changed)

    def permission(self, tool: Tool, chat: Collection[str] = ()) -> Permission:
        """Return whether a call of `tool` runs; `chat` holds the fingerprints of the tools allowed in the chat.

        A tool whose description, schema or server has changed is asked about again, and so is one for another site. A
        denied one stays denied, for all sites.
        """
        if tool.asks_nobody:
            return Permission.ALWAYS
        for_all_sites = self._stored(tool.for_site(""))
        if for_all_sites is not None and for_all_sites.permission is Permission.DENY:
            return Permission.DENY
        stored = self._stored(tool)
        if stored is not None and stored.fingerprint == tool.fingerprint:
            return stored.permission
        return Permission.CHAT if tool.fingerprint in chat else Permission.ASK

    def allowed_sites(self, tool: Tool) -> list[Tool]:
        """Return the tool for each site for which it is always allowed, in the order of the person's choices."""
        of_sites = [tool.for_site(choice.site) for choice in self._file.permissions if choice.site]
        return [of_site for of_site in of_sites if self.permission(of_site) is Permission.ALWAYS]

    def permit(self, tool: Tool, permission: Permission) -> None:
        """Keep the person's choice for a tool: ASK, ALWAYS or DENY; CHAT is kept with the chat."""
        self._keep_permission(tool, permission)

    def switch(self, tool: Tool, on: bool) -> None:
        """Switch a tool off, or on again with the permission that it had.

        Switching off revokes no permission: a tool that was allowed always, or in a chat, is so again, unless it has
        changed meanwhile. A choice that is made by `permit` forgets what was before.
        """
        stored = self._stored(tool)
        is_off = stored is not None and stored.permission is Permission.DENY
        if on != is_off:
            return
        if on:
            was_always = stored is not None and stored.was_always and stored.fingerprint == tool.fingerprint
            self._keep_permission(tool, Permission.ALWAYS if was_always else Permission.ASK)
        else:
            was_always = self.permission(tool) is Permission.ALWAYS
            self._keep_permission(tool, Permission.DENY, was_always=was_always)

    def _stored(self, tool: Tool) -> _StoredPermission | None:
        """Return the choice that was kept for a tool, of which there is at most one."""
        return next((choice for choice in self._file.permissions if choice.is_for(tool)), None)

    def _keep_permission(self, tool: Tool, permission: Permission, *, was_always: bool = False) -> None:
        """Keep a permission in place of the one before."""
        with self._lock:
            others = [choice for choice in self._file.permissions if not choice.is_for(tool)]
            if permission in (Permission.ALWAYS, Permission.DENY):
                choice = _StoredPermission(tool.server, tool.name, tool.fingerprint, permission, was_always, tool.site)
                others.append(choice)
            self._file.permissions = others
        self._submit(self._write)

    def _replace(self, server: Server) -> None:
        """Put a server in place of the one of the same name, or at the end."""
        with self._lock:
            servers = [server if other.name == server.name else other for other in self._file.servers]
            self._file.servers = servers if server in servers else [*servers, server]
        self._submit(self._write)

    def _kept_values(self, name: str) -> dict[str, str]:
        """Return the secret values of a server by name; {} if none are stored or they cannot be read."""
        try:
            return msgspec.json.decode(self._kept(_entry(name)) or "{}", type=dict[str, str])
        except msgspec.MsgspecError:
            log.info("the keychain's entry of a server of tools cannot be used")
            return {}

    def _kept(self, entry: str) -> str:
        """Return the secret of an entry; "" if there is none."""
        return self._unkept.get(entry) or self._secrets.read(entry) or ""

    def _keep(self, entry: str, secret: str) -> bool:
        """Keep a secret, or none if it is ""; return whether the keychain could. Otherwise it is for this run."""
        self._unkept.pop(entry, None)
        if not secret:
            self._secrets.remove(entry)
        elif not self._secrets.write(entry, secret):
            self._unkept[entry] = secret
            return False
        return True

    def _read(self) -> _File:
        """Return the content of the file. A file that cannot be read is renamed, so that it is not overwritten."""
        try:
            return msgspec.json.decode(read_bytes(self._path, LARGEST_FILE), type=_File)
        except (UntrustedJsonError, msgspec.MsgspecError) as error:
            if self._path.exists():
                log.info("%s cannot be read and is set aside: %s", self._path, error)
                with suppress(OSError):
                    os.replace(self._path, self._path.with_suffix(f".{date.today().isoformat()}.backup.json"))
        return _File()

    def _write(self) -> None:
        with self._lock:
            try:
                private_files.make_folder(self._path.parent)
                write_atomically(self._path, msgspec.json.format(msgspec.json.encode(self._file), indent=1))
            except OSError:
                log.info("the servers of tools cannot be written to %s", self._path, exc_info=True)


def _entry(name: str, kind: str = "tools") -> str:
    """Return the name of a server's entry in the keychain."""
    return f"{kind}/{name}"


class _Imported(msgspec.Struct):
    """A server as other programs write it, once `_usual` has made one form of them."""

    command: str = ""
    args: tuple[_Plain, ...] = ()
    env: dict[str, _Plain | None] = {}
    url: str = ""
    headers: dict[str, _Plain | None] = {}
    enabled: bool = True
    disabled: bool = False


def servers_of(file: Path, left_out: Callable[[ToolFailed], object]) -> list[Server]:
    """Return the servers of an `mcp.json`; see `servers_from_json`. Raises `ToolFailed`."""
    try:
        return servers_from_json(read_bytes(file, LARGEST_FILE).decode("utf-8-sig", "replace"), left_out)
    except UntrustedJsonError as error:
        raise ToolFailed("not-json", detail=error) from error


def servers_from_json(text: str, left_out: Callable[[ToolFailed], object] = lambda _: None) -> list[Server]:
    """Return the servers of an `mcp.json`, with their secrets, not yet agreed to. Raises `ToolFailed` if there is none.

    `left_out` is called for each other entry that cannot be used. Unknown fields are ignored. Comments and commas
    before a bracket, which people write, are passed over.
    """
    try:
        for pattern in (_COMMENT, _COMMA):
            text = pattern.sub(lambda match: match[1] or " ", text)
        content = msgspec.json.decode(text)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise ToolFailed("not-json", detail=str(error)) from error
    if not isinstance(content, dict):
        raise ToolFailed("no-servers")
    abouts = dict[str, str]()
    servers = list[Server]()
    problem = ToolFailed("no-servers")
    for name, fields in _entries(content, abouts).items():
        try:
            servers.append(_server(name, fields, abouts))
        except ToolFailed as error:
            problem = error
            left_out(error)
    if not servers:
        raise problem
    return servers


def _entries(content: Mapping[str, Any], abouts: dict[str, str]) -> dict[str, object]:
    """Return the entries of a configuration by the names of their servers.

    Most programs write {"mcpServers": {NAME: {...}}}. VS Code has "servers", also within "mcp"; Zed has
    "context_servers", opencode "mcp" alone. In files of settings the name may follow a dot: "amp.mcpServers".
    `abouts` gets what the "inputs" of VS Code say of the variables that they ask for, by "input:ID".
    """
    entries = dict[str, object]()
    for key, value in content.items():
        if isinstance(value, dict) and key.rpartition(".")[2] in ("mcpServers", "servers", "context_servers"):
            entries |= value
        elif isinstance(value, dict) and key == "mcp":
            entries.update(_entries(value, abouts) or value)
        elif isinstance(value, list) and key == "inputs":
            inputs = [variable for variable in value if isinstance(variable, dict)]
            abouts |= {f"input:{variable.get('id')}": str(variable.get("description") or "") for variable in inputs}
    return entries


def _usual(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return an entry in the form of Claude Desktop, in which "command" is a text and its arguments are "args".

    Other programs name fields otherwise (`_NAMES`), write the command as a list with its arguments, or as an object
    {"path": COMMAND, "args": [...]}.
    """
    usual = {_NAMES.get(key, key): value for key, value in fields.items() if value not in (None, "")}
    command = usual.get("command")
    args = usual.get("args", [])
    if isinstance(command, Mapping):
        return usual | _usual({**command, "command": command.get("path")})
    if isinstance(command, list) and command and isinstance(args, list):
        usual |= {"command": command[0], "args": [*command[1:], *args]}
    return usual


def _server(name: str, fields: object, abouts: Mapping[str, str]) -> Server:
    """Return an entry as a server. `abouts` are the descriptions of variables; see `_entries`.

    Raises `ToolFailed`: (bad-name), (bad-field), or (one-of) for a server with both a command and a url, or neither.
    """
    if not (0 < len(name) <= LONGEST_SERVER_NAME and is_visible(name) and name != TANDEM):
        raise ToolFailed("bad-name", server=name)
    imported = _imported(name, fields)
    given = imported.headers if imported.url else imported.env
    values = {key: _text(value) for key, value in given.items() if value is not None}
    command = _text(imported.command)
    url = _text(imported.url)
    args = tuple(_text(argument) for argument in imported.args)
    if url and not url.startswith(("http://", "https://", "${")):
        raise _bad_field(name, "url")
    asks = dict[str, str]()
    for part in (command, url, *args):
        asks |= variables_in(part, abouts)
    for key, value in values.items():
        if left_open := variables_in(value, abouts):
            # What stands around them may be a secret.
            asks[key] = ", ".join(
                f"{variable}: {about}" if about else variable for variable, about in left_open.items()
            )
            values[key] = ""
    enabled = imported.enabled and not imported.disabled
    return Server(name=name, command=command, args=args, url=url, values=values, enabled=enabled, asks=asks)


def _imported(name: str, fields: object) -> _Imported:
    """Return the fields of an entry with the types that they must have. Raises `ToolFailed` as `_server` does."""
    try:
        imported = msgspec.convert(_usual(fields) if isinstance(fields, Mapping) else fields, _Imported)
    except msgspec.ValidationError as error:
        field = re.search(r"\$\.(\w+)", str(error))
        raise _bad_field(name, field[1] if field else "") from error
    if bool(imported.command) == bool(imported.url):
        raise ToolFailed("one-of", server=name)
    # The system would take a name with "=" for another one with a part of the value, and a person one with spaces.
    if imported.command and not all(re.fullmatch(r"[^\s=]+", key) and key.isprintable() for key in imported.env):
        raise _bad_field(name, "env")
    return imported


def _text(value: _Plain) -> str:
    """Return a value as the text that a program gets, with the defaults of its variables filled in."""
    return with_defaults(value) if isinstance(value, str) else msgspec.json.encode(value).decode()


def _bad_field(server: str, field: str) -> ToolFailed:
    """Return the error for a field that has another form, with an example; "" if the whole entry has."""
    example = EXAMPLES.get(field, '{"command": "npx", "args": ["-y", "server"]}')
    return ToolFailed("bad-field", server=server, field=field or server, example=example)
