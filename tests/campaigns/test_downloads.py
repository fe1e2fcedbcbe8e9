"""A main model, its head and two GGUF models, downloaded at once through faults, pauses and cancels."""

from __future__ import annotations

import os
import random
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.finding.discovery import installed_models
from engine.hub.downloads import DownloadQueue
from engine.hub.repository_names import head_name
from tests.engine.hub.downloading import NAME, Site, finish
from tests.engine.hub.repositories_with_heads import SOURCE, repository
from tests.engine.model_files.model_folders import model_files
from tests.fakehub.server import FakeHub
from tests.patience import PATIENCE_S, wait_until
from tests.tiny_gguf import write_gguf

pytestmark = pytest.mark.campaign
SIZE = float(os.environ.get("TANDEM_CAMPAIGN", "1"))
HEAD, GGUFS = head_name(SOURCE), ("org/Tiny-GGUF/Tiny-Q8_0", "org/Tiny-GGUF/Tiny-Q4_0")
NAMES = (NAME, HEAD, *GGUFS)
FAULTS = (
    {"cut_after": 9_000, "times": 2}, {"wrong_bytes": True, "times": 1}, {"status": 503, "times": 2}, {"status": 404},
    {"ignore_range": True}, {"to_other_port": True}, {"wrong_length": 9, "times": 1}, {"status": 416, "times": 1},
    {"raw": b"", "times": 2}, {"status": 429, "headers": {"Retry-After": "0"}, "times": 2}, {"status": 403},
)  # fmt: skip


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with FakeHub() as hub:
        site = Site(hub, tmp_path / "cache")
        # The files of a sound model, not of random bytes.
        site.serve(model_files(shards=3))
        hub.add(SOURCE, repository())
        made = {one: write_gguf(tmp_path / f"{one}.gguf", one).read_bytes() for one in ("Q8_0", "Q4_0")}
        hub.add("org/Tiny-GGUF", {f"Tiny-{one}.gguf": content for one, content in made.items()}, tags=("gguf",))
        yield site
        for queue in site.opened:
            queue.close()


def disturb(site: Site, queue: DownloadQueue, source: random.Random) -> set[str]:
    """Break files, pause and cancel for a moment; return the downloads that were cancelled."""
    for repository_name, served in site.hub.repositories.items():
        for name in served.files:
            if source.random() < 0.3:
                site.hub.fault(repository_name, name, **source.choice(FAULTS))
    site.hub.bytes_a_second = source.choice((None, 50_000, 400_000))
    cancelled = set[str]()
    for name in NAMES:
        queue.add(name)
    for _ in range(source.randint(0, 6)):
        time.sleep(source.uniform(0, 0.3))
        name = source.choice(NAMES)
        deed = source.choice(("pause", "resume", "cancel", "add"))
        getattr(queue, deed)(name)
        cancelled = (cancelled | {name}) if deed == "cancel" else (cancelled - {name}) if deed == "add" else cancelled
    return cancelled


def test_what_fails_beside_others_costs_them_nothing(site: Site, tmp_path: Path) -> None:
    source, outcomes, state = random.Random(102), Counter[str](), tmp_path / "downloads.json"
    for _ in range(int(30 * SIZE)):
        queue = site.queue(state_path=state)
        cancelled = disturb(site, queue, source)
        site.hub.bytes_a_second = None
        ready = []
        for name in set(NAMES) - cancelled:
            if queue.status(name) is not None:
                status = finish(queue, name)
                outcomes[f"{status.state} {status.error.reason if status.error else ''}"] += 1
                ready += [name] if status.state == "ready" else []
        found = {model.id for model in installed_models(site.cache) if not model.problem}
        assert set(ready) <= found, (ready, found)
        site.hub.faults.clear()
        if source.random() < 0.5:
            queue.close(PATIENCE_S)
            queue = site.queue(state_path=state)
        for name in NAMES:
            queue.add(name)
            assert finish(queue, name).state == "ready", queue.status(name)
        assert set(NAMES) <= {model.id for model in installed_models(site.cache) if not model.problem}
        name = source.choice(GGUFS)
        queue.cancel(name)
        wait_until(lambda: queue.status(name) is None)  # noqa: B023
        assert set(NAMES) <= {model.id for model in installed_models(site.cache) if not model.problem}
        queue.close(PATIENCE_S)
        state.unlink(missing_ok=True)
        site.cache.rename(tmp_path / f"cache-{source.random()}")
    print(dict(outcomes))
