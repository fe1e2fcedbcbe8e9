"""Reads the release feed, which names the newest version and is signed by the publisher of Tandem. No Qt in here.

The feed is a JSON object with `version`, `page` (an https address), `news` (language to text) and `expires` (a date):
after that day it says nothing, as someone in the network may show an old feed. At the same address with ".sig" is the
Ed25519 signature of its bytes, in base64. `resources/updates.json` has the feed's address and the public key;
packaging/feed.py writes the feed and the key.
"""

from __future__ import annotations

import asyncio
import base64
import json
import re
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any
from urllib.parse import urlsplit

from app.system.paths import resource

# Bytes of a feed.
_LARGEST = 64 * 1024
# Seconds for a step of the connection.
_TIMEOUT_S = 10
# Seconds for everything: a server may send a byte at a time.
_MOST_S = 30
_VERSION = re.compile(r"\d{1,6}(\.\d{1,6}){0,3}", re.ASCII)


class UpdateCheckFailed(Exception):
    """The newest release is not known.

    `reason` is "unreachable", "expired", or "invalid" for a feed that is damaged or not signed by the publisher.
    """

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
        """Whether this build has a feed."""
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
        """Return the news in a language, or else in English; "" if there are none."""
        return self.news.get(language) or self.news.get("en", "")


def feed_source() -> FeedSource:
    """Return the feed of this build."""
    return FeedSource(**json.loads(resource("updates.json").read_text(encoding="utf-8")))


def newest_release(source: FeedSource, proxy: str = "") -> Release:
    """Ask for the newest release; blocks, so not for the Qt thread. Nothing about the user is sent.

    `source` must be `known`. `proxy` is the proxy's address, "" for none, also where the environment names one. Raises
    `UpdateCheckFailed`.
    """
    import httpx2

    async def fetch() -> tuple[bytes, bytes]:
        client = httpx2.AsyncClient(proxy=proxy or None, timeout=_TIMEOUT_S, follow_redirects=True, trust_env=False)
        async with asyncio.timeout(_MOST_S), client:
            return await _fetched(client, source.feed), await _fetched(client, f"{source.feed}.sig")

    try:
        feed, signature = asyncio.run(fetch())
    except UpdateCheckFailed:
        raise
    # Addresses of proxies, and certificates, that cannot be used raise errors of many kinds.
    except Exception as error:
        raise UpdateCheckFailed("unreachable") from error
    return read_feed(feed, signature, source.key)


def read_feed(feed: bytes, signature: bytes, key: str) -> Release:
    """Return the release that a feed names, if it is signed with the key. Raises `UpdateCheckFailed`."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        # Verify first: an unsigned feed is never parsed.
        Ed25519PublicKey.from_public_bytes(base64.b64decode(key)).verify(base64.b64decode(signature), feed)
        content = json.loads(feed)
        version = content["version"]
        page = content["page"]
        news = content["news"]
        expires = date.fromisoformat(content["expires"])
        address = urlsplit(page)
        if not _VERSION.fullmatch(version) or address.scheme != "https" or not address.hostname:
            raise ValueError(version, page)
        release = Release(version, page, {str(language): str(text)[:2000] for language, text in news.items()})
    except (InvalidSignature, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise UpdateCheckFailed("invalid") from error
    if datetime.now(UTC).date() > expires:
        raise UpdateCheckFailed("expired")
    return release


async def _fetched(client: Any, address: str) -> bytes:
    """Return the content at an address. Raises `UpdateCheckFailed` if it is larger than a feed can be."""
    content = bytearray()
    async with client.stream("GET", address) as response:
        response.raise_for_status()
        async for chunk in response.aiter_bytes():
            content += chunk
            if len(content) > _LARGEST:
                raise UpdateCheckFailed("invalid")
    return bytes(content)


def _numbers(version: str) -> tuple[int, ...]:
    """Return the numbers padded with zeros to equal length, so that 0.2 equals 0.2.0."""
    numbers = [int(part) for part in version.split(".")]
    return tuple(numbers + [0] * (4 - len(numbers)))
