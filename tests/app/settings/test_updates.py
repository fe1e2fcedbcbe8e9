"""The release feed: only a signed feed is read, and nothing about the user is sent."""

from __future__ import annotations

import base64
import json
import runpy
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta, tzinfo
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from app.settings.updates import FeedSource, Release, UpdateCheckFailed, feed_source, newest_release, read_feed

RAW = serialization.Encoding.Raw
FEED = {
    "version": "0.3.0",
    "page": "https://example.org/0.3.0",
    "news": {"en": "Heads.", "ko": "헤드."},
    "expires": str(datetime.now(UTC).date() + timedelta(days=9)),
}
DRIPS = b"drips"


class Publisher:
    """Signs feeds with a new key."""

    def __init__(self) -> None:
        self._private = Ed25519PrivateKey.generate()

    @property
    def key(self) -> str:
        return base64.b64encode(self._private.public_key().public_bytes(RAW, serialization.PublicFormat.Raw)).decode()

    @property
    def secret(self) -> str:
        raw = self._private.private_bytes(RAW, serialization.PrivateFormat.Raw, serialization.NoEncryption())
        return base64.b64encode(raw).decode()

    def sign(self, feed: bytes) -> bytes:
        return base64.b64encode(self._private.sign(feed))


@pytest.fixture
def publisher() -> Publisher:
    return Publisher()


class ReleasePage:
    """A release page on loopback."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.requests: list[dict[str, str]] = []
        page = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                page.requests.append({"path": self.path, **dict(self.headers)})
                content = page.files.get(self.path)
                self.send_response(200 if content is not None else 404)
                self.end_headers()
                self.wfile.write(content or b"")
                with suppress(OSError):
                    for _ in range(50 if content == DRIPS else 0):
                        time.sleep(0.02)
                        self.wfile.write(b" ")

            def log_message(self, *_: object) -> None:
                """Quiet."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_port}/feed.json"
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def publish(self, feed: bytes, signature: bytes) -> None:
        self.files = {"/feed.json": feed, "/feed.json.sig": signature}

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def page() -> Iterator[ReleasePage]:
    page = ReleasePage()
    yield page
    page.close()


def test_a_signed_feed_names_the_newest_release(page: ReleasePage, publisher: Publisher) -> None:
    feed = json.dumps(FEED).encode()
    page.publish(feed, publisher.sign(feed))
    release = newest_release(FeedSource(page.address, publisher.key))
    assert release == Release("0.3.0", "https://example.org/0.3.0", {"en": "Heads.", "ko": "헤드."})
    assert release.news_in("ko") == "헤드."
    assert release.news_in("ja") == "Heads."
    assert [request["path"] for request in page.requests] == ["/feed.json", "/feed.json.sig"]
    # No cookie, no account, no name of this computer.
    sent = {name.lower() for request in page.requests for name in request}
    assert sent <= {"path", "host", "accept", "accept-encoding", "connection", "user-agent"}
    assert not feed_source().known


@pytest.mark.parametrize("wrong", ["changed", "of somebody else", "missing", "garbled", "of nothing"])
def test_what_the_publisher_did_not_sign_is_refused(wrong: str, publisher: Publisher) -> None:
    feed = json.dumps(FEED).encode()
    signature = publisher.sign(feed)
    read_feed(feed, signature, publisher.key)
    received = {
        "changed": (feed.replace(b"0.3.0", b"9.9.9"), signature),
        "of somebody else": (feed, Publisher().sign(feed)),
        "missing": (feed, b""),
        "garbled": (feed, b"\xff\x00 no base64"),
        "of nothing": (b"", signature),
    }
    with pytest.raises(UpdateCheckFailed, match="invalid"):
        read_feed(*received[wrong], publisher.key)


@pytest.mark.parametrize(
    "feed",
    [
        {**FEED, "page": "http://example.org"},
        {**FEED, "page": "file:///etc/passwd"},
        {**FEED, "version": "newest"},
        {**FEED, "news": "words"},
        {**FEED, "version": "٠.٣.٠"},
        {**FEED, "page": "https://"},
        {**FEED, "page": "https:///0.3.0"},
        {**FEED, "expires": "soon"},
        {**FEED, "expires": None},
        {name: FEED[name] for name in ("version", "page", "news")},
        {"version": "1.0"},
        ["0.3.0"],
        b"[" * 60_000,
    ],
)
def test_a_signed_feed_that_makes_no_sense_is_refused(feed: object, publisher: Publisher) -> None:
    content = feed if isinstance(feed, bytes) else json.dumps(feed).encode()
    with pytest.raises(UpdateCheckFailed, match="invalid"):
        read_feed(content, publisher.sign(content), publisher.key)


def test_a_page_that_is_not_there_or_too_large(page: ReleasePage, publisher: Publisher) -> None:
    source = FeedSource(page.address, publisher.key)
    with pytest.raises(UpdateCheckFailed, match="unreachable"):
        newest_release(source)
    page.publish(b" " * 70_000, b"")
    with pytest.raises(UpdateCheckFailed, match="invalid"):
        newest_release(source)


class LastMinute(datetime):
    """A clock that stands before midnight."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> datetime:
        return datetime(2026, 11, 30, 23, 59, tzinfo=tz)


def test_a_feed_is_used_until_the_day_on_which_it_expires(
    publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody in the network may show an old one, which the publisher has signed."""
    monkeypatch.setattr("app.settings.updates.datetime", LastMinute)
    last, old = (json.dumps({**FEED, "expires": day}).encode() for day in ("2026-11-30", "2026-11-29"))
    assert read_feed(last, publisher.sign(last), publisher.key).version == "0.3.0"
    with pytest.raises(UpdateCheckFailed, match="expired"):
        read_feed(old, publisher.sign(old), publisher.key)


def test_a_feed_that_drips_is_not_read_to_its_end(
    page: ReleasePage, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.settings.updates._MOST_S", 0.1)
    page.publish(DRIPS, b"")
    with pytest.raises(UpdateCheckFailed, match="unreachable"):
        newest_release(FeedSource(page.address, publisher.key))


@pytest.mark.parametrize(
    "proxy", ["127.0.0.1:9", "ftp://127.0.0.1:9", "http://[::1", "socks5://127.0.0.1:9", "http://127.0.0.1:99999"]
)
def test_a_proxy_that_cannot_be_used_is_an_error_of_the_check(
    page: ReleasePage, publisher: Publisher, proxy: str
) -> None:
    with pytest.raises(UpdateCheckFailed, match="unreachable"):
        newest_release(FeedSource(page.address, publisher.key), proxy)


def test_without_a_proxy_none_of_the_environment_is_used(
    page: ReleasePage, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The setting says: leave it empty for no proxy."""
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    feed = json.dumps(FEED).encode()
    page.publish(feed, publisher.sign(feed))
    assert newest_release(FeedSource(page.address, publisher.key)).version == "0.3.0"


@pytest.mark.parametrize(
    ("newest", "installed", "newer"),
    [
        ("0.2.0", "0.1.0", True),
        ("0.10.0", "0.9.9", True),
        ("0.2", "0.2.0", False),
        ("0.1.0", "0.2.0", False),
        ("0.2.0", "", False),
        ("0.2.0", "0.1.0.dev1", False),
    ],
)
def test_versions_are_compared_by_numbers(newest: str, installed: str, newer: bool) -> None:
    assert Release(newest, "https://example.org", {}).is_newer_than(installed) is newer


def test_what_packaging_signs_this_app_reads(
    publisher: Publisher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    signer = runpy.run_path(str(Path(__file__).resolve().parents[3] / "packaging" / "feed.py"))
    monkeypatch.setenv("TANDEM_FEED_KEY", publisher.secret)
    signer["sign"]("0.1.0", "https://example.org/0.1.0", str(tmp_path))
    feed, signature = (tmp_path / "feed.json").read_bytes(), (tmp_path / "feed.json.sig").read_bytes()
    release = read_feed(feed, signature, publisher.key)
    assert release.version == "0.1.0"
    news = release.news_in("en")
    assert news
    assert signer["news_of"]("0.1.0").startswith(news)
