"""Servers of tools over HTTP: what they do wrong, on loopback."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from app.tools.servers import Server
from tests.app.free_port import free_port
from tests.app.tools.conftest import WAIT_S, Hosts, each

Serve = Callable[[str], Server]
ECHO = {"name": "echo", "inputSchema": {"type": "object"}}
INFO = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "h", "version": "1"}}


class Answers(BaseHTTPRequestHandler):
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
        Answers.seen = dict(self.headers)
        method = message.get("method")
        if "id" not in message:
            self._answer(202)
        elif method == "tools/call" or not self.behaviour.endswith("-in-a-call"):
            self._misbehave(method, message["id"])
        else:
            self._behave(method, message["id"])

    def _behave(self, method: str, number: Any) -> None:
        results = {"initialize": INFO, "tools/list": {"tools": [ECHO]}, "tools/call": {"content": []}}
        if method in results:
            self._send({"id": number, "result": results[method]})
        else:
            self._send({"id": number, "error": {"code": -32601, "message": "Method not found"}})

    def _misbehave(self, method: str, number: Any) -> None:
        if self.behaviour == "moves-a-little" and self.path == "/mcp":
            self._answer(307, location="/mcp/")
            return
        match self.behaviour.removesuffix("-in-a-call"):
            case "401" | "403" | "404" | "500" as status:
                self._answer(int(status), b'{"error": "no"}')
            case "redirect":
                self._answer(302, location="https://localhost:1/elsewhere?token=1")
            case "never":
                self.release.wait(WAIT_S)
            case "not-json":
                self._answer(200, b"<html>")
            case "html":
                self._answer(200, b"<html>", kind="text/html")
            case "huge":
                self._answer(200, b'{"jsonrpc": "2.0", "id": 1, "result": "' + b"x" * 50 * 2**20 + b'"}')
            case "huge-event":
                self._answer(200, b"data: " + b"x" * 50 * 2**20 + b"\n\n", kind="text/event-stream")
            case "compressed":
                self._answer(200, gzip.compress(bytes(50 * 2**20)), encoding="gzip")
            case "ends-early":
                self._answer(200, b"data: {\n\n", kind="text/event-stream")
            case "refuses":
                self._send({"id": number, "error": {"code": -32602, "message": "too long"}}, 400)
            case "hangs-up":
                self.connection.close()
            case _:
                self._behave(method, number)

    def _send(self, message: dict[str, Any], status: int = 200) -> None:
        self._answer(status, json.dumps({"jsonrpc": "2.0", **message}).encode())

    def _answer(
        self, status: int, body: bytes = b"", kind: str = "application/json", location: str = "", encoding: str = ""
    ) -> None:
        self.send_response(status)
        headers = {"content-type": kind, "content-length": str(len(body))}
        for name, value in {**headers, "location": location, "content-encoding": encoding}.items():
            if value:
                self.send_header(name, value)
        self.end_headers()
        try:
            self.wfile.write(body)
        except OSError:
            # The client has read enough.
            self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Say nothing of each request."""


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Serve]:
    """Serve with one behaviour; return the server as a person sets it up."""
    http = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    threading.Thread(target=http.serve_forever, daemon=True).start()

    def begin(behaviour: str) -> Server:
        monkeypatch.setattr(Answers, "behaviour", behaviour)
        url = f"http://127.0.0.1:{http.server_port}/mcp"
        return Server(name="remote", url=url, values={"Authorization": "Bearer secret"}).as_approved()

    Answers.release.clear()
    yield begin
    Answers.release.set()
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
    assert Answers.seen["Authorization"] == "Bearer secret"


def test_a_redirect_within_the_server_is_followed(hosts: Hosts, serve: Serve) -> None:
    assert [tool.name for tool in hosts.start(serve("moves-a-little"))] == ["echo"]


def test_an_address_without_a_server_says_so(hosts: Hosts) -> None:
    assert hosts.start(Server(name="remote", url=f"http://127.0.0.1:{free_port()}/mcp").as_approved()) == []
    assert hosts.error("remote").code == "unreachable"
