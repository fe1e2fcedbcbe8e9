"""Downloading a head: only its bytes are fetched, also after interruptions, and the head drafts."""

from __future__ import annotations

import json
import random
from pathlib import Path

import mlx.core as mx
import pytest

from engine.hub.client import HubAccess, HubClient
from engine.hub.head_plan import HeadPlan, find_head
from engine.hub.remove import plan_removal, remove
from engine.hub.repository_names import head_name, head_of
from engine.hub.verify import verify_model
from engine.model_files.discovery import installed_models
from tests.engine.heads.heads_on_disk import HEADS
from tests.engine.hub.downloading import OpenQueue, finish, refused, run_until_killed, until
from tests.engine.hub.repositories_with_heads import (
    SOURCE,
    WITH_HEAD,
    config_of_main,
    head_bytes,
    repository,
    same_tensors,
    shard_name,
)
from tests.fakehub.server import FakeHub
from tests.patience import PATIENCE_S

NAME = head_name(SOURCE)
WANTED = {shard_name(index) for index in WITH_HEAD}
# Bytes of headers, and of parts that were under way when a process died.
SLACK = 2**17


def fetched(hub: FakeHub) -> set[str]:
    return {sent.name for sent in hub.sent if sent.name.endswith(".safetensors")}


def weight_bytes(hub: FakeHub) -> int:
    return sum(sent.count for sent in hub.sent if sent.name.endswith(".safetensors"))


def assert_head(hub: FakeHub, cache: Path) -> Path:
    """Check that the head is installed under its own name, names its source, and computes correctly."""
    [found] = [model for model in installed_models(cache) if model.id == NAME]
    assert (found.kinds, found.head) == (("head",), "mtp")
    folder = Path(found.path)
    assert same_tensors(mx.load(str(folder / "model.safetensors")))  # type: ignore[arg-type]
    config = json.loads((folder / "config.json").read_text())
    assert config["base_model"] == SOURCE == head_of(NAME)
    assert config["base_revision"] == hub.repositories[SOURCE].commit
    assert config["text_config"] == config_of_main()["text_config"]
    case = HEADS["mtp_qwen3_5"]
    assert case.apart(case.proposals(case.load(folder))) < 5e-5
    return folder


def planned(hub: FakeHub) -> HeadPlan:
    with HubClient(HubAccess(hub.endpoint)) as client:
        return find_head(client, SOURCE)


def test_only_the_bytes_of_the_head_are_fetched(hub: FakeHub, cache: Path, open_queue: OpenQueue) -> None:
    files = repository()
    hub.add(SOURCE, files)
    plan = planned(hub)
    assert {span.name for span in plan.weights.spans} == WANTED
    assert head_bytes() < plan.weights.size < head_bytes() + 4096
    assert weight_bytes(hub) < SLACK
    queue = open_queue()
    status = finish(queue, queue.add(NAME))
    assert (status.state, status.repository, status.error) == ("ready", NAME, None)
    assert fetched(hub) == WANTED
    assert status.bytes_done == status.bytes_total
    assert head_bytes() < weight_bytes(hub) < head_bytes() + SLACK < sum(len(files[name]) for name in WANTED)
    assert_head(hub, cache)


def test_the_head_of_a_model_that_is_here_is_taken_from_it(hub: FakeHub, cache: Path, open_queue: OpenQueue) -> None:
    """Makers' own repositories include the heads."""
    hub.add(SOURCE, repository())
    queue = open_queue()
    assert finish(queue, queue.add(SOURCE)).state == "ready"
    before = weight_bytes(hub)
    assert finish(queue, queue.add(NAME)).state == "ready"
    assert weight_bytes(hub) < before + SLACK
    assert_head(hub, cache)


def test_a_head_is_verified_and_repaired_like_a_model(hub: FakeHub, cache: Path, open_queue: OpenQueue) -> None:
    hub.add(SOURCE, repository())
    queue = open_queue()
    finish(queue, queue.add(NAME))
    folder = assert_head(hub, cache)
    report = verify_model(folder)
    assert report is not None
    assert (sorted(report.checked), report.damaged) == (["config.json", "model.safetensors"], ())

    weights = (folder / "model.safetensors").resolve()
    content = bytearray(weights.read_bytes())
    content[-1] ^= 1
    weights.write_bytes(content)
    report = verify_model(folder)
    assert report is not None
    assert report.damaged == ("model.safetensors",)
    # Tandem repairs a model by downloading its installed revision again.
    queue.add(NAME, revision=folder.name)
    assert finish(queue, NAME).state == "ready"
    assert_head(hub, cache)

    before = weight_bytes(hub)
    queue.add(NAME)
    assert finish(queue, NAME).state == "ready"
    assert weight_bytes(hub) < before + SLACK


def test_a_conversion_without_a_head_gets_that_of_the_model_that_it_was_made_from(
    hub: FakeHub, cache: Path, open_queue: OpenQueue
) -> None:
    hub.add(SOURCE, repository())
    hub.add("mlx/main-4bit", repository(head=False), tags=("mlx", f"base_model:quantized:{SOURCE}"))
    queue = open_queue()
    status = finish(queue, queue.add(head_name("mlx/main-4bit")))
    assert status.state == "ready"
    assert fetched(hub) == WANTED
    [found] = installed_models(cache)
    assert found.id == status.repository == head_name("mlx/main-4bit")
    assert json.loads((Path(found.path) / "config.json").read_text())["base_model"] == SOURCE


@pytest.mark.parametrize(
    ("config", "reason"),
    [
        (config_of_main(), "head-not-shipped"),
        ({"model_type": "llama", "num_hidden_layers": 4}, "no-head"),
    ],
)
def test_a_repository_without_a_head_says_so_before_anything_is_fetched(
    hub: FakeHub, open_queue: OpenQueue, config: dict[str, object], reason: str
) -> None:
    hub.add(SOURCE, repository(head=False, config=config))
    with refused(reason):
        planned(hub)
    queue = open_queue()
    status = finish(queue, queue.add(NAME))
    assert status.error is not None
    assert (status.state, status.error.reason) == ("failed", reason)
    assert not fetched(hub)


def test_a_head_of_another_family_is_not_fetched(hub: FakeHub) -> None:
    hub.add(SOURCE, repository(config={"model_type": "llama", "num_hidden_layers": 4}))
    with refused("head-unknown") as caught:
        planned(hub)
    assert caught.value.arguments["family"] == "llama"


@pytest.mark.parametrize(
    "fault", [{"cut_after": 9_000, "times": 6}, {"ignore_range": True}, {"status": 503, "times": 2}]
)
def test_connections_that_break_cost_nothing_but_time(
    hub: FakeHub, cache: Path, open_queue: OpenQueue, fault: dict[str, int]
) -> None:
    hub.add(SOURCE, repository())
    for name in WANTED:
        hub.fault(SOURCE, name, **fault)
    queue = open_queue()
    assert finish(queue, queue.add(NAME)).state == "ready"
    assert_head(hub, cache)


def test_a_head_is_paused_cancelled_and_removed_like_a_model(hub: FakeHub, cache: Path, open_queue: OpenQueue) -> None:
    hub.add(SOURCE, repository())
    hub.bytes_a_second = 20_000
    queue = open_queue()
    queue.add(NAME)
    until(lambda: queue.snapshot()[0].bytes_done >= 10_000)
    queue.pause(NAME)
    assert finish(queue, NAME).state == "paused"
    queue.cancel(NAME)
    queue.close(PATIENCE_S)
    assert not list(cache.rglob("*.incomplete"))
    queue, before = open_queue(), weight_bytes(hub)
    queue.add(NAME)
    until(lambda: queue.snapshot()[0].bytes_done >= 10_000)
    queue.pause(NAME)
    hub.bytes_a_second = None
    queue.resume(NAME)
    assert finish(queue, NAME).state == "ready"
    assert weight_bytes(hub) < before + head_bytes() + SLACK
    assert_head(hub, cache)
    [found] = installed_models(cache)
    remove(plan_removal(found, cache))
    assert not installed_models(cache)


@pytest.mark.parametrize(
    "kills", [pytest.param(3, marks=pytest.mark.full), pytest.param(20, marks=pytest.mark.campaign)]
)
def test_a_head_whose_download_is_killed_again_and_again_arrives(
    hub: FakeHub, cache: Path, tmp_path: Path, open_queue: OpenQueue, kills: int
) -> None:
    hub.add(SOURCE, repository())
    hub.bytes_a_second = 60_000
    state, source = tmp_path / "downloads.json", random.Random(kills)
    alive = 0
    for _ in range(kills):
        # By then the small files and the headers have been sent.
        wanted = len(hub.sent) + 6
        alive += run_until_killed(
            hub, NAME, cache, state, source.uniform(0.0, 0.6), behind=lambda least=wanted: len(hub.sent) >= least
        )
    hub.bytes_a_second = None
    status = finish(open_queue(state_path=state), NAME)

    assert (status.state, status.repository) == ("ready", NAME)
    assert alive > 0
    assert fetched(hub) == WANTED
    # Each process reads the headers again, and the part that was under way when one died may be sent twice.
    assert weight_bytes(hub) < head_bytes() + (alive + 1) * SLACK
    assert_head(hub, cache)
