"""Servers of the older transport SSE, on loopback: they are called, and a lost session is begun again."""

from __future__ import annotations

import json
import queue
import threading
import uuid
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from app.tools.host import ToolHost
from app.tools.servers import Server, ToolSettings, servers_from_json
from tests.app.hub_library import KeychainInMemory
from tests.app.tools.conftest import WAIT_S, Hosts, wait_until

TOOLS = [
    {"name": "read", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}},
    {"name": "add", "inputSchema": {"type": "object"}},
]
INFO = {"protocolVersion": "2024-11-05", "capabilities": {"tools": {}}, "serverInfo": {"name": "h", "version": "1"}}


class Events(BaseHTTPRequestHandler):
    """Sends its answers as events of a stream for each session, which ends with None in its queue."""

    protocol_version = "HTTP/1.1"
    streams: dict[str, queue.Queue[bytes | None]]
    opened: list[queue.Queue[bytes | None]]
    headers_seen: list[str | None]
    refusal: tuple[int, bytes]
    ran: list[str]

    def do_GET(self) -> None:
        session, answers = uuid.uuid4().hex, queue.Queue[bytes | None]()
        self.streams[session] = answers
        self.opened.append(answers)
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        part: bytes | None = b"event: endpoint\ndata: /messages?session_id=%s\n\n" % session.encode()
        while part is not None:
            self.wfile.write(part)
            self.wfile.flush()
            part = answers.get()

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.headers_seen.append(self.headers.get("authorization"))
        stream = self.streams.get(self.path.rpartition("=")[2])
        status, body = (202, b"Accepted") if stream else (405, b"") if self.path == "/sse" else self.refusal
        self.send_response(status)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        if stream and "id" in message:
            stream.put(b"event: message\ndata: %s\n\n" % json.dumps(self._answer(message)).encode())

    def _answer(self, message: dict[str, Any]) -> dict[str, Any]:
        if message["method"] == "tools/call":
            self.ran.append(message["params"]["name"])
        results = {
            "initialize": INFO,
            "tools/list": {"tools": TOOLS},
            "tools/call": {"content": [{"type": "text", "text": "fine"}]},
        }
        return {"jsonrpc": "2.0", "id": message["id"], "result": results[message["method"]]}

    def log_message(self, *_: object) -> None:
        """Say nothing of each request."""


def end_streams() -> None:
    for stream in Events.opened:
        stream.put(None)


@pytest.fixture
def server() -> Iterator[Server]:
    Events.streams, Events.opened, Events.headers_seen, Events.ran = {}, [], [], []
    http = ThreadingHTTPServer(("127.0.0.1", 0), Events)
    threading.Thread(target=http.serve_forever, args=(0.02,), daemon=True).start()
    entry = {"type": "sse", "url": f"http://127.0.0.1:{http.server_port}/sse", "headers": {"Authorization": "secret"}}
    [found] = servers_from_json(json.dumps({"mcpServers": {"remote": entry}}))
    yield found.as_approved()
    end_streams()
    http.shutdown()
    http.server_close()


def test_a_server_over_sse_is_called_with_its_headers(hosts: Hosts, server: Server) -> None:
    read, add = hosts.start(server)
    assert [hosts.call(tool).text for tool in (read, add, read)] == ["fine"] * 3
    assert set(Events.headers_seen) == {"secret"}
    assert hosts.host.status("remote").state == "running"


def test_a_session_over_sse_that_was_lost_is_begun_again_and_no_call_runs_twice(hosts: Hosts, server: Server) -> None:
    Events.refusal = 400, b"No transport found for sessionId"
    read, add = hosts.start(server)
    Events.streams.clear()
    assert hosts.call(read).text == "fine"
    Events.streams.clear()
    assert hosts.failure(add).code == "lost-session"
    assert Events.ran == ["read"]
    assert hosts.call(add).text == "fine"


def test_a_call_over_sse_that_is_refused_with_404_did_not_run_and_is_repeated(hosts: Hosts, server: Server) -> None:
    Events.refusal = 404, b""
    _, add = hosts.start(server)
    Events.streams.clear()
    assert hosts.call(add).text == "fine"
    assert Events.ran == ["add"]


def test_a_key_that_is_refused_in_a_call_over_sse_is_named_at_once(
    hosts: Hosts, server: Server, tmp_path: Path
) -> None:
    settings = ToolSettings(tmp_path / "tools.json", KeychainInMemory())
    settings.put(server)
    hosts.made.append(ToolHost(settings.servers, lambda: None, settings))
    read, _ = hosts.tools("remote")
    Events.streams.clear()
    Events.refusal = 401, b""
    assert hosts.failure(read, 10).code == "key-refused"


def test_a_stream_that_ends_is_opened_again_by_the_next_call(hosts: Hosts, server: Server) -> None:
    _, add = hosts.start(server)
    end_streams()
    wait_until(lambda: hosts.host.status("remote").state == "failed")
    assert hosts.host.status("remote").error.code == "lost-session"
    assert hosts.call(add).text == "fine"


@pytest.mark.full
@pytest.mark.parametrize(
    ("change", "code"),
    [({"id": 10**6}, "slow-start"), ({"result": INFO | {"instructions": "x" * 2**20}}, "not-usable")],
    ids=["another request's answer", "too large"],
)
def test_a_server_over_sse_that_fails_to_start_is_not_said_to_refuse_the_newer_transport(
    hosts: Hosts, server: Server, monkeypatch: pytest.MonkeyPatch, change: dict[str, Any], code: str
) -> None:
    monkeypatch.setattr(
        Events, "_answer", lambda _, message: {"jsonrpc": "2.0", "id": message["id"], "result": INFO} | change
    )
    assert hosts.start(server, start_s=WAIT_S if "result" in change else 3.0) == []
    assert hosts.error("remote").code == code
