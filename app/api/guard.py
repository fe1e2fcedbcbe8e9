"""Refuses pages of other sites, rebound names, missing keys and ambiguous requests.

A page in a browser can send requests to the loopback address. It cannot choose `Host` (so a name that was rebound to
127.0.0.1 shows), it cannot hide `Origin`, and without a preflight it cannot send JSON. So a body without a declared
type comes from a program or a person's terminal. A rebound page does not have the key either, so a request with the
key may use any name: those of tailnets, of reverse proxies, and of other computers' lists of hosts.
"""

from __future__ import annotations

import base64
import ipaddress
import re
import secrets
import socket
from contextlib import suppress
from dataclasses import dataclass, field

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.api import proof
from app.api.requests.bodies import COMPRESSIONS
from app.api.requests.errors import ApiError, error_reply
from engine.requests import SpeculationSettings

_LOOPBACK_NAMES = ("localhost", "127.0.0.1", "::1")
# Programs in containers and virtual machines call this computer by names such as host.docker.internal. The domain is
# reserved for private use: nobody can register a name below it, so only the network's own DNS server could rebind one,
# and a page of such a name can only read lists and figures, because anything else has an `Origin`.
_PRIVATE_NAME = re.compile(r"(?:[\w-]+\.)+internal", re.ASCII)
_ALWAYS = {"cache-control": "no-store", "x-content-type-options": "nosniff"}
_WITH_BODY = ("POST", "PUT", "PATCH")
# JSON by the MIME standard. A page asks by a preflight before it sends any of these types.
_JSON = re.compile(r"(?:application|text)/json|[\w.+-]+/[\w.+-]+\+json", re.ASCII)
# What programs send that declare nothing: curl has the second of itself, several frameworks the third. Pages can send
# it unasked, but not without `Origin` or `Sec-Fetch-Site`.
_UNDECLARED = ("", "application/x-www-form-urlencoded", "text/plain")
# "/health" says only that a server listens, as any connection does; `proof.PATH` proves the key in its own way.
_WITHOUT_KEY = ("/health", proof.PATH)
# The origins of programs with a browser inside, as Ollama lets them in. The schemes are the programs' own, so no site
# has them, and an installed program could call without its page. Ollama has `file://` too, but not every browser says
# "null" for a page that somebody has saved.
PROGRAM_ORIGIN = re.compile(r"(?:app|tauri|vscode-file|vscode-webview)://[a-zA-Z0-9_.-]*(?::[0-9]{1,5})?")
# The entry of a request's scope that says that it needed the key and had it.
HAS_KEY = "tandem.has_key"
# A name, an IPv4 address, or an IPv6 address in brackets, and the port.
_HOST = re.compile(r"(?:\[([0-9a-fA-F:.]+(?:%[\w.]+)?)\]|([\w.-]+))(?::(\d{1,5}))?", re.ASCII)


@dataclass(frozen=True)
class ApiSettings:
    """The address to serve at, and who may call.

    host: an address of this computer; one that is no loopback address needs a `key`
    port: 0 for any free one
    key: what calls have to send; None if none is asked for
    origins: the web origins whose pages may call, such as "http://localhost:3000", besides PROGRAM_ORIGIN
    speculation: the default for calls
    """

    host: str = "127.0.0.1"
    port: int = 8642
    key: str | None = field(default=None, repr=False)
    origins: tuple[str, ...] = ()
    speculation: SpeculationSettings = field(default_factory=SpeculationSettings)

    def allows(self, origin: str | None) -> bool:
        """Whether pages of an origin may call; None stands for a page that does not tell it."""
        return origin is not None and (origin in self.origins or PROGRAM_ORIGIN.fullmatch(origin) is not None)


def is_loopback(host: str) -> bool:
    """Return whether `host` is an address or the name of this machine alone."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class Guard:
    """ASGI middleware that refuses what `settings` do not allow, before any of the body is read."""

    def __init__(self, app: ASGIApp, settings: ApiSettings) -> None:
        self._app = app
        self._allows = settings.allows
        self._loopback = is_loopback(settings.host)
        # The names by which only this computer is called.
        self._names = {*_LOOPBACK_NAMES}
        if not self._loopback:
            own_names = {socket.gethostname().lower(), settings.host.lower()}
            self._names |= own_names | {f"{name}.local" for name in own_names}
        self._key = settings.key.encode() if settings.key else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            # The server answers 403 to a handshake that is closed before it is accepted.
            await send({"type": "websocket.close", "code": 1008})
        if scope["type"] != "http":
            return
        headers = Headers(scope=scope)

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                answer = MutableHeaders(scope=message)
                for name, value in _ALWAYS.items():
                    answer[name] = value
            await send(message)

        try:
            self._check(scope, headers)
        except ApiError as error:
            await error_reply(error, scope["path"])(scope, receive, send_guarded)
            return
        await self._app(scope, receive, send_guarded)

    def _check(self, scope: Scope, headers: Headers) -> None:
        """Raise `ApiError` for a request that is refused.

        Marks a request that needs the key and has it as `HAS_KEY` in its scope: not one of `_WITHOUT_KEY`, nor any if
        no key is set. Removes the key from the beginning of the path in the scope.
        """
        if len(headers.getlist("content-length")) + len(headers.getlist("transfer-encoding")) > 1:
            raise ApiError(400, "The request has two lengths.", code="ambiguous_length", closes=True)
        is_in_path = self._take_key_from_path(scope)
        has_key = is_in_path or self._has_key(headers)
        self._check_host(headers, has_key=has_key)
        is_from_a_page = self._check_origin(headers)
        if self._key is not None and scope["path"] not in _WITHOUT_KEY:
            if not has_key:
                sentence = "The key is missing or wrong: send it as `Authorization: Bearer KEY` or `x-api-key: KEY`."
                raise ApiError(401, sentence, code="invalid_api_key")
            scope[HAS_KEY] = True
        if scope["method"] in _WITH_BODY:
            _check_body_type(headers, is_from_a_page=is_from_a_page)

    def _check_host(self, headers: Headers, *, has_key: bool) -> None:
        """Raise `ApiError` (host) if a name may have been rebound to this computer by a page of another site."""
        hosts = headers.getlist("host")
        name = _host_name(hosts[0]) if len(hosts) == 1 else ""
        if self._names_this_computer(name) or (has_key and name):
            return
        sentence = "The Host header does not name this computer."
        if self._key is not None:
            sentence += " With the key, any name is accepted."
        raise ApiError(403, sentence, code="host")

    def _check_origin(self, headers: Headers) -> bool:
        """Return whether a page in a browser sends the request. Raises `ApiError` (origin) if it is not allowed to."""
        origin = headers.get("origin")
        is_from_a_page = origin is not None or headers.get("sec-fetch-site", "none") != "none"
        if is_from_a_page and not self._allows(origin):
            sentence = "Web pages may not use this API, unless their origin was allowed, as by `tandem serve --origin`."
            raise ApiError(403, sentence, code="origin")
        return is_from_a_page

    def _names_this_computer(self, name: str) -> bool:
        """Whether a name from a Host header, "" for a bad one, is one by which only this computer is called."""
        if name in self._names or _PRIVATE_NAME.fullmatch(name):
            return True
        return not self._loopback and _is_address(name)

    def _has_key(self, headers: Headers) -> bool:
        """Whether a header has the key, that for names and passwords too: programs send it for http://KEY@host."""
        scheme, _, token = headers.get("authorization", "").partition(" ")
        given = [token.strip()] if scheme.lower() == "bearer" else [headers.get("x-api-key", "")]
        if scheme.lower() == "basic":
            with suppress(ValueError):
                given += base64.b64decode(token.strip(), validate=True).decode().split(":", 1)
        return any(map(self._is_key, given))

    def _take_key_from_path(self, scope: Scope) -> bool:
        """Remove the key from the beginning of the path, and return whether it was there.

        Programs without a field for a key can have it there.
        """
        _, _, path = scope["path"].partition("/")
        first, slash, remainder = path.partition("/")
        if not self._is_key(first):
            return False
        scope["path"] = f"/{remainder}" if slash else "/"
        scope["raw_path"] = scope["path"].encode()
        return True

    def _is_key(self, given: str) -> bool:
        """Whether a text is the key, compared in constant time; never without a key."""
        return self._key is not None and secrets.compare_digest(given.encode(), self._key)


def _check_body_type(headers: Headers, *, is_from_a_page: bool) -> None:
    """Raise `ApiError` for a body that is not declared as JSON, as a page has to, or is compressed in another way."""
    kind = headers.get("content-type", "")
    media_type = kind.partition(";")[0].strip().lower()
    if not _JSON.fullmatch(media_type) and (is_from_a_page or media_type not in _UNDECLARED):
        fault = f"is `{kind}`" if kind else "is missing"
        sentence = f"The header `Content-Type` must be `application/json`, but it {fault}."
        raise ApiError(415, sentence, code="content_type")
    if headers.get("content-encoding", "identity").strip().lower() not in ("identity", *COMPRESSIONS):
        sentence = "The body is compressed in a way that is not known here: send it as it is, or as gzip."
        raise ApiError(415, sentence, code="content_encoding")


def _host_name(host: str) -> str:
    """Return the name or address in a Host header, without its port; "" if the header is anything else."""
    match = _HOST.fullmatch(host)
    return (match[1] or match[2]).lower() if match and int(match[3] or 0) < 2**16 else ""


def _is_address(name: str) -> bool:
    # Rebinding needs a name, so an address was typed by a person.
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
