"""A server of tools over stdio whose answers come slowly, in part, or never, as its two arguments say."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from typing import Any

# How answers come: a byte at a time, after white space without end, or half of them, then the end or nothing more.
KINDS = ("drips", "drips without end", "half, then ends", "half, then silent", "silent", "closes")
PHASES = ("initialize", "tools/list", "tools/call")
PAUSE_S = 0.001
RESULTS: dict[str, Any] = {
    "initialize": {
        "protocolVersion": "2025-06-18",
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "slow", "version": "1"},
    },
    "tools/list": {"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]},
    "tools/call": {"content": [{"type": "text", "text": "hello"}]},
}


def answer_to(message: dict[str, Any]) -> bytes:
    """Return what a sound server answers to a request."""
    result = RESULTS.get(message["method"])
    outcome = {"result": result} if result is not None else {"error": {"code": -32601, "message": "Method not found"}}
    return json.dumps({"jsonrpc": "2.0", "id": message["id"], **outcome}).encode()


def pieces(kind: str, content: bytes) -> Iterator[bytes]:
    """Yield what is sent of an answer, with pauses; some kinds never end."""
    if kind == "drips without end":
        while True:
            yield b" "
            time.sleep(20 * PAUSE_S)
    if kind == "drips":
        for place in range(len(content)):
            yield content[place : place + 1]
            time.sleep(PAUSE_S)
    elif kind.startswith("half"):
        yield content[: len(content) // 2]


def is_silent_after(kind: str) -> bool:
    """Whether the connection stays open after what was sent, although the answer is not whole."""
    return kind.endswith("silent")


def main(kind: str, phase: str) -> None:
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if "id" not in message:
            continue
        content = answer_to(message) + b"\n"
        slow = message["method"] == phase
        for piece in pieces(kind, content) if slow else [content]:
            sys.stdout.buffer.write(piece)
            sys.stdout.buffer.flush()
        if slow and is_silent_after(kind):
            time.sleep(600)
        if slow and kind != "drips":
            return


if __name__ == "__main__":
    main(*sys.argv[1:])
