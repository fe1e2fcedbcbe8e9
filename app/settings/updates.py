"""Reads the release feed, which names the newest version and is signed by the publisher of Tandem. No Qt in here.

The feed is a JSON object with `version`, `page` (an https address) and `news` (language to text). At the same address
with ".sig" is the Ed25519 signature of its bytes, in base64. `resources/updates.json` has the feed's address and the
public key; packaging/feed.py writes the feed and the key.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from app.system.paths import resource

_LARGEST = 64 * 1024
_TIMEOUT_S = 10
_VERSION = re.compile(r"\d{1,6}(\.\d{1,6}){0,3}")


class UpdateCheckFailed(Exception):
    """`reason` is "unreachable", or "invalid" for a feed that is damaged or not signed by the publisher."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True)
class FeedSource:
    """The address of the feed and its public key, 32 bytes in base64. Both are "" in an unpublished build."""

    feed: str
    key: str

    @property
    def known(self) -> bool:
        return bool(self.feed and self.key)


@dataclass(frozen=True)
class Release:
    """The newest release: its version such as "0.2.0", its page, and its news by language."""

    version: str
    page: str
    news: dict[str, str]

    def is_newer_than(self, installed: str) -> bool:
        """Compare with the `installed` version; False if that is not a version, as in a checkout."""
        return bool(_VERSION.fullmatch(installed)) and _numbers(self.version) > _numbers(installed)

    def news_in(self, language: str) -> str:
        return self.news.get(language) or self.news.get("en", "")


def feed_source() -> FeedSource:
    """Return the feed of this build."""
    return FeedSource(**json.loads(resource("updates.json").read_text(encoding="utf-8")))


def newest_release(source: FeedSource, proxy: str = "") -> Release:
    """Ask for the newest release; blocks. Raises `UpdateCheckFailed`. Nothing about the user is sent."""
    import httpx2

    try:
        with httpx2.Client(proxy=proxy or None, timeout=_TIMEOUT_S, follow_redirects=True) as client:
            feed, signature = _fetched(client, source.feed), _fetched(client, f"{source.feed}.sig")
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise UpdateCheckFailed("unreachable") from error
    return read_feed(feed, signature, source.key)


def read_feed(feed: bytes, signature: bytes, key: str) -> Release:
    """Return the release that a feed names, if it is signed with the key. Raises `UpdateCheckFailed`."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        # Verify first: an unsigned feed is never parsed.
        Ed25519PublicKey.from_public_bytes(base64.b64decode(key)).verify(base64.b64decode(signature), feed)
        found = json.loads(feed)
        version, page, news = found["version"], found["page"], found["news"]
        if not _VERSION.fullmatch(version) or urlsplit(page).scheme != "https":
            raise ValueError(version, page)
        return Release(version, page, {str(language): str(text)[:2000] for language, text in news.items()})
    except (InvalidSignature, binascii.Error, ValueError, TypeError, KeyError, AttributeError) as error:
        raise UpdateCheckFailed("invalid") from error


def _fetched(client: Any, address: str) -> bytes:
    content = bytearray()
    with client.stream("GET", address) as response:
        response.raise_for_status()
        for chunk in response.iter_bytes():
            content += chunk
            if len(content) > _LARGEST:
                raise UpdateCheckFailed("invalid")
    return bytes(content)


def _numbers(version: str) -> tuple[int, ...]:
    """Return the numbers padded with zeros to equal length, so that 0.2 equals 0.2.0."""
    numbers = [int(part) for part in version.split(".")]
    return tuple(numbers + [0] * (4 - len(numbers)))
