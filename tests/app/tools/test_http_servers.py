"""Servers of tools over HTTP: what they do wrong, on loopback."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from app.tools.servers import Server
from tests.app.free_port import free_port
from tests.app.tools.conftest import WAIT_S, Hosts, each

Serve = Callable[[str], Server]
ECHO = {"name": "echo", "inputSchema": {"type": "object"}}
INFO = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "h", "version": "1"}}


FLOOD = b"x" * 50 * 2**20
# By behaviour, the status, the kind of the body, the body, and other headers.
ODD: dict[str, tuple[int, str, bytes, dict[str, str]]] = {
    **{status: (int(status), "application/json", b'{"error": "no"}', {}) for status in ("401", "403", "404", "500")},
    "redirect": (302, "text/html", b"", {"location": "https://localhost:1/elsewhere?token=1"}),
    "not-json": (200, "application/json", b"<html>", {}),
    "html": (200, "text/html", b"<html>", {}),
    "huge": (200, "application/json", b'{"jsonrpc": "2.0", "id": 1, "result": "' + FLOOD + b'"}', {}),
    "huge-event": (200, "text/event-stream", b"data: " + FLOOD + b"\n\n", {}),
    "compressed": (200, "application/json", gzip.compress(FLOOD), {"content-encoding": "gzip"}),
    "ends-early": (200, "text/event-stream", b"data: {\n\n", {}),
    "moves-a-little": (307, "text/html", b"", {"location": "/mcp/"}),
}


class BehavingHandler(BaseHTTPRequestHandler):
    """Answers as `behaviour` says: at once, or from the first call of a tool on if it ends in "-in-a-call"."""

    behaviour = ""
    release = threading.Event()
    seen: dict[str, str]

    def do_GET(self) -> None:
        self._answer(405)

    def do_DELETE(self) -> None:
        self._answer(405)

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        BehavingHandler.seen = dict(self.headers)
        method, behaviour = message.get("method"), self.behaviour.removesuffix("-in-a-call")
        begins = method == "tools/call" or behaviour == self.behaviour
        if "id" not in message:
            self._answer(202)
        elif begins and behaviour == "never":
            self.release.wait(WAIT_S)
        elif begins and behaviour == "hangs-up":
            self.connection.close()
        elif begins and behaviour in ODD and self.path == "/mcp":
            status, kind, body, headers = ODD[behaviour]
            self._answer(status, kind, body, headers)
        else:
            self._behave(method, message["id"], refuses=begins and behaviour == "refuses")

    def _behave(self, method: str, number: Any, *, refuses: bool) -> None:
        results = {"initialize": INFO, "tools/list": {"tools": [ECHO]}, "tools/call": {"content": []}}
        known = method in results and not refuses
        outcome = {"result": results[method]} if known else {"error": {"code": -32601, "message": "Method not found"}}
        body = json.dumps({"jsonrpc": "2.0", "id": number, **outcome}).encode()
        if self.behaviour.startswith("charset="):
            self._answer(200, f"text/event-stream; {self.behaviour}", b"data: " + body + b"\n\n")
        else:
            self._answer(400 if refuses else 200, body=body)

    def _answer(
        self, status: int, kind: str = "application/json", body: bytes = b"", headers: Mapping[str, str] | None = None
    ) -> None:
        self.send_response(status)
        for name, value in {"content-type": kind, "content-length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        # The client may have read enough.
        with suppress(OSError):
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing of each request."""


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Serve]:
    """Serve with one behaviour; return the server as a person sets it up."""
    http = ThreadingHTTPServer(("127.0.0.1", 0), BehavingHandler)
    threading.Thread(target=http.serve_forever, args=(0.02,), daemon=True).start()

    def begin(behaviour: str) -> Server:
        monkeypatch.setattr(BehavingHandler, "behaviour", behaviour)
        url = f"http://127.0.0.1:{http.server_port}/mcp"
        return Server(name="remote", url=url, values={"Authorization": "Bearer secret"}).as_approved()

    BehavingHandler.release.clear()
    yield begin
    BehavingHandler.release.set()
    http.shutdown()
    http.server_close()


AT_START = {
    "401": "http-status", "403": "http-status", "404": "http-status", "500": "http-status", "redirect": "redirected",
    "never": "slow-start", "not-json": "not-usable", "html": "not-usable", "huge": "too-large",
    "huge-event": "not-usable", "compressed": "not-usable", "ends-early": "not-usable", "hangs-up": "unreachable",
}  # fmt: skip
IN_A_CALL = {
    "401": "http-status", "404": "http-status", "500": "http-status", "redirect": "redirected", "never": "slow-call",
    "not-json": "refused", "huge": "too-large", "compressed": "not-usable", "refuses": "refused",
    "hangs-up": "unreachable",
}  # fmt: skip


@pytest.mark.parametrize("behaviour", each(AT_START, {"401", "redirect", "huge"}))
def test_a_server_that_cannot_be_used_says_why(hosts: Hosts, serve: Serve, behaviour: str) -> None:
    assert hosts.start(serve(behaviour), start_s=1.0 if behaviour == "never" else 60) == []
    error = hosts.error("remote")
    assert error.code == AT_START[behaviour]
    assert "token=1" not in str(error)


@pytest.mark.parametrize("behaviour", each(IN_A_CALL, {"404", "hangs-up"}))
def test_a_call_that_fails_says_why_and_the_next_one_works(hosts: Hosts, serve: Serve, behaviour: str) -> None:
    [tool] = hosts.start(serve(f"{behaviour}-in-a-call"))
    assert hosts.failure(tool, 1.0 if behaviour == "never" else 60).code == IN_A_CALL[behaviour]
    serve("")
    assert hosts.call(tool).text == ""
    assert BehavingHandler.seen["Authorization"] == "Bearer secret"


@pytest.mark.parametrize("charset", ["punycode", "base64", "utf-16"])
def test_events_are_utf_8_whatever_their_header_says(hosts: Hosts, serve: Serve, charset: str) -> None:
    assert [tool.name for tool in hosts.start(serve(f"charset={charset}"))] == ["echo"]


def test_a_redirect_within_the_server_is_followed(hosts: Hosts, serve: Serve) -> None:
    assert [tool.name for tool in hosts.start(serve("moves-a-little"))] == ["echo"]


def test_an_address_without_a_server_says_so(hosts: Hosts) -> None:
    assert hosts.start(Server(name="remote", url=f"http://127.0.0.1:{free_port()}/mcp").as_approved()) == []
    assert hosts.error("remote").code == "unreachable"
