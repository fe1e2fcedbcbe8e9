"""A Hub may do anything: a download succeeds or fails with a clear error, closes at once, and never leaks its token."""

from __future__ import annotations

import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from engine.hub.client import HubAccess
from engine.hub.download_job import JobSettings
from engine.hub.downloads import DownloadQueue
from engine.hub.failures import HubError
from engine.hub.transfer import RetryPolicy
from tests.engine.hub.downloading import NAME, assert_complete, finish, sizeable
from tests.engine.hub.nasty_hub import Behaviour, behaviours
from tests.fakehub.server import FakeHub
from tests.patience import PATIENCE_S

TOKEN = "hf_never_elsewhere"
SETTINGS = JobSettings(policy=RetryPolicy(first_s=0.01, longest_s=0.02, tries=2), space_margin=0)
ALL = behaviours()
# Every tenth of the quick ones; the campaign tries all.
SHORT = [one for one in ALL if not one.long][::10]


def check(behaviour: Behaviour, cache: Path) -> tuple[str, float]:
    """Download from a Hub with this behaviour; return the outcome and the seconds that closing took."""
    files = sizeable(size=2000)
    with FakeHub() as hub:
        hub.add(NAME, files)
        hub.tokens.add(TOKEN)
        behaviour.arrange(hub)
        access = HubAccess(hub.endpoint, token=TOKEN, stall_s=0.5, answer_s=1.0)
        queue = DownloadQueue(cache, access, settings=SETTINGS)
        queue.add(NAME)
        status = finish(queue)
        begun = time.monotonic()
        queue.close(timeout=PATIENCE_S)
        closing = time.monotonic() - begun
        assert hub.token_ports <= {urlsplit(hub.endpoint).port}
    assert not list(cache.parent.rglob("*evil*"))
    if status.state == "ready":
        assert_complete(cache, files)
        return "ready", closing
    assert status.state == "failed", behaviour.name
    assert status.error is not None
    # An unexpected error is a server-error with the name of an exception.
    assert not isinstance(status.error.arguments.get("status"), str), (behaviour.name, status.error)
    assert not (cache / "models--org--model" / "refs").exists()
    return status.error.reason, closing


@pytest.mark.parametrize("behaviour", SHORT, ids=lambda one: one.name)
def test_each_behaviour_ends_with_success_or_a_clear_error(behaviour: Behaviour, cache: Path) -> None:
    assert check(behaviour, cache)[0] in ("ready", *HubError.REASONS)


@pytest.mark.campaign
def test_all_behaviours_end_and_close_within_a_second(tmp_path: Path) -> None:
    outcomes: dict[str, int] = {}
    longest = 0.0
    for number, behaviour in enumerate(ALL):
        begun = time.monotonic()
        outcome, closing = check(behaviour, tmp_path / str(number) / "cache")
        outcomes[outcome] = outcomes.get(outcome, 0) + 1
        longest = max(longest, closing)
        print(f"{behaviour.name}: {outcome}, {time.monotonic() - begun:.1f} s, closed in {closing:.2f} s")
    print(f"{len(ALL)} behaviours, {outcomes}, longest close {longest:.2f} s")
    assert longest <= 1.0
