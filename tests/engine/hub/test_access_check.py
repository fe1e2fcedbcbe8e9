"""Trying a Hub as it is set up: what answers, and what it makes of the token."""

from __future__ import annotations

import socket

import pytest

from engine.hub.access_check import check_access
from engine.hub.client import HubAccess
from engine.hub.failures import HubError
from engine.hub.values import ACCEPTED, REFUSED, UNKNOWN, AccessReport
from tests.fakehub.server import FakeHub, Fault


def test_the_report_says_whether_the_hub_accepts_the_token() -> None:
    with FakeHub() as hub:
        hub.tokens.add("hf_right")
        assert check_access(HubAccess(hub.endpoint)) == AccessReport(mirror=True, proxy=False)
        accepted = check_access(HubAccess(hub.endpoint, "hf_right"))
        assert (accepted.token, accepted.user) == (ACCEPTED, "tester")
        assert check_access(HubAccess(hub.endpoint, "hf_wrong")).token == REFUSED


def test_a_mirror_that_knows_no_tokens_is_no_wrong_mirror() -> None:
    with FakeHub() as hub:
        hub.api_faults["/api/whoami-v2"] = Fault(status=404)
        assert check_access(HubAccess(hub.endpoint, "hf_right")).token == UNKNOWN


def test_a_proxy_is_used() -> None:
    with FakeHub() as hub:
        report = check_access(HubAccess("http://hub.invalid", proxy=hub.endpoint))
        assert report == AccessReport(mirror=True, proxy=True)


@pytest.mark.parametrize(("status", "reason"), [(404, "wrong-mirror"), (500, "server-error"), (429, "rate-limited")])
def test_a_hub_that_fails_raises_the_reason(status: int, reason: str) -> None:
    with FakeHub() as hub:
        hub.api_faults["/api/models"] = Fault(status=status)
        with pytest.raises(HubError) as caught:
            check_access(HubAccess(hub.endpoint))
    assert caught.value.reason == reason


def test_nobody_at_the_address_is_offline() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(HubError) as caught:
        check_access(HubAccess(f"http://127.0.0.1:{port}"))
    assert caught.value.reason == "offline"


def test_offline_nothing_is_tried() -> None:
    with FakeHub() as hub:
        with pytest.raises(HubError) as caught:
            check_access(HubAccess(hub.endpoint, "hf_right", offline=True))
        assert hub.requests == []
    assert caught.value.reason == "kept-offline"
