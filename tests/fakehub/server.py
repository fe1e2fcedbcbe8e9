"""A Hub on loopback, with one thread for each request and faults that the test chooses."""

from __future__ import annotations

import hashlib
import json
import re
import socket
import threading
from collections import defaultdict
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, unquote, urlsplit

if TYPE_CHECKING:
    from collections.abc import Mapping

LARGE = 10 * 1024
_SEND_BYTES = 16 * 1024
# The system's buffer of a connection. A large one would hold much that a slow reader has not read when it ends.
_HELD_BYTES = 16 * 1024
_MODEL_API = re.compile(r"/api/models/([^/]+/[^/]+)(?:/(revision|tree)(?:/(.+))?)?")


@dataclass
class Fault:
    """What goes wrong with a file's bytes, `times` times or, for None, always.

    cut_after: the connection ends after that many bytes of a body. stall_after: it goes silent there. drip: bytes a
    second. wrong_length: added to Content-Length. wrong_bytes: the last byte is flipped. status: this answer instead.
    ignore_range: 200 with everything. to_other_port: redirected to a second server. raw: these bytes are the whole
    answer, with its status line; `drip` applies to them, and `hang` keeps the connection open after them.
    """

    cut_after: int | None = None
    stall_after: int | None = None
    drip: int | None = None
    wrong_length: int = 0
    wrong_bytes: bool = False
    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    ignore_range: bool = False
    to_other_port: bool = False
    raw: bytes | None = None
    hang: bool = False
    times: int | None = None


@dataclass
class Repository:
    files: dict[str, bytes]
    commit: str
    private: bool = False
    gated: bool = False
    tags: tuple[str, ...] = ("mlx", "safetensors")
    downloads: int = 7
    licence: str = "apache-2.0"
    architecture: str = ""

    def entry(self, name: str) -> dict[str, Any]:
        content = self.files[name]
        git = hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
        entry: dict[str, Any] = {"type": "file", "path": name, "size": len(content), "oid": git}
        if is_large(name, content):
            digest = hashlib.sha256(content).hexdigest()
            entry["lfs"] = {"oid": digest, "size": len(content), "pointerSize": 134}
        return entry

    def etag(self, name: str) -> str:
        entry = self.entry(name)
        return str(entry["lfs"]["oid"] if "lfs" in entry else entry["oid"])


def is_large(name: str, content: bytes) -> bool:
    return name.endswith(".safetensors") or len(content) > LARGE


@dataclass(frozen=True)
class Sent:
    """One body that was served: `count` bytes of `name` from `start`, and whether the request had a token."""

    repository: str
    name: str
    start: int
    count: int
    authorised: bool
    port: int


class FakeHub:
    """`with FakeHub() as hub: hub.add(...)`; `hub.endpoint` is its address. Thread-safe enough for tests.

    `bytes_a_second` limits every connection from its next piece on; None is no limit. While `unplugged`, connections
    end in the middle and new ones get no answer.
    """

    def __init__(self, port: int = 0) -> None:
        self.repositories: dict[str, Repository] = {}
        self.faults: dict[tuple[str, str], Fault] = {}
        self.api_faults: dict[str, Fault] = {}
        self.tokens: set[str] = set()
        self.bodies: list[Sent] = []
        self.requests: list[str] = []
        self.token_ports: set[int] = set()
        self.bytes_a_second: int | None = None
        self.unplugged = False
        self.closing = threading.Event()
        self.lock = threading.Lock()
        self._served: dict[int, int] = defaultdict(int)
        self._servers = [_Server(self, port), _Server(self)]
        self._threads = [
            threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True) for server in self._servers
        ]

    def __enter__(self) -> FakeHub:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        for server in self._servers:
            server.shutdown()
            server.server_close()

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self._servers[0].server_port}"

    @property
    def other_endpoint(self) -> str:
        return f"http://127.0.0.1:{self._servers[1].server_port}"

    def add(self, name: str, files: Mapping[str, bytes], **settings: Any) -> Repository:
        commit = hashlib.sha1(repr(sorted(files.items())).encode(), usedforsecurity=False).hexdigest()
        self.repositories[name] = Repository(dict(files), settings.pop("commit", commit), **settings)
        return self.repositories[name]

    def fault(self, repository: str, name: str, **settings: Any) -> Fault:
        """Break the bytes of one file, or with name "*" of all."""
        self.faults[repository, name] = Fault(**settings)
        return self.faults[repository, name]

    def fault_of(self, repository: str, name: str) -> Fault | None:
        faults = (self.faults.get(key) for key in ((repository, name), (repository, "*")))
        return next((fault for fault in faults if fault is not None and self._still(fault)), None)

    def api_fault_of(self, path: str) -> Fault | None:
        faults = (fault for prefix, fault in self.api_faults.items() if path.startswith(prefix))
        return next(filter(self._still, faults), None)

    @property
    def sent(self) -> list[Sent]:
        """The bodies that were sent, the latest included."""
        with self.lock:
            return self.bodies

    def bytes_sent(self, repository: str) -> int:
        return sum(sent.count for sent in list(self.sent) if sent.repository == repository)

    def _still(self, fault: Fault) -> bool:
        if fault.times is None:
            return True
        with self.lock:
            self._served[id(fault)] += 1
            return self._served[id(fault)] <= fault.times


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, hub: FakeHub, port: int = 0) -> None:
        self.hub = hub
        super().__init__(("127.0.0.1", port), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that hang up, as tests make them do."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 0

    def setup(self) -> None:
        super().setup()
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _HELD_BYTES)

    def log_message(self, *_: Any) -> None:
        pass

    @property
    def hub(self) -> FakeHub:
        return self.server.hub  # type: ignore[attr-defined, no-any-return]

    @property
    def port(self) -> int:
        return self.server.server_port  # type: ignore[attr-defined, no-any-return]

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        path = unquote(address.path)
        if self.hub.unplugged:
            self.close_connection = True
            self.connection.close()
            return
        with self.hub.lock:
            self.hub.requests.append(f"{self.command} {self.path}")
            if self._token() is not None:
                self.hub.token_ports.add(self.port)
        fault = self.hub.api_fault_of(path)
        if fault is not None and fault.raw is not None:
            self._send_raw(fault)
        elif fault is not None and fault.status is not None:
            self._answer(fault.status, b"{}", dict(fault.headers))
        elif fault is not None and fault.wrong_bytes:
            self._answer(200, b"<html>not a hub</html>", {"Content-Type": "text/html"})
        elif path.startswith("/api/"):
            self._api(path, parse_qs(address.query))
        elif match := re.fullmatch(r"/([^/]+/[^/]+)/resolve/([^/]+)/(.+)", path):
            self._resolve(*match.groups())
        else:
            self._answer(404, b"nothing here", {})

    def do_HEAD(self) -> None:
        self.do_GET()

    def _api(self, path: str, query: dict[str, list[str]]) -> None:
        if path == "/api/models":
            self._search(query)
        elif path == "/api/whoami-v2":
            self._whoami()
        elif match := _MODEL_API.fullmatch(path):
            repository = self._visible(match[1], listing=True)
            if repository is None:
                return
            if match[3] not in (None, "main", repository.commit):
                self._answer(404, b"{}", {"X-Error-Code": "RevisionNotFound"})
            elif match[2] == "tree":
                self._json([repository.entry(name) for name in sorted(repository.files)])
            else:
                self._json(self._info(match[1], repository))
        else:
            self._answer(404, b"{}", {})

    def _info(self, name: str, repository: Repository) -> dict[str, Any]:
        files = repository.files
        return {
            "id": name,
            "sha": repository.commit,
            "siblings": [{"rfilename": file, "size": len(files[file])} for file in sorted(files)],
            "tags": [*repository.tags, f"license:{repository.licence}"],
            "private": repository.private,
            "gated": "manual" if repository.gated else False,
            "downloads": repository.downloads,
            "usedStorage": sum(map(len, files.values())),
            "safetensors": {"parameters": {"F16": 1000}, "total": 1000},
            **({"gguf": {"total": 1000, "architecture": repository.architecture}} if repository.architecture else {}),
        }

    def _search(self, query: dict[str, list[str]]) -> None:
        wanted = query.get("search", [""])[0].lower()
        tags = set(query.get("filter", []))
        found = [
            self._info(name, repository)
            for name, repository in self.hub.repositories.items()
            if wanted in name.lower() and tags <= set(repository.tags)
        ]
        self._json(found[: int(query.get("limit", ["100"])[0])])

    def _whoami(self) -> None:
        if self._token() in self.hub.tokens:
            self._json({"type": "user", "name": "tester", "auth": {"accessToken": {"role": "read"}}})
        else:
            self._answer(401, b"{}", {"X-Error-Message": "Invalid credentials in Authorization header"})

    def _token(self) -> str | None:
        header = self.headers.get("Authorization")
        return header.removeprefix("Bearer ") if header else None

    def _visible(self, name: str, listing: bool) -> Repository | None:
        """The repository, or None after the refusal that the real Hub would send."""
        repository, token = self.hub.repositories.get(name), self._token()
        allowed = token in self.hub.tokens
        if token is not None and not allowed:
            self._answer(401, b"{}", {"X-Error-Message": "Invalid credentials in Authorization header"})
        elif repository is None or (repository.private and not allowed):
            self._answer(404 if token else 401, b"{}", {"X-Error-Code": "RepoNotFound"})
        elif repository.gated and not allowed and not listing:
            self._answer(403 if token else 401, b"{}", {"X-Error-Code": "GatedRepo"})
        else:
            return repository
        return None

    def _resolve(self, name: str, commit: str, file: str) -> None:
        elsewhere = self.port != urlsplit(self.hub.endpoint).port
        repository = self.hub.repositories.get(name) if elsewhere else self._visible(name, listing=False)
        if repository is None:
            return
        if commit not in (repository.commit, "main") or file not in repository.files:
            missing = "Entry" if commit in (repository.commit, "main") else "Revision"
            self._answer(404, b"{}", {"X-Error-Code": f"{missing}NotFound"})
            return
        content = repository.files[file]
        headers = {"ETag": f'"{repository.etag(file)}"', "X-Repo-Commit": repository.commit}
        fault = self.hub.fault_of(name, file) if self.command == "GET" else None
        if fault is not None and fault.raw is not None:
            self._send_raw(fault)
        elif fault is not None and fault.to_other_port and not elsewhere:
            headers |= {"X-Linked-Etag": headers["ETag"], "X-Linked-Size": str(len(content))}
            self._answer(302, b"", headers | {"Location": self.hub.other_endpoint + self.path})
        elif fault is not None and fault.status is not None:
            self._answer(fault.status, b"", dict(fault.headers))
        else:
            self._body(name, file, content, headers, fault or Fault())

    def _body(self, name: str, file: str, content: bytes, headers: dict[str, str], fault: Fault) -> None:
        start, stop = self._range(len(content)) if not fault.ignore_range else (0, len(content))
        if start and start >= len(content):
            self._answer(416, b"", {"Content-Range": f"bytes */{len(content)}"})
            return
        if fault.wrong_bytes:
            content = content[:-1] + bytes([content[-1] ^ 1])
        body = content[start:stop]
        length = max(0, len(body) + fault.wrong_length)
        body = body[:length] + bytes(max(0, length - len(body)))
        partial = start > 0 or stop < len(content)
        if partial:
            headers["Content-Range"] = f"bytes {start}-{stop - 1}/{len(content)}"
        self._head(206 if partial else 200, headers | {"Content-Length": str(length), "Accept-Ranges": "bytes"})
        if self.command == "GET":
            self._send(name, file, start, body, fault)

    def _send(self, name: str, file: str, start: int, body: bytes, fault: Fault) -> None:
        end = len(body) if fault.cut_after is None else min(len(body), fault.cut_after)
        sent = 0
        try:
            while sent < end and not self.hub.closing.is_set() and not self.hub.unplugged:
                if fault.stall_after is not None and sent >= fault.stall_after:
                    self.hub.closing.wait()
                    break
                speed = fault.drip or self.hub.bytes_a_second
                count = min(max(1, speed // 20) if speed else _SEND_BYTES, _SEND_BYTES, end - sent)
                # A client that has received everything may look at `sent` at once.
                with self.hub.lock if sent + count == len(body) else nullcontext():
                    self.wfile.write(body[sent : sent + count])
                    sent += count
                    if sent == len(body):
                        self._note(name, file, start, sent)
                if speed:
                    self.hub.closing.wait(count / speed)
        except OSError:
            pass
        finally:
            if sent < len(body) or not body:
                with self.hub.lock:
                    self._note(name, file, start, sent)
        if sent < len(body):
            self.close_connection = True
            self.connection.close()

    def _note(self, name: str, file: str, start: int, count: int) -> None:
        """Report a body; the caller holds the lock."""
        self.hub.bodies.append(Sent(name, file, start, count, self._token() is not None, self.port))

    def _send_raw(self, fault: Fault) -> None:
        assert fault.raw is not None
        self.close_connection = True
        step = max(1, fault.drip // 20) if fault.drip else _SEND_BYTES
        with suppress(OSError):
            for start in range(0, len(fault.raw), step):
                self.wfile.write(fault.raw[start : start + step])
                if fault.drip and self.hub.closing.wait(step / fault.drip):
                    return
            if fault.hang:
                self.hub.closing.wait()

    def _range(self, length: int) -> tuple[int, int]:
        if (match := re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))) is None:
            return 0, length
        return int(match[1]), min(int(match[2]) + 1 if match[2] else length, length)

    def _json(self, value: Any) -> None:
        self._answer(200, json.dumps(value).encode(), {"Content-Type": "application/json"})

    def _answer(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self._head(status, headers | {"Content-Length": str(len(body))})
        if self.command == "GET":
            self.wfile.write(body)

    def _head(self, status: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for key, value in headers.items():
            self.send_header(key, value)
        self.end_headers()
