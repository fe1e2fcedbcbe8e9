"""A client of the local API in a process of its own, whose work must not count as the server's.

    python -m app.bench.api_client ADDRESS

Each line of its input is the body of a streaming chat completion; each line of its output says how that went: the
seconds until the first and the last piece of text came, the number of tokens, and the text.
"""

from __future__ import annotations

import http.client
import json
import sys
import time
from typing import Any
from urllib.parse import urlsplit

_HEADERS = {"Content-Type": "application/json"}
_PREFIX = b"data: {"


def ask(connection: http.client.HTTPConnection, body: str) -> dict[str, Any]:
    """Ask once, and read as fast as it comes: lines are looked into only after the last one."""
    asked = time.perf_counter()
    connection.request("POST", "/v1/chat/completions", body, _HEADERS)
    response = connection.getresponse()
    lines = []
    while line := response.readline():
        if line.startswith(_PREFIX):
            lines.append((time.perf_counter() - asked, line))
    chunks = [(at, json.loads(line.removeprefix(b"data: "))) for at, line in lines]
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
    connection = http.client.HTTPConnection(urlsplit(address).netloc)
    for body in sys.stdin:
        print(json.dumps(ask(connection, body.strip())), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
