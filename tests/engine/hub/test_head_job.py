"""Downloading a head: only its bytes are fetched, also after interruptions, and the head drafts."""

from __future__ import annotations

import json
import random
from pathlib import Path

import mlx.core as mx
import pytest

from engine.finding.discovery import installed_models
from engine.hub.client import HubAccess, HubClient
from engine.hub.head_plan import find_head
from engine.hub.remove import plan_removal, remove
from engine.hub.repository_names import head_name, head_of
from engine.hub.values import Listing
from tests.engine.heads.heads_on_disk import HEADS
from tests.engine.hub.downloading import Site, download, finish, refused, run_until_killed
from tests.engine.hub.repositories_with_heads import (
    SOURCE,
    WITH_HEAD,
    config_of_main,
    head_bytes,
    repository,
    same_tensors,
    shard_name,
)
from tests.patience import PATIENCE_S, wait_until

NAME = head_name(SOURCE)
WANTED = {shard_name(index) for index in WITH_HEAD}
# Bytes of headers, and of parts that were under way when a process died.
SLACK = 2**17


def fetched(site: Site) -> set[str]:
    return {sent.name for sent in site.hub.sent if sent.name.endswith(".safetensors")}


def weight_bytes(site: Site) -> int:
    return sum(sent.count for sent in site.hub.sent if sent.name.endswith(".safetensors"))


def assert_head(site: Site) -> Path:
    """Check that the head is installed under its own name, names its source, and computes correctly."""
    [found] = [model for model in installed_models(site.cache) if model.id == NAME]
    assert (found.kinds, found.head) == (("head",), "mtp")
    folder = Path(found.path)
    assert same_tensors(mx.load(str(folder / "model.safetensors")))  # type: ignore[arg-type]
    config = json.loads((folder / "config.json").read_text())
    assert config["base_model"] == SOURCE == head_of(NAME)
    assert config["base_revision"] == site.hub.repositories[SOURCE].commit
    assert config["text_config"] == config_of_main()["text_config"]
    case = HEADS["mtp_qwen3_5"]
    assert case.apart(case.proposals(case.load(folder))) < 5e-5
    return folder


def planned(site: Site) -> Listing:
    with HubClient(HubAccess(site.hub.endpoint)) as client:
        return find_head(client, SOURCE)


@pytest.fixture
def site(site: Site) -> Site:
    """A Hub with a model that has a head."""
    site.hub.add(SOURCE, repository())
    return site


def test_only_the_bytes_of_the_head_are_fetched(site: Site) -> None:
    _config, weights = planned(site).files
    assert {span.name for span in weights.spans} == WANTED
    assert head_bytes() < weights.size < head_bytes() + 4096
    assert weight_bytes(site) < SLACK
    status = download(site.queue(), NAME)
    assert (status.state, status.repository, status.error) == ("ready", NAME, None)
    assert fetched(site) == WANTED
    assert status.bytes_done == status.bytes_total
    files = site.hub.repositories[SOURCE].files
    assert head_bytes() < weight_bytes(site) < head_bytes() + SLACK < sum(len(files[name]) for name in WANTED)
    assert_head(site)


def test_a_head_is_checked_and_repaired_like_a_model(site: Site) -> None:
    queue = site.queue()
    download(queue, NAME)
    weights = (assert_head(site) / "model.safetensors").resolve()
    before = weight_bytes(site)
    assert download(queue, NAME).state == "ready"
    assert weight_bytes(site) < before + SLACK
    content = bytearray(weights.read_bytes())
    content[-1] ^= 1
    weights.write_bytes(content)
    assert download(queue, NAME).state == "ready"
    assert_head(site)


def test_a_conversion_without_a_head_gets_that_of_the_model_that_it_was_made_from(site: Site) -> None:
    site.hub.add("mlx/main-4bit", repository(head=False), tags=("mlx", f"base_model:quantized:{SOURCE}"))
    status = download(site.queue(), head_name("mlx/main-4bit"))
    assert status.state == "ready"
    assert fetched(site) == WANTED
    [found] = installed_models(site.cache)
    assert found.id == status.repository == head_name("mlx/main-4bit")
    assert json.loads((Path(found.path) / "config.json").read_text())["base_model"] == SOURCE


LLAMA = {"model_type": "llama", "num_hidden_layers": 4}


@pytest.mark.parametrize(
    ("head", "config", "reason"),
    [(False, None, "head-not-shipped"), (False, LLAMA, "no-head"), (True, LLAMA, "head-unknown")],
)
def test_a_repository_without_a_head_says_so_before_anything_is_fetched(
    site: Site, head: bool, config: dict[str, object] | None, reason: str
) -> None:
    site.hub.add(SOURCE, repository(head=head, config=config))
    with refused(reason) as caught:
        planned(site)
    assert caught.value.arguments.get("family", "llama") == "llama"
    status = download(site.queue(), NAME)
    assert status.error is not None
    assert (status.state, status.error.reason) == ("failed", reason)
    # Only headers of a repository whose head is of another family.
    assert weight_bytes(site) < SLACK * head + 1


@pytest.mark.parametrize(
    "fault",
    [
        {"cut_after": 9_000, "times": 6},
        pytest.param({"ignore_range": True}, marks=pytest.mark.full),
        pytest.param({"status": 503, "times": 2}, marks=pytest.mark.full),
    ],
)
def test_connections_that_break_cost_nothing_but_time(site: Site, fault: dict[str, int]) -> None:
    for name in WANTED:
        site.hub.fault(SOURCE, name, **fault)
    assert download(site.queue(), NAME).state == "ready"
    assert_head(site)


def test_a_head_is_paused_cancelled_and_removed_like_a_model(site: Site) -> None:
    site.hub.bytes_a_second = 20_000
    queue = site.queue()
    queue.add(NAME)
    wait_until(lambda: queue.snapshot()[0].bytes_done >= 2_000)
    queue.pause(NAME)
    assert finish(queue, NAME).state == "paused"
    queue.cancel(NAME)
    queue.close(PATIENCE_S)
    assert not list(site.cache.rglob("*.incomplete"))
    queue, before = site.queue(), weight_bytes(site)
    queue.add(NAME)
    wait_until(lambda: queue.snapshot()[0].bytes_done >= 2_000)
    queue.pause(NAME)
    site.hub.bytes_a_second = None
    queue.resume(NAME)
    assert finish(queue, NAME).state == "ready"
    assert weight_bytes(site) < before + head_bytes() + SLACK
    assert_head(site)
    [found] = installed_models(site.cache)
    remove(plan_removal(found, site.cache))
    assert not installed_models(site.cache)


@pytest.mark.parametrize(
    "kills", [pytest.param(3, marks=pytest.mark.full), pytest.param(20, marks=pytest.mark.campaign)]
)
def test_a_head_whose_download_is_killed_again_and_again_arrives(site: Site, tmp_path: Path, kills: int) -> None:
    site.hub.bytes_a_second = 60_000
    state, source = tmp_path / "downloads.json", random.Random(kills)
    alive = 0
    for _ in range(kills):
        # By then the small files and the headers have been sent.
        wanted = len(site.hub.sent) + 6
        sent = lambda least=wanted: len(site.hub.sent) >= least  # noqa: E731
        alive += run_until_killed(site, state, source.uniform(0.0, 0.6), NAME, sent)
    site.hub.bytes_a_second = None
    status = finish(site.queue(state_path=state), NAME)

    assert (status.state, status.repository) == ("ready", NAME)
    assert alive > 0
    assert fetched(site) == WANTED
    # Each process reads the headers again, and the part that was under way when one died may be sent twice.
    assert weight_bytes(site) < head_bytes() + (alive + 1) * SLACK
    assert_head(site)
