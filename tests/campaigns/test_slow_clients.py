"""Clients of the API whose bytes come one at a time, stop half-way, or are never read: they cost nobody else anything.

Their pauses are longer than each of the server's limits, which are shortened here.
"""

from __future__ import annotations

import json
import os
import random
import socket
import threading
import time
from collections import Counter
from contextlib import suppress

import psutil
import pytest

from tests.app.api.conftest import Serve
from tests.app.api.serving import Served
from tests.patience import wait_until

pytestmark = pytest.mark.campaign
SIZE = float(os.environ.get("TANDEM_CAMPAIGN", "1"))
# Seconds of each limit, and the longest pause of a client.
LIMIT_S, PAUSE_S = 0.5, 0.8
LIMITS = ("server.HEADERS_S", "server.UNREAD_S", "requests.bodies.BODY_S")
AT_ONCE = 20


def request(stream: bool) -> bytes:
    body = json.dumps({"messages": [{"role": "user", "content": "hello"}], "stream": stream, "max_tokens": 9}).encode()
    head = b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    return head + b"Content-Length: %d\r\n\r\n" % len(body) + body


def send_slowly(connection: socket.socket, content: bytes, draw: random.Random) -> None:
    """Send bytes alone or in pieces, with pauses; a few of them are longer than the limits."""
    while content:
        count = draw.choice((1, 1, 1, 7, 60))
        connection.sendall(content[:count])
        content = content[count:]
        time.sleep(PAUSE_S if draw.random() < 0.01 else draw.uniform(0, 0.01))


def read_slowly(connection: socket.socket, draw: random.Random) -> bytes:
    received = b""
    while piece := connection.recv(draw.choice((1, 5, 500))):
        received += piece
        if received.endswith((b"0\r\n\r\n", b"}")):
            break
        time.sleep(PAUSE_S if draw.random() < 0.01 else 0.0)
    return received


def behave(served: Served, draw: random.Random) -> str:
    """Be one slow client; return what came of it."""
    kind = draw.choice(("slow", "slow", "half", "silent", "never reads", "leaves"))
    content = request(stream=draw.random() < 0.5)
    with served.connect() as connection, suppress(ConnectionError):
        if kind == "half":
            send_slowly(connection, content[: draw.randrange(len(content))], draw)
        elif kind != "silent":
            send_slowly(connection, content, draw)
        if kind == "leaves":
            return "left"
        if kind == "never reads":
            time.sleep(3 * LIMIT_S)
        received = read_slowly(connection, draw)
        return f"{kind}: {received[9:12].decode() or 'closed'}"
    return f"{kind}: closed"


def test_slow_clients_are_answered_or_closed_and_others_do_not_wait(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in LIMITS:
        monkeypatch.setattr(f"app.api.{name}", LIMIT_S)
    served, draw, outcomes = serve(), random.Random(107), Counter[str]()
    before, longest = psutil.Process().num_fds(), 0.0

    def note(own: random.Random) -> None:
        outcomes[behave(served, own)] += 1

    for _ in range(int(10 * SIZE)):
        sources = [random.Random(draw.random()) for _ in range(AT_ONCE)]
        clients = [threading.Thread(target=note, args=(own,)) for own in sources]
        for client in clients:
            client.start()
        while any(client.is_alive() for client in clients):
            begun = time.monotonic()
            assert served.get("/health").status_code == 200
            longest = max(longest, time.monotonic() - begun)
    wait_until(lambda: not served.api.status.under_way)
    wait_until(lambda: psutil.Process().num_fds() <= before + 2)
    print(dict(sorted(outcomes.items())), f"others waited {longest:.2f} s at most")
    assert outcomes.total() == AT_ONCE * int(10 * SIZE)
    assert set(outcomes) <= {
        *(f"{kind}: {end}" for kind in ("slow", "half", "never reads") for end in ("200", "408", "closed")),
        "silent: closed", "leaves: closed", "left",
    }  # fmt: skip
