"""Servers of tools over HTTP: what they do wrong, on loopback."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from app.tools.host import ToolHost
from app.tools.servers import Server
from tests.app.free_port import free_port

Hosts = Callable[..., ToolHost]
WAIT_S = 60
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
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Server]]:
    """Serve with one behaviour; return the server as a person sets it up."""
    http = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    threading.Thread(target=http.serve_forever, daemon=True).start()

    def begin(behaviour: str) -> Server:
        monkeypatch.setattr(Answers, "behaviour", behaviour)
        url = f"http://127.0.0.1:{http.server_port}/mcp"
        return Server(name="remote", url=url, headers={"Authorization": "Bearer secret"}).as_approved()

    Answers.release.clear()
    yield begin
    Answers.release.set()
    http.shutdown()
    http.server_close()


def each(errors: dict[str, str], always: set[str]) -> list[Any]:
    return [pytest.param(*one, marks=() if one[0] in always else pytest.mark.full) for one in errors.items()]


AT_START = {
    "401": "not-signed-in", "403": "not-signed-in", "404": "http-status", "500": "http-status",
    "redirect": "redirected", "never": "slow-start", "not-json": "not-mcp", "html": "not-mcp", "huge": "too-large",
    "huge-event": "not-mcp", "compressed": "not-mcp", "ends-early": "not-mcp", "hangs-up": "unreachable",
}  # fmt: skip
IN_A_CALL = {
    "401": "not-signed-in", "404": "http-status", "500": "http-status", "redirect": "redirected", "never": "slow-call",
    "not-json": "not-mcp", "huge": "too-large", "compressed": "not-mcp", "refuses": "refused",
    "hangs-up": "unreachable",
}  # fmt: skip


@pytest.mark.parametrize(("behaviour", "code"), each(AT_START, {"401", "redirect", "huge"}))
def test_a_server_that_cannot_be_used_says_why(
    hosts: Hosts, serve: Callable[[str], Server], behaviour: str, code: str
) -> None:
    host = hosts(serve(behaviour), start_s=1.0 if code == "slow-start" else WAIT_S)
    assert host.tools(["remote"]).result(WAIT_S) == []
    error = host.status("remote").error
    assert error is not None
    assert error.code == code
    assert "token=1" not in str(error)


@pytest.mark.parametrize(("behaviour", "code"), each(IN_A_CALL, {"404", "hangs-up"}))
def test_a_call_that_fails_says_why_and_the_next_one_works(
    hosts: Hosts, serve: Callable[[str], Server], behaviour: str, code: str
) -> None:
    host = hosts(serve(f"{behaviour}-in-a-call"))
    [tool] = host.tools(["remote"]).result(WAIT_S)
    error = host.call(tool, {}, 1.0 if code == "slow-call" else WAIT_S).exception(WAIT_S)
    assert getattr(error, "code", error) == code
    serve("")
    host.tools(["remote"]).result(WAIT_S)
    assert host.call(tool, {}).result(WAIT_S).text == ""
    assert Answers.seen["Authorization"] == "Bearer secret"


def test_an_address_without_a_server_says_so(hosts: Hosts) -> None:
    host = hosts(Server(name="remote", url=f"http://127.0.0.1:{free_port()}/mcp").as_approved())
    assert host.tools(["remote"]).result(WAIT_S) == []
    error = host.status("remote").error
    assert error is not None
    assert error.code == "unreachable"
