"""Sign the feed of a next version with a new key, serve it here, and let this version read it.

The last line names the version that is offered.
"""

from __future__ import annotations

import base64
import os
import sys
import tempfile
import threading
import tomllib
from functools import partial
from http.server import HTTPServer, SimpleHTTPRequestHandler
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from app.settings.updates import FeedSource, Release, newest_release

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import feed

ROOT = Path(__file__).resolve().parents[2]
NEXT = "999.0"


def main() -> None:
    """Raises `UpdateCheckFailed` if the feed cannot be read, and AssertionError if it offers nothing newer."""
    private = Ed25519PrivateKey.generate()
    os.environ["TANDEM_FEED_KEY"] = base64.b64encode(private.private_bytes_raw()).decode()
    with tempfile.TemporaryDirectory() as folder:
        feed.write_signed(NEXT, "https://example.org/", "What is new.", folder)
        release = release_in(folder, base64.b64encode(private.public_key().public_bytes_raw()).decode())
    with (ROOT / "pyproject.toml").open("rb") as project:
        assert release.is_newer_than(tomllib.load(project)["project"]["version"]), release
    print(f"{release.version} is offered")


def release_in(folder: str, key: str) -> Release:
    """Serve the feed in a folder at this machine, and return the release that the app reads there."""
    with HTTPServer(("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            return newest_release(FeedSource(f"http://127.0.0.1:{server.server_port}/feed.json", key))
        finally:
            server.shutdown()


if __name__ == "__main__":
    main()
