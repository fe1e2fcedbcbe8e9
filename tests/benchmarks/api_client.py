"""A client of the local API in a process of its own, so that its work does not count as the server's.

    python -m tests.benchmarks.api_client ADDRESS

Each line of its input is the body of a streaming chat completion; each line of its output has the seconds until the
first and the last piece of text arrived, the number of tokens, and the text.

It only notes when bytes arrive, and parses them after the last one: a client library would take more time for the head
of a reply than the API takes in all, and on a small machine it would take the engine's cores.
"""

from __future__ import annotations

import json
import socket
import sys
import time
from bisect import bisect_left
from itertools import accumulate
from typing import Any
from urllib.parse import urlsplit

_HEAD = (
    "POST /v1/chat/completions HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: {length}"
    "\r\n\r\n"
)
_LINE, _END = b"\r\n", b"\r\n0\r\n\r\n"
_PREFIX = b"data: {"
_AT_ONCE = 2**16


def ask(connection: socket.socket, host: str, body: bytes) -> dict[str, Any]:
    """Ask once, and read the reply as fast as it arrives. Raises `ConnectionError`."""
    request = _HEAD.format(host=host, length=len(body)).encode() + body
    asked = time.perf_counter()
    connection.sendall(request)
    pieces: list[bytes] = []
    times: list[float] = []
    tail = b""
    while tail != _END:
        pieces.append(connection.recv(_AT_ONCE))
        times.append(time.perf_counter() - asked)
        if not pieces[-1]:
            raise ConnectionError("the server closed the connection")
        tail = (tail + pieces[-1])[-len(_END) :]
    return _figures(_lines(pieces, times))


def _lines(pieces: list[bytes], times: list[float]) -> list[tuple[float, bytes]]:
    """Yield the lines of a chunked reply that arrived as `pieces`, each with the time of its chunk's last byte."""
    whole, ends = b"".join(pieces), list(accumulate(map(len, pieces)))
    at, found = whole.index(2 * _LINE) + len(2 * _LINE), []
    while size := int(whole[at : (begin := whole.index(_LINE, at))], 16):
        begin += len(_LINE)
        at = begin + size + len(_LINE)
        came = times[bisect_left(ends, begin + size)]
        found += [(came, line) for line in whole[begin : begin + size].split(b"\n") if line]
    return found


def _figures(lines: list[tuple[float, bytes]]) -> dict[str, Any]:
    chunks = [(at, json.loads(line.removeprefix(b"data: "))) for at, line in lines if line.startswith(_PREFIX)]
    pieces = [
        (at, choice["delta"]["content"])
        for at, chunk in chunks
        for choice in chunk["choices"]
        if choice["delta"].get("content")
    ]
    return {
        "first_s": pieces[0][0],
        "last_s": pieces[-1][0],
        "tokens": chunks[-1][1]["usage"]["completion_tokens"],
        "text": "".join(piece for _, piece in pieces),
    }


def main(address: str) -> None:
    place = urlsplit(address)
    assert place.hostname is not None
    with socket.create_connection((place.hostname, place.port or 80)) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for body in sys.stdin:
            print(json.dumps(ask(connection, place.netloc, body.strip().encode())), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
