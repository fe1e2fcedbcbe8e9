"""A server of tools with the service that signs people in to it (OAuth), on loopback, and a browser to use it with."""

from __future__ import annotations

import base64
import hashlib
import json
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple
from urllib.error import HTTPError
from urllib.parse import parse_qsl, urlencode, urlsplit
from urllib.request import ProxyHandler, build_opener

import pytest

from app.tools.host import ToolHost
from app.tools.servers import Server, ToolSettings
from app.tools.tool import Tool
from tests.app.hub_library import KeychainInMemory
from tests.app.tools.conftest import WAIT_S, Hosts

SHOWN = "Continue in <Tandem>."
TOOLS = [{"name": name, "inputSchema": {"type": "object"}} for name in ("quick", "slow")]
INFO = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "h", "version": "1"}}


class Service(ThreadingHTTPServer):
    """Tells what it has given and seen. Tokens are valid while they are in `access` and `refresh`."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answers)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.server = Server(name="remote", url=f"{self.url}/mcp").as_approved()
        self.access: set[str] = set()
        self.refresh: set[str] = set()
        # What a client has registered, the challenges of codes, and the tokens that were given.
        self.clients: dict[str, list[str]] = {}
        self.codes: dict[str, dict[str, str]] = {}
        self.given: list[str] = []
        # How it behaves.
        self.expires_in: int | None = 3600
        self.metadata: dict[str, Any] = {}
        self.denies = False
        self.moves_to = ""
        self.fails: dict[str, tuple[int, bytes]] = {}
        self.release = threading.Event()

    def grant(self) -> dict[str, Any]:
        access, refresh = (f"SECRET{uuid.uuid4().hex}" for _ in range(2))
        self.access.add(access)
        self.refresh.add(refresh)
        self.given += [access, refresh]
        return {"access_token": access, "token_type": "bearer", "refresh_token": refresh} | (
            {"expires_in": self.expires_in} if self.expires_in is not None else {}
        )


@contextmanager
def serving() -> Iterator[Service]:
    service = Service()
    threading.Thread(target=service.serve_forever, args=(0.02,), daemon=True).start()
    yield service
    service.release.set()
    service.shutdown()
    service.server_close()


class ServicePage(NamedTuple):
    status: int
    text: str = ""


def browse(address: str) -> ServicePage:
    """Open a page as a browser does, which the service sends back at once."""
    try:
        with build_opener(ProxyHandler({})).open(address, timeout=WAIT_S) as answer:
            return ServicePage(answer.status, answer.read().decode())
    except HTTPError as error:
        return ServicePage(error.code)


class Person:
    """Opens the pages that it gets, in a thread; `open` may be called on any."""

    def __init__(self, browser: Callable[[str], ServicePage] = browse) -> None:
        self.opened: list[str] = []
        self.pages: list[ServicePage] = []
        self.browser = browser

    def open(self, address: str) -> None:
        self.opened.append(address)
        threading.Thread(target=lambda: self.pages.append(self.browser(address)), daemon=True).start()


class Keychain(KeychainInMemory):
    def remove(self, endpoint: str) -> None:
        self.kept.pop(endpoint, None)


class Home:
    """What one computer keeps, and the app that runs on it."""

    def __init__(self, hosts: Hosts, service: Service, folder: Path) -> None:
        self.keychain, self._hosts, self._file = Keychain(), hosts, folder / "tools.json"
        self.service = service
        self.settings = ToolSettings(self._file, self.keychain)
        self.settings.put(service.server)
        self.start()

    def start(self) -> None:
        """Start the app anew."""
        for host in self._hosts.made:
            host.close()
        self.settings = ToolSettings(self._file, self.keychain)
        self._hosts.made.append(ToolHost(self.settings.servers, lambda: None, self.settings))

    @property
    def host(self) -> ToolHost:
        return self._hosts.host

    def tools(self) -> list[Tool]:
        return self._hosts.tools("remote")

    def sign_in(self, person: Person) -> None:
        """Sign in, which a server asks for that was tried."""
        self.tools()
        self.host.sign_in("remote", person.open, SHOWN).result(WAIT_S)

    @property
    def written(self) -> str:
        return self._file.read_text()


class _Answers(BaseHTTPRequestHandler):
    server: Service

    def do_GET(self) -> None:
        path, query = urlsplit(self.path).path, dict(parse_qsl(urlsplit(self.path).query))
        url, issuer = self.server.url, f"{self.server.url}/service"
        if path == "/.well-known/oauth-protected-resource/mcp":
            self._answer(200, {"resource": f"{url}/mcp", "authorization_servers": [issuer]})
        elif path == "/.well-known/oauth-authorization-server/service":
            names = {"authorization": "login", "token": "issue", "registration": "register"}
            ends = {f"{name}_endpoint": f"{issuer}/{path}" for name, path in names.items()}
            self._answer(200, {"issuer": issuer, **ends, **self.server.metadata})
        elif path == "/service/login":
            assert query["code_challenge_method"] == "S256"
            assert query["redirect_uri"] in self.server.clients[query["client_id"]]
            assert query["resource"] == f"{url}/mcp"
            code = f"SECRET{uuid.uuid4().hex}"
            self.server.codes[code] = query
            outcome = {"error": "access_denied"} if self.server.denies else {"code": code}
            back = {**outcome, "state": query["state"], "iss": issuer}
            self._answer(302, headers={"location": f"{query['redirect_uri']}?{urlencode(back)}"})
        else:
            self._answer(404)

    def do_DELETE(self) -> None:
        self._answer(405)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        if self.path in self.server.fails:
            status, said = self.server.fails[self.path]
            self._answer(status, said)
        elif self.path == "/mcp" and self.server.moves_to:
            self._answer(307, headers={"location": self.server.moves_to})
        elif self.path == "/mcp":
            self._serve(json.loads(body))
        elif self.path == "/service/register":
            client = {**json.loads(body), "client_id": uuid.uuid4().hex}
            self.server.clients[client["client_id"]] = client["redirect_uris"]
            self._answer(201, client)
        elif self.path == "/service/issue":
            fields = dict(parse_qsl(body.decode()))
            assert fields["client_id"] in self.server.clients
            self._issue(fields)
        else:
            self._answer(404)

    def _issue(self, fields: dict[str, str]) -> None:
        if fields["grant_type"] == "refresh_token":
            known = fields["refresh_token"] in self.server.refresh
            self.server.refresh.discard(fields["refresh_token"])
        else:
            asked = self.server.codes.pop(fields["code"])
            digest = hashlib.sha256(fields["code_verifier"].encode()).digest()
            known = base64.urlsafe_b64encode(digest).decode().rstrip("=") == asked["code_challenge"]
            assert fields["redirect_uri"] == asked["redirect_uri"]
        self._answer(200, self.server.grant()) if known else self._answer(400, {"error": "invalid_grant"})

    def _serve(self, message: dict[str, Any]) -> None:
        method, number = message.get("method"), message.get("id")
        if self.headers.get("authorization", "").removeprefix("Bearer ") not in self.server.access:
            self._answer(401, headers={"www-authenticate": 'Bearer error="invalid_token"'})
        elif number is None:
            self._answer(202)
        else:
            if method == "tools/call" and message["params"]["name"] == "slow":
                self.server.release.wait(WAIT_S)
            results = {"initialize": INFO, "tools/list": {"tools": TOOLS}, "tools/call": {"content": []}}
            found = {"result": results[method]} if method in results else {"error": {"code": -32601, "message": "no"}}
            self._answer(200, {"jsonrpc": "2.0", "id": number, **found})

    def _answer(self, status: int, body: Any = b"", headers: dict[str, str] | None = None) -> None:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        fields = {"content-type": "application/json", "content-length": str(len(content)), **(headers or {})}
        for name, value in fields.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Say nothing of each request."""


@pytest.fixture
def service() -> Iterator[Service]:
    with serving() as service:
        yield service


@pytest.fixture
def home(hosts: Hosts, service: Service, tmp_path: Path) -> Home:
    return Home(hosts, service, tmp_path)
