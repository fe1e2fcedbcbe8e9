"""Servers of tools that answer by events, over the older transport SSE and over streamable HTTP, in every odd way.

What the format of events allows gives a result; what is cut, silent, too large or wrong ends with a reason.
"""

from __future__ import annotations

import json
import queue
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from itertools import groupby
from typing import Any
from urllib.parse import quote, unquote

import psutil
import pytest

from app.tools.guardian import LONGEST_LINE
from app.tools.host import ToolHost
from app.tools.servers import Server
from tests.app.tools.conftest import WAIT_S, Hosts, wait_until
from tests.campaigns.many_tool_servers import ENDS, ends, serving
from tests.campaigns.slow_tool_server import PHASES, answer_to

pytestmark = pytest.mark.campaign
AT_ONCE = 20
FORMS = ("sse", "http")
# Seconds that a server may be silent when it starts, and in a call.
START_S, SILENCE_S = 6.0, 2.0
# Bytes of an answer that is large: the package bounds those of the older transport to 1 MiB.
LARGE = 900 * 2**10
PAUSE_S = 0.0005
# What is sent of an answer, piece by piece; `...` means that nothing follows, and the connection stays open.
Pieces = Iterator[Any]


def event(message: bytes, end: bytes = b"\n") -> bytes:
    return b"event: message" + end + b"data: " + message + end + end


def in_lines(message: bytes) -> bytes:
    """Return an event whose text has many lines of data."""
    lines = json.dumps(json.loads(message), indent=1).encode().split(b"\n")
    return b"event: message\n" + b"".join(b"data: %s\n" % line for line in lines) + b"\n"


def with_text(message: bytes, size: int) -> bytes:
    """Return a message that is as many bytes longer."""
    return json.dumps(json.loads(message) | {"_meta": {"more": "x" * size}}).encode()


def byte_by_byte(content: bytes) -> Pieces:
    for place in range(len(content)):
        yield content[place : place + 1]
        time.sleep(PAUSE_S)


# What the format allows.
SOUND: dict[str, Callable[[bytes], Pieces]] = {
    "LF": lambda message: iter([event(message)]),
    "CR": lambda message: iter([event(message, b"\r"), b": next\r\r"]),
    "CR LF": lambda message: iter([event(message, b"\r\n")]),
    "byte by byte, LF": lambda message: byte_by_byte(event(message)),
    "byte by byte, CR": lambda message: byte_by_byte(event(message, b"\r") + b": next\r\r"),
    "byte by byte, CR LF": lambda message: byte_by_byte(event(message, b"\r\n")),
    "many lines of data": lambda message: iter([in_lines(message)]),
    "many lines, byte by byte": lambda message: byte_by_byte(in_lines(message)),
    "no space": lambda message: iter([b"data:" + message + b"\n\n"]),
    "comments": lambda message: iter([b": ping\n\n" * 50 + event(message)]),
    "a comment first": lambda message: iter([b": first\n\n" + event(message)]),
    "events without data": lambda message: iter([b"event: message\n\n" + event(message)]),
    "other fields": lambda message: iter([b"odd: x\nodd\nid: 7\nretry: soon\n" + event(message)]),
    "a NUL in its id": lambda message: iter([b"id: \0\n" + event(message)]),
    "large": lambda message: iter([event(with_text(message, LARGE))]),
    "twice": lambda message: iter([event(message) * 2]),
}
# What ends with a reason.
BROKEN: dict[str, Callable[[bytes], Pieces]] = {
    "half, then ends": lambda message: iter([event(message)[:-20]]),
    "half, then silent": lambda message: iter([event(message)[:-20], ...]),
    "no empty line, then ends": lambda message: iter([event(message)[:-1]]),
    "no empty line, then silent": lambda message: iter([event(message)[:-1], ...]),
    "silent": lambda _message: iter([...]),
    "ends": lambda _message: iter([]),
    "half of JSON": lambda message: iter([event(message[:-9]), ...]),
    "no UTF-8": lambda message: iter([event(message[:-9] + b"\xff\xfe"), ...]),
    "too large": lambda message: iter([event(with_text(message, LONGEST_LINE)), ...]),
    "a line without end": lambda _message: iter([b"data: ", *[b"x" * 2**20] * (2 * LONGEST_LINE // 2**20), ...]),
    "another request's": lambda message: iter([event(json.dumps(json.loads(message) | {"id": 10**6}).encode()), ...]),
    "an endless ping": lambda _message: (b": ping\n\n" for _ in iter(lambda: time.sleep(0.01), 0)),
}
# Streams of one answer that end after an id; what is then asked for by `Last-Event-ID` has this status.
RESUMED = {"resumed": 200, "resumed, no session": 404, "resumed, refused": 405}


@dataclass
class Behaviour:
    """What a server does, as its path says: how it answers in the phase `phase`, over the transport `form`."""

    form: str
    kind: str
    phase: str

    @classmethod
    def of(cls, path: str) -> Behaviour:
        return cls(*map(unquote, path.partition("?")[0].split("/")[1:4]))

    def pieces(self, message: dict[str, Any]) -> Pieces:
        answer = answer_to(message)
        if message["method"] != self.phase:
            return iter([event(answer)])
        if self.kind in RESUMED:
            return iter([b"id: 41\nretry: 10\ndata:\n\n"])
        return (SOUND | BROKEN)[self.kind](answer)

    @property
    def is_sound(self) -> bool:
        return self.kind in SOUND or RESUMED.get(self.kind) == 200


class EventHandler(BaseHTTPRequestHandler):
    """Answers as its path says: /FORM/KIND/PHASE/NUMBER, where one of the older transport has streams of answers."""

    released: threading.Event
    streams: dict[str, queue.Queue[Pieces]]
    unanswered: dict[str, dict[str, Any]]

    def do_GET(self) -> None:
        behaviour = Behaviour.of(self.path)
        if behaviour.form == "sse":
            self._stream_answers()
        elif self.headers.get("last-event-id") == "41" and self.path in self.unanswered:
            status = RESUMED[behaviour.kind]
            self._events(iter([event(answer_to(self.unanswered[self.path]))]), status)
        else:
            self.send_error(405)

    def do_DELETE(self) -> None:
        self.send_error(405)

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        behaviour = Behaviour.of(self.path)
        if behaviour.form == "sse" and self.path not in self.streams:
            self.send_error(405)
            return
        if "id" in message and behaviour.form == "http":
            self.unanswered[self.path] = message
            self._events(behaviour.pieces(message))
            return
        self.send_response(202)
        self.send_header("content-length", "0")
        self.end_headers()
        if "id" in message:
            self.streams[self.path].put(behaviour.pieces(message))

    def _stream_answers(self) -> None:
        address = f"{self.path}?session"
        answers = self.streams[address] = queue.Queue[Pieces]()
        self._events(iter([f"event: endpoint\ndata: {address}\n\n".encode()]))
        with suppress(OSError):
            while not self.released.is_set():
                with suppress(queue.Empty):
                    if not self._send(answers.get(timeout=0.05)):
                        return

    def _events(self, parts: Pieces, status: int = 200) -> None:
        with suppress(OSError):
            head = f"HTTP/1.1 {status} X\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"
            self.wfile.write(head.encode())
            self._send(parts)

    def _send(self, parts: Pieces) -> bool:
        """Send pieces; return whether the answer of a sound server ends with them. Raises `OSError`."""
        sent = bytearray()
        for part in parts:
            if self.released.is_set():
                return False
            if part is ...:
                self.released.wait(WAIT_S)
                return False
            self.wfile.write(part)
            sent += part
        return b"\n\n" in sent or b"\r" in sent

    def log_message(self, *_: object) -> None:
        """Say nothing of each request."""


def server_of(address: str, behaviour: Behaviour, number: int) -> Server:
    parts = (behaviour.form, behaviour.kind, behaviour.phase, str(number))
    path = "/".join(quote(part, safe="") for part in parts)
    return Server(name=f"{behaviour.kind}, {behaviour.phase}, {number}", url=f"{address}/{path}").as_approved()


@pytest.mark.parametrize("form", FORMS)
def test_servers_that_answer_by_events_end_in_a_result_or_a_reason(hosts: Hosts, form: str) -> None:
    kinds = [*SOUND, *BROKEN, *(RESUMED if form == "http" else ())]
    behaviours = [Behaviour(form, kind, phase) for kind in kinds for phase in PHASES]
    behaviours.sort(key=lambda behaviour: behaviour.is_sound)
    before, faults, outcomes = psutil.Process().num_fds(), list[str](), Counter[str]()
    groups = [list(group) for _, group in groupby(behaviours, lambda behaviour: behaviour.is_sound)]
    for group in (part[start : start + AT_ONCE] for part in groups for start in range(0, len(part), AT_ONCE)):
        with serving(EventHandler, streams={}, unanswered={}) as address:
            servers = [server_of(address, behaviour, number) for number, behaviour in enumerate(group)]
            # What is sound has as long as it takes.
            is_sound = group[0].is_sound
            host = ToolHost(servers, lambda: None, start_s=WAIT_S if is_sound else START_S)
            hosts.made.append(host)
            for behaviour, (_, end) in zip(group, ends(host, servers, WAIT_S if is_sound else SILENCE_S), strict=True):
                outcomes[f"{behaviour.kind}, {behaviour.phase}: {end}"] += 1
                if (end != "result") if behaviour.is_sound else (end not in {*ENDS, "lost-session"}):
                    faults.append(f"{behaviour}: {end}")
            host.close()
    wait_until(lambda: psutil.Process().num_fds() <= before + 2)
    print("\n".join(f"{name} {count}" for name, count in sorted(outcomes.items())))
    assert not faults
