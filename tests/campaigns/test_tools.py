"""Servers of tools that flood, ask back and change: the host stays usable, small and in the person's hands."""

from __future__ import annotations

import itertools
import json
import random
import time
import unicodedata
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

import psutil
import pytest

from app.tools.results import LONGEST_RESULT
from app.tools.servers import ToolSettings
from app.tools.tool import Permission, Tool, ToolFailed, visible, with_distinct_names
from tests.app.tools.conftest import WAIT_S, Hosts, hostile
from tests.app.tools.sign_in_service import Home, Person, Service, ServicePage, browse
from tests.app.tools.sign_in_service import home as home
from tests.app.tools.sign_in_service import service as service

pytestmark = pytest.mark.campaign


# By behaviour in a call, the outcomes that are right: codes of errors, or "" for a result.
IN_A_CALL = {
    "storms": {""},
    "floods-in-a-call": {"too-large"},
    "floods-lines": {""},
    "floods-notifications": {""},
    "floods-stderr": {""},
    "announces-without-end": {""},
    "asks-back": {""},
    "asks-without-end": {"", "slow-call"},
    "asks-oddly": {"", "not-usable"},
    "answers-oddly": {"", "not-usable"},
    "answers-twice": {""},
    "many-blocks": {""},
    "large-structure": {""},
    "deep-structure": {"", "not-usable"},
    "large-picture": {""},
    "large-error": {"refused"},
    "asks-for-more": {"refused"},
    "wants-a-page": {"refused"},
}
SILENCE_S = 20.0
MOST_MEGABYTES = 200


@pytest.mark.parametrize("behaviour", IN_A_CALL)
def test_a_server_out_of_bounds_costs_its_own_call_at_most(hosts: Hosts, behaviour: str) -> None:
    good, bad = hosts.start(hostile(), hostile(behaviour))
    before = psutil.Process().memory_info().rss
    call = hosts.host.call(bad, {"text": "hello"}, silence_s=SILENCE_S)
    longest = 0.0
    while not call.done():
        begun = time.monotonic()
        assert hosts.call(good, text="still here").text == "still here"
        longest = max(longest, time.monotonic() - begun)
    error = call.exception(WAIT_S)
    code = error.code if isinstance(error, ToolFailed) else str(error or "")
    grown = (psutil.Process().memory_info().rss - before) / 2**20
    print(f"{behaviour}: {code or call.result().text[:40]!r}, others waited {longest:.2f} s, {grown:.0f} MB")
    assert code in IN_A_CALL[behaviour]
    assert grown < MOST_MEGABYTES
    if not code:
        assert len(call.result().text) < LONGEST_RESULT + 100
    hosts.tools(bad.server)
    assert hosts.host.status(bad.server).state == "running"


SIGNS = ["", " ", "\u3164", "\u2800", "\u200b", "\ufe0f", "\U000e0101", "\u034f", "\u0301", "\u202e", "\u00ad", "\x00"]
ALIKE = {
    "a": "а\u0251ａ",
    "e": "еé",
    "i": "іıI",
    "l": "I1|",
    "o": "оο0",
    "r": "г",
    "s": "ѕ",
    "t": "ｔ",
    "_": "＿\u2017-",
}


def lookalike(name: str, chosen: random.Random) -> str:
    """Return a name that many would read as another."""
    place = chosen.randrange(len(name))
    sign = chosen.choice(ALIKE.get(name[place].lower(), name[place].swapcase()))
    changed = name[:place] + sign + name[place + 1 :] if chosen.random() < 0.5 else name
    place = chosen.randrange(len(name) + 1)
    return unicodedata.normalize(
        chosen.choice(["NFC", "NFD"]), changed[:place] + chosen.choice(SIGNS) + changed[place:]
    )


def test_a_tool_that_looks_like_an_allowed_one_always_asks(home: Home) -> None:
    chosen = random.Random(93)
    allowed = Tool("files", "list_items", "files_list_items", "List items", "Lists.", {"type": "object"}, True, "a")
    settings: ToolSettings = home.settings
    settings.permit(allowed, Permission.ALWAYS)
    found = {allowed.fingerprint: allowed}
    for _ in range(3000):
        field = chosen.choice(["server", "name", "title", "description", "origin"])
        other = replace(allowed, **dict[str, Any]({field: lookalike(getattr(allowed, field), chosen)}))
        found[other.fingerprint] = other
        assert (settings.permission(other) is Permission.ASK) == (other != allowed)
    others = list(found.values())
    shown = {visible(json.dumps([one.server, one.name, one.title, one.description, one.origin])) for one in others}
    assert len(shown) == len(others)
    called = with_distinct_names(others)
    assert len({one.called for one in called}) == len(others)
    print(f"{len(others) - 1} look-alikes")


FIELDS = (
    "issuer", "authorization_endpoint", "token_endpoint", "registration_endpoint", "scopes_supported",
    "response_types_supported", "code_challenge_methods_supported", "grant_types_supported",
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    None, 5, [], {}, "", "SECRET", ["SECRET"], "javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "//x/y",
    "http://example.org/SECRET", "http://127.0.0.1@example.org/", "http://127.0.0.1:1/x", "ssh://127.0.0.1/x",
    "https://127.0.0.1:1/x", "http://[::1", "http://localhost.example.org/", "x" * 10**5, "http://127.0.0.1:99999/",
    "\u202e",
)  # fmt: skip
BODIES = (
    b"", b"SECRET", b"[]", b"null", b"5", b"{}", b'{"access_token": 5}', b'{"access_token": "SECRET"}', b"\xff\xfe",
    b'{"access_token": "SE\\r\\nCRET", "token_type": "bearer"}', b'{"client_id": ["SECRET"]}', b"[" * 10**5,
    b'{"access_token": "SECRET", "token_type": "mac"}', b'{"a": "' + b"x" * 9 * 2**20 + b'"}',
)  # fmt: skip


def only_here(address: str) -> ServicePage:
    """Open a page as a browser does, if Tandem may open it."""
    found = urlsplit(address)
    assert found.scheme == "https" or (found.scheme, found.hostname) == ("http", "127.0.0.1")
    with suppress(OSError, ValueError):
        return browse(address)
    return ServicePage(0)


def attempt(home: Home, caplog: pytest.LogCaptureFixture) -> str:
    """Sign in, and return the code of the failure; "" if it succeeds."""
    person = Person(only_here)
    home.tools()
    signing = home.host.sign_in("remote", person.open, "Continue.")
    try:
        signing.result(3)
    except TimeoutError:
        # The browser came back from nowhere; the person gives up.
        home.host.stop("remote")
    with suppress(CancelledError):
        assert signing.exception(WAIT_S) is None
    assert all(urlsplit(address).scheme in ("http", "https") for address in person.opened)
    status = home.host.status("remote")
    assert "SECRET" not in caplog.text + home.written + str(status.error and status.error.arguments)
    return status.error.code if status.error else ""


@pytest.mark.filterwarnings("ignore")
def test_an_odd_service_gets_no_token_and_opens_no_page(
    home: Home, service: Service, caplog: pytest.LogCaptureFixture
) -> None:
    # That of the package is kept by nobody.
    caplog.set_level("INFO", "app")
    outcomes: dict[str, int] = {}
    metadata = [{name: value} for name, value in itertools.product(FIELDS, VALUES)]
    answers = [
        {path: (status, body)}
        for path in ("/service/register", "/service/issue")
        for status in (200, 201, 302, 400, 401, 500)
        for body in BODIES
    ]
    changes: list[dict[str, Any]] = [*metadata, *answers]
    for changed in changes:
        service.metadata, service.fails = (changed, {}) if changed in metadata else ({}, changed)
        code = attempt(home, caplog)
        outcomes[code] = outcomes.get(code, 0) + 1
        home.host.sign_out("remote").result(WAIT_S)
    print(len(metadata) + len(answers), "services:", outcomes)
    service.metadata, service.fails = {}, {}
    home.sign_in(Person())
    assert len(home.tools()) == 2
