"""The clients of OpenAI and Anthropic in a page of a real browser, whose origin the person has allowed or not."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import Any

import pytest

from engine import starter_pair
from tests.app.api.serving import Served
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.campaign

CLIENTS = Path(__file__).resolve().parent / "node_client"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
ON_MAC = Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")
PAGE = b'<!doctype html><meta charset="utf-8"><title>A page</title><script type="module" src="/page.js"></script>'
KEY = "secret"


@pytest.fixture
def browser() -> str:
    """The program of a browser."""
    found = next(filter(None, map(shutil.which, BROWSERS)), str(ON_MAC) if ON_MAC.exists() else None)
    if found is None:
        pytest.skip("no browser is installed (`chromium`)")
    return found


@pytest.fixture
def script(tmp_path: Path) -> bytes:
    """The script of the page, with the clients in it."""
    bundler = CLIENTS / "node_modules" / ".bin" / "esbuild"
    if not bundler.exists():
        folder = CLIENTS.relative_to(Path.cwd())
        pytest.skip(f"the clients are not installed: npm ci --ignore-scripts --prefix {folder} (`npm`)")
    bundle = tmp_path / "page.js"
    options = ("--bundle", "--format=esm", "--log-level=error", f"--outfile={bundle}")
    subprocess.run((bundler, "page.mjs", *options), cwd=CLIENTS, check=True, timeout=PATIENCE_S)
    return bundle.read_bytes()


class PageServer(ThreadingHTTPServer):
    """Serves a page on loopback, and takes its result."""

    def __init__(self, script: bytes) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        # Another origin than that of every local API, by its host and by its port.
        self.origin = f"http://localhost:{self.server_address[1]}"
        self.files = {"/": ("text/html", PAGE), "/page.js": ("text/javascript", script)}
        self.results: Queue[dict[str, Any]] = Queue()


class _Handler(BaseHTTPRequestHandler):
    server: PageServer

    def do_GET(self) -> None:
        kind, content = self.server.files.get(self.path, ("text/plain", b""))
        self._reply(kind, content)

    def do_POST(self) -> None:
        self.server.results.put(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        self._reply("text/plain", b"")

    def _reply(self, kind: str, content: bytes) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Write nothing to the standard error."""


@pytest.fixture
def page(script: bytes) -> Iterator[PageServer]:
    server = PageServer(script)
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_page_of_an_allowed_origin_reads_answers_by_both_clients(
    starter: Served, page: PageServer, browser: str, tmp_path: Path, question: dict[str, Any]
) -> None:
    asked = question | {"messages": [{"role": "user", "content": "What is a draft model?"}]}
    text = starter.chat(asked)["choices"][0]["message"]["content"]
    allowed = Served(starter.engine, *map(str, starter_pair()), origins=(page.origin,), key=KEY)
    settings = {"allowed": allowed.address, "other": starter.address, "key": KEY}
    page.files["/settings"] = ("application/json", json.dumps(settings).encode())
    options = ["--headless", "--disable-gpu", "--no-first-run", f"--user-data-dir={tmp_path / 'profile'}"]
    if os.geteuid() == 0:
        # Chromium refuses to start as root with it.
        options.append("--no-sandbox")
    opened = subprocess.Popen((browser, *options, page.origin), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        found = page.results.get(timeout=4 * PATIENCE_S)
    finally:
        opened.terminate()
        opened.wait(PATIENCE_S)
        allowed.close()
    assert "failure" not in found, found
    assert "starter/main" in found["models"]
    assert found["texts"] == dict.fromkeys(found["texts"], text)
    assert found["skipped"] == "min_tokens"
    assert found["refused"] == {"status": 400, "param": "temperature"}
    assert found["withoutKey"]["status"] == 401
    # The browser shows the page nothing of a server that does not allow its origin.
    assert found["otherServer"] == {"status": None, "param": None}
