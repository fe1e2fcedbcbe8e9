"""Servers of tools that answer byte by byte, stop half-way, stay silent, or leave a connection half open, 20 at once.

Each start and each call ends with a result or a reason, others do not wait for them, and nothing of them is left.
"""

from __future__ import annotations

import json
import os
import random
import sys
import threading
import time
from collections import Counter
from contextlib import suppress
from functools import partial
from http.server import BaseHTTPRequestHandler
from urllib.parse import quote, unquote

import psutil
import pytest

from app.tools.host import ToolHost
from app.tools.servers import Server
from tests.app.tools.conftest import WAIT_S, Hosts, hostile, wait_until
from tests.campaigns import slow_tool_server
from tests.campaigns.many_tool_servers import ENDS, ends, serving
from tests.campaigns.slow_tool_server import KINDS, PHASES, answer_to, is_silent_after, pieces

pytestmark = pytest.mark.campaign
SIZE = float(os.environ.get("TANDEM_CAMPAIGN", "1"))
AT_ONCE = 20
# Seconds that a server may be silent when it starts, and in a call.
START_S, SILENCE_S = 4.0, 1.0


class SlowHandler(BaseHTTPRequestHandler):
    """Answers as its path says: /KIND/PHASE/TYPE/NUMBER."""

    released: threading.Event

    def do_GET(self) -> None:
        self.send_error(405)

    def do_DELETE(self) -> None:
        self.send_error(405)

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if "id" not in message:
            self.send_response(202)
            self.send_header("content-length", "0")
            self.end_headers()
            return
        _, kind, phase, form, _ = map(unquote, self.path.split("/"))
        body = answer_to(message)
        body = b"data: " + body + b"\n\n" if form == "event-stream" else body
        type_ = "application/json" if form == "json" else "text/event-stream"
        head = f"HTTP/1.1 200 OK\r\ncontent-type: {type_}\r\nconnection: close\r\n"
        head += f"content-length: {len(body)}\r\n\r\n" if kind != "drips without end" else "\r\n"
        slow = message["method"] == phase
        # The client may have gone.
        with suppress(OSError):
            self._send(kind if slow else "", head.encode(), body)

    def _send(self, kind: str, head: bytes, body: bytes) -> None:
        if kind == "drips without end":
            self.wfile.write(head)
        for piece in pieces(kind, head + body) if kind else [head + body]:
            self.wfile.write(piece)
            if self.released.is_set():
                return
        if is_silent_after(kind):
            self.released.wait(WAIT_S)

    def log_message(self, *_: object) -> None:
        """Say nothing of each request."""


def slow_server(address: str, draw: random.Random, number: int) -> Server:
    """Return a server over HTTP, or over stdio without an address, with a kind and a phase of its own."""
    kind, phase, form = draw.choice(KINDS), draw.choice(PHASES), draw.choice(("json", "event-stream"))
    name = f"{kind}, {phase}, {form} {number}"
    if address:
        path = "/".join(quote(part, safe="") for part in (kind, phase, form, str(number)))
        return Server(name=name, url=f"{address}/{path}").as_approved()
    return Server(name=name, command=sys.executable, args=(slow_tool_server.__file__, kind, phase)).as_approved()


@pytest.mark.parametrize("transport", ["http", "stdio"])
def test_slow_servers_of_tools_end_in_a_result_or_a_reason(hosts: Hosts, transport: str) -> None:
    draw, outcomes, longest = random.Random(107), Counter[str](), 0.0
    [sound] = hosts.start(hostile())
    before = psutil.Process().num_fds()

    def note(host: ToolHost, servers: list[Server]) -> None:
        outcomes.update(f"{name}: {end}" for name, end in ends(host, servers, SILENCE_S))

    for _ in range(int(3 * SIZE)):
        with serving(SlowHandler) as address:
            servers = [slow_server(address if transport == "http" else "", draw, one) for one in range(AT_ONCE)]
            slow = ToolHost(servers, lambda: None, start_s=START_S)
            asking = threading.Thread(target=partial(note, slow, servers))
            asking.start()
            while asking.is_alive():
                begun = time.monotonic()
                assert hosts.call(sound, text="still here").text == "still here"
                longest = max(longest, time.monotonic() - begun)
                asking.join(0.05)
            begun = time.monotonic()
            slow.close()
            print(f"closed in {time.monotonic() - begun:.2f} s")
    wait_until(lambda: psutil.Process().num_fds() <= before + 2)
    print(
        "\n".join(f"{name} {count}" for name, count in sorted(outcomes.items())),
        f"others waited {longest:.2f} s at most",
    )
    assert outcomes.total() == AT_ONCE * int(3 * SIZE)
    assert {name.rpartition(": ")[2] for name in outcomes} <= ENDS
