"""A main model, its head and two GGUF models, downloaded at once through faults, pauses and cancels."""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.finding.discovery import installed_models
from engine.hub.downloads import DownloadQueue
from engine.hub.failures import HubError
from engine.hub.repository_names import head_name
from tests.engine.hub.downloading import NAME, Site, finish, run_until_killed
from tests.engine.hub.nasty_hub import answer
from tests.engine.hub.repositories_with_heads import SOURCE, WITH_HEAD, repository, shard_name
from tests.engine.model_files.model_folders import model_files
from tests.fakehub.server import FakeHub, Fault
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


def told(status: Any) -> str:
    """Return how a download ended; each failure has a sentence, and none is the name of an exception."""
    if status.state == "ready":
        return "ready"
    assert isinstance(status.error, HubError)
    assert not isinstance(status.error.arguments.get("status"), str), status.error
    return status.error.reason


SIZES: tuple[Any, ...] = (0, 1, 133, 2**31, 2**53, 2**62, 2**63, 2**70, 10**300, -1, None, "5", True, 1.5, [], {})
PATHS = (
    "../Tiny-Q8_0.gguf", "/tmp/Tiny-Q8_0.gguf", "a/../Tiny-Q8_0.gguf", "a//Tiny-Q8_0.gguf", "./Tiny-Q8_0.gguf",
    "Q8_0/../../../Tiny-Q8_0.gguf", "a\\b-Q8_0.gguf", "C:\\Tiny-Q8_0.gguf", "Tiny-Q8_0.gguf/x-Q8_0.gguf",
    "\0-Q8_0.gguf", "Tiny-Q8_0-00001-of-00002.gguf", "Tiny-Q8_0-00002-of-00002.gguf", "Tiny-Q8_0-00000-of-00000.gguf",
    "~/x-Q8_0.gguf", "Tiny-Q8_0-00003-of-00002.gguf", "Tiny-Q8_0-00001-of-99999.gguf", "TINY-q8_0.GGUF",
    "tiny-q8_0.gguf", ".gguf", "Tiny-Q8_0.gguf.gguf", "refs/Tiny-Q8_0.gguf", "Q8_0/Tiny-Q8_0.gguf",
    "x" * 255 + "-Q8_0.gguf", "a/b/c/d-Q8_0.gguf",
)  # fmt: skip


def lying(entries: list[dict[str, Any]], source: random.Random) -> list[dict[str, Any]]:
    """Return the files of a repository with lies about some of them."""
    for _ in range(source.randint(1, 3)):
        entry = source.choice(entries)
        large = entry["lfs"]
        kind = source.choice(("size", "near", "path", "twice", "sum", "gone", "part"))
        if kind in ("size", "near"):
            near = large["size"] if isinstance(large["size"], int) else 0
            size = source.choice(SIZES) if kind == "size" else near + source.choice((-1, 1, -1000, 1000))
            entry["size"] = large["size"] = size
        elif kind == "path":
            entry["path"] = source.choice(PATHS)
        elif kind == "twice":
            entries.append(json.loads(json.dumps(entry)) | {"path": source.choice((entry["path"], *PATHS))})
        elif kind == "sum":
            large["oid"] = source.choice(
                (source.choice(entries)["lfs"]["oid"], "b" * 64, "../../evil", "B" * 64, "", 5)
            )
        elif kind == "gone" and len(entries) > 1:
            entries.remove(entry)
        else:
            entries.append(entry | {"path": f"Tiny-Q8_0-0000{source.randint(0, 3)}-of-0000{source.randint(0, 3)}.gguf"})
    return entries


def test_no_lie_about_gguf_files_is_called_ready(site: Site, tmp_path: Path) -> None:
    source, outcomes = random.Random(105), Counter[str]()
    served = site.hub.repositories["org/Tiny-GGUF"]
    sums = {hashlib.sha256(content).hexdigest() for content in served.files.values()}
    tree = "/api/models/org/Tiny-GGUF/tree"
    outside = {path for path in tmp_path.rglob("*") if not path.is_relative_to(site.cache)}
    for number in range(int(300 * SIZE)):
        entries = lying([served.entry(name) for name in served.files], source)
        site.hub.api_faults[tree] = Fault(raw=answer(json.dumps(entries).encode()))
        queue = site.queue(state_path=site.cache / "queue.json")
        ends = {name: told(finish(queue, queue.add(name))) for name in (*GGUFS, "org/Tiny-GGUF")}
        outcomes.update(ends.values())
        found = {model.id: model for model in installed_models(site.cache)}
        for name, end in ends.items():
            if end == "ready" and name in GGUFS and found[name].problem == "":
                assert hashlib.sha256(Path(found[name].path).read_bytes()).hexdigest() in sums
        assert {path for path in tmp_path.rglob("*") if not path.is_relative_to(site.cache)} == outside
        site.hub.api_faults.clear()
        for name in GGUFS:
            assert finish(queue, queue.add(name)).state == "ready", (number, queue.status(name), entries)
        queue.close(PATIENCE_S)
        site.cache.rename(tmp_path / "old")
        shutil.rmtree(tmp_path / "old")
    print(dict(outcomes))


@pytest.mark.parametrize("state", ["waiting", "downloading", "paused", "failed", "ready"])
@pytest.mark.parametrize("trouble", [{"status": 403}, {"cut_after": 0}, {"raw": b"HTTP/1.1 200 OK\r\n\r\nx"}, "killed"])
def test_a_head_that_is_denied_costs_its_main_nothing(
    site: Site, tmp_path: Path, state: str, trouble: dict[str, Any] | str
) -> None:
    main, head, kept = NAME, head_name(NAME), tmp_path / "downloads.json"
    site.serve(model_files(shards=3), tags=("mlx", f"base_model:quantized:{SOURCE}"))
    queue = site.queue(state_path=kept)
    if state == "failed":
        site.hub.fault(main, "config.json", status=403)
    if state in ("ready", "failed"):
        queue.add(main)
        finish(queue, main)
    elif state != "waiting":
        site.hub.bytes_a_second = 100_000
        queue.add(main)
        wait_until(lambda: queue.snapshot()[0].bytes_done > 1_000)
        if state == "paused":
            queue.pause(main)
    if trouble == "killed":
        queue.close(PATIENCE_S)
        site.hub.bytes_a_second = 60_000
        assert run_until_killed(site, kept, 0.5, head) or state == "failed"
        queue = site.queue(state_path=kept)
    else:
        assert isinstance(trouble, dict)
        for index in WITH_HEAD:
            site.hub.fault(SOURCE, shard_name(index), **trouble)
        queue.add(head)
    site.hub.bytes_a_second = None
    queue.add(main)
    site.hub.faults.pop((main, "config.json"), None)
    if finish(queue, main).state == "failed":
        queue.resume(main)
    assert finish(queue, main).state == "ready"
    if trouble != "killed":
        assert told(finish(queue, head)) in ("forbidden", "offline", "checksum")
    assert main in {model.id for model in installed_models(site.cache)}
    site.hub.faults.clear()
    queue.add(head)
    assert finish(queue, head).state == "ready"
    assert {main, head} <= {model.id for model in installed_models(site.cache) if not model.problem}
