"""Downloads whose bytes come one at a time, with pauses longer than each limit, or over connections that are half open.

Each ends, with the model or a sentence, and is complete once the network is sound again; others do not wait for it.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from engine.hub.client import HubAccess
from engine.hub.download_job import JobSettings
from engine.hub.downloads import DownloadQueue
from tests.engine.hub.downloading import NAME, QUICK, Site, download, finish, sizeable
from tests.engine.hub.nasty_hub import answer
from tests.fakehub.server import FakeHub, Fault
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.campaign
SIZE = float(os.environ.get("TANDEM_CAMPAIGN", "1"))
# Seconds after which a connection without a byte is dead, and that an answer of the API has in all.
STALL_S, ANSWER_S = 0.2, 0.6


def file_fault(draw: random.Random) -> dict[str, Any]:
    """Return what happens to a file: bytes that come slowly, silence after some of them, or no head that ends."""
    kind = draw.randrange(4)
    times = draw.choice((1, 2, 3, 6))
    if kind == 0:
        return {"drip": draw.choice((1, 5_000)), "times": times}
    if kind == 1:
        return {"stall_after": draw.randrange(20_000), "times": times}
    if kind == 2:
        return {"raw": b"HTTP/1.1 200 OK\r\nX: " + b"x" * 999, "drip": 9, "times": times}
    return {"raw": b"", "hang": True, "times": times}


def api_fault(draw: random.Random) -> Fault:
    """Return an answer of the API that comes slowly, never begins, or never ends."""
    times = draw.choice((1, 2, 6))
    if draw.random() < 0.5:
        return Fault(raw=answer(b"[" + b" " * 999), drip=draw.choice((3, 100)), times=times)
    return Fault(raw=draw.choice((b"", b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n[")), hang=True, times=times)


def test_slow_networks_end_in_a_model_or_a_sentence(tmp_path: Path) -> None:
    draw, outcomes = random.Random(107), Counter[str]()
    with FakeHub() as hub, FakeHub() as sound:
        for number in range(int(30 * SIZE)):
            site, other = (
                Site(server, tmp_path / f"{name}-{number}") for server, name in ((hub, "slow"), (sound, "ok"))
            )
            site.serve(sizeable(size=20_000))
            for name in site.files:
                if draw.random() < 0.3:
                    site.fault(name, **file_fault(draw))
            if draw.random() < 0.4:
                hub.api_faults["/api/models/org/model"] = api_fault(draw)
            access = HubAccess(hub.endpoint, stall_s=STALL_S, answer_s=ANSWER_S)
            settings = JobSettings(policy=QUICK, space_margin=0)
            queue = DownloadQueue(site.cache, access, settings=settings)
            queue.add(NAME)
            assert download(other.queue()).state == "ready"
            status = finish(queue)
            outcomes[f"{status.state} {status.error.reason if status.error else ''}"] += 1
            hub.faults.clear()
            hub.api_faults.clear()
            queue.close(PATIENCE_S)
            assert download(site.queue()).state == "ready"
            site.assert_complete()
            for opened in (*site.opened, *other.opened):
                opened.close(PATIENCE_S)
    print(dict(sorted(outcomes.items())))
