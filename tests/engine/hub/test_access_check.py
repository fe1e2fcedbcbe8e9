"""`check_access`: whether a Hub answers as it is configured, and whether it accepts the token."""

from __future__ import annotations

import pytest

from engine.hub.client import HubAccess, check_access
from engine.hub.values import ACCEPTED, REFUSED, UNKNOWN, AccessReport
from tests.engine.hub.downloading import refused
from tests.fakehub.server import FakeHub, Fault


def test_the_report_says_whether_the_hub_accepts_the_token(hub: FakeHub) -> None:
    hub.tokens.add("hf_right")
    right = HubAccess(hub.endpoint, "hf_right")
    assert check_access(HubAccess(hub.endpoint)) == AccessReport()
    assert check_access(right) == AccessReport(token=ACCEPTED, user="tester")
    assert check_access(HubAccess(hub.endpoint, "hf_wrong")).token == REFUSED
    # Most mirrors know no tokens.
    hub.api_faults["/api/whoami-v2"] = Fault(status=404)
    assert check_access(right).token == UNKNOWN


def test_a_proxy_is_used(hub: FakeHub) -> None:
    assert check_access(HubAccess("http://hub.invalid", proxy=hub.endpoint)) == AccessReport()


@pytest.mark.parametrize(("status", "reason"), [(404, "wrong-mirror"), (500, "server-error"), (429, "rate-limited")])
def test_a_hub_that_fails_raises_the_reason(hub: FakeHub, status: int, reason: str) -> None:
    hub.api_faults["/api/models"] = Fault(status=status)
    with refused(reason):
        check_access(HubAccess(hub.endpoint))


def test_offline_nothing_is_tried(hub: FakeHub) -> None:
    with refused("kept-offline"):
        check_access(HubAccess(hub.endpoint, "hf_right", offline=True))
    assert hub.requests == []
