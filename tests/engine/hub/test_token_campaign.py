"""The Hub's token goes to the Hub's address only, wherever answers lead."""

from __future__ import annotations

import random
from contextlib import suppress

import httpx2
import pytest

from engine.hub.client import HubAccess, HubClient
from engine.hub.failures import HubError
from engine.hub.listing import list_files

pytestmark = pytest.mark.campaign
TOKEN, COMMIT = "hf_zanzibar", "0" * 40
HUBS = ("https://hub.test", "http://hub.test", "http://hub.test:81", "https://hub.test/mirror", "https://hub.test:444")
# What follows the address of a Hub, or comes before it, or replaces it, in a redirect or in the link of a next page.
ADDRESSES = (
    "https://evil.test/x", "http://hub.test/x", "https://hub.test/x", "https://hub.test:444/x", "//evil.test/x", "x",
    "https://a.hub.test/x", "https://hub.test.evil.test/x", "https://hub.test@evil.test/x",
    "https://evil.test@hub.test/x", "https://u:p@hub.test/x", "http://hub.test:81/x", ".evil.test/x", "@evil.test/x",
    ":444/x", "evil.test", "-evil.test/x", r"https:\\evil.test/x", r"/\evil.test/x", r"\\evil.test/x",
    "///evil.test/x", "https:///evil.test/x", "https:evil.test", "HTTPS://HUB.TEST/x", "https://hub.test./x",
    "https://hub.test%2eevil.test/x", "https://hub。test/x", "https://[::1]/x", "http://127.0.0.1/x",
    "file:///etc/passwd", "ftp://hub.test/x", "data:,x", "javascript:x", "https://", "", "?x", "#x",
    "https://hub.test#@evil.test/x", "https://hub.test?@evil.test/x", "https://evil.test#hub.test",
    "/..//evil.test/x", "/%2f%2fevil.test", "https://hub.test:443/x", "https://hub.test:0/x",
    "https://hub.test:99999/x", "/mirror@evil.test/x", "/mirror.evil.test/x", "https://hub.test/mirror.evil.test/x",
    "https://hub.test/mirror@evil.test/x", "//@evil.test",
)  # fmt: skip


class EveryHost:
    """Plays every host there is: its answers lead to other addresses, at random, and it notes who got the token."""

    def __init__(self, source: random.Random) -> None:
        self.source = source
        self.told, self.asked = set[tuple[str, str, int | None]](), 0

    def handle(self, _: httpx2.HTTPTransport, request: httpx2.Request) -> httpx2.Response:
        self.asked += 1
        if TOKEN in str(request.headers.raw) + str(request.url):
            self.told.add((request.url.scheme, request.url.host, request.url.port))
        address = self.source.choice(ADDRESSES).encode()
        if self.source.random() < 0.5:
            return httpx2.Response(self.source.choice((301, 302, 303, 307, 308)), headers=[(b"Location", address)])
        return httpx2.Response(
            200, headers=[(b"Link", b"<" + address + b'>; rel="next"')], stream=httpx2.ByteStream(b"[]")
        )


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> EveryHost:
    found = EveryHost(random.Random(7))
    monkeypatch.setattr(httpx2.HTTPTransport, "handle_request", lambda *given: found.handle(*given))
    return found


def test_the_token_is_sent_to_the_address_of_the_hub_only(answers: EveryHost) -> None:
    for hub in HUBS:
        answers.told.clear()
        with HubClient(HubAccess(hub, token=TOKEN)) as client:
            for _ in range(1_000):
                with suppress(HubError):
                    list_files(client, "org/name", COMMIT)
        address = httpx2.URL(hub)
        print(hub, answers.asked, answers.told)
        # An address without encryption may lead to the same one with it.
        assert answers.told <= {(address.scheme, "hub.test", address.port), ("https", "hub.test", None)}
        asked = answers.asked
        with HubClient(HubAccess(hub, token=TOKEN, offline=True)) as client, pytest.raises(HubError):
            list_files(client, "org/name", COMMIT)
        assert answers.asked == asked
