"""A link in a shared cache leads no write elsewhere."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.engine.hub.downloading import Site, download
from tests.fakehub.server import FakeHub

pytestmark = pytest.mark.campaign


def test_a_link_in_a_shared_cache_leads_no_write_elsewhere(hub: FakeHub, tmp_path: Path) -> None:
    site = Site(hub, tmp_path / "first")

    def downloaded() -> str:
        queue = site.queue()
        try:
            return download(queue).state
        finally:
            queue.close()

    assert downloaded() == "ready"
    places = [path.relative_to(site.cache) for path in site.cache.rglob("*") if path.is_symlink() or not path.is_dir()]
    outcomes = Counter[str]()
    for number, place in enumerate(places):
        for kind in ("file", "nothing"):
            victim = tmp_path / f"victim {number}"
            if kind == "file":
                victim.write_bytes(b"precious")
            site.cache = tmp_path / f"{kind} {number}"
            (site.cache / place).parent.mkdir(parents=True)
            (site.cache / place).symlink_to(victim)
            outcomes[downloaded()] += 1
            assert (victim.read_bytes() if kind == "file" else victim.exists()) in (b"precious", False)
            victim.unlink(missing_ok=True)
    print(dict(outcomes))
