"""A site on loopback, and the rule by which tests reach it: the check of addresses with another answer."""

from __future__ import annotations

import ipaddress
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from app.tools.web_addresses import IpAddress, WebAddresses

LOOPBACK = ipaddress.IPv4Address("127.0.0.1")


@dataclass
class SitePage:
    """What a path answers: a status, a body, headers. `waits` is set when the site may answer."""

    body: bytes = b""
    content_type: str = "text/html"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    waits: threading.Event | None = None


class WebSite:
    """Pages by path. `asked` has the headers of each request, `posted` the bodies of those that have one."""

    def __init__(self) -> None:
        self.pages: dict[str, SitePage] = {}
        self.asked: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.posted: list[bytes] = []
        self.port = 0

    def address(self, path: str = "/", host: str = "news.test") -> str:
        return f"http://{host}:{self.port}{path}"


@contextmanager
def served() -> Iterator[WebSite]:
    """Serve a site on a free port of loopback."""
    site = WebSite()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            site.asked.append({name.lower(): value for name, value in self.headers.items()})
            site.paths.append(self.path)
            page = site.pages.get(self.path.partition("?")[0], SitePage(status=404))
            if page.waits is not None:
                page.waits.wait(60)
            self.send_response(page.status)
            self.send_header("content-type", page.content_type)
            self.send_header("content-length", str(len(page.body)))
            for name, value in page.headers.items():
                self.send_header(name, value)
            self.end_headers()
            # Whoever has read enough hangs up.
            with suppress(OSError):
                self.wfile.write(page.body)

        def do_POST(self) -> None:
            site.posted.append(self.rfile.read(int(self.headers["content-length"])))
            self.do_GET()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    site.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield site
    finally:
        for page in site.pages.values():
            if page.waits is not None:
                page.waits.set()
        server.shutdown()
        server.server_close()
        thread.join()


class NameAnswers:
    """A resolver: the addresses of each name, in turn if there are several answers, and the names that were asked."""

    def __init__(self, **answers: list[list[str]]) -> None:
        self._answers = {f"{name}.test": texts for name, texts in answers.items()}
        self.asked: list[str] = []

    async def resolve(self, host: str, _port: int) -> list[IpAddress]:
        self.asked.append(host)
        answers = self._answers[host]
        texts = answers.pop(0) if len(answers) > 1 else answers[0]
        return [ipaddress.ip_address(text) for text in texts]


def on_loopback(names: NameAnswers | None = None) -> WebAddresses:
    """Return the rule of a network whose only public computer is this one, by the name "news.test"."""
    names = names or NameAnswers(news=[["127.0.0.1"]])
    return WebAddresses(allows=lambda address: address == LOOPBACK, resolve=names.resolve)
