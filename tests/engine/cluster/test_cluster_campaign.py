"""Long runs over local ranks: every family that can be split, and ranks that are killed or suspended at any moment."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

import psutil
import pytest

from engine import ChatRequest, Engine, Failed, Finished, SamplingSettings, SpeculationSettings
from engine.cluster.cluster import Cluster
from engine.computers.errors import ClusterError
from engine.computers.hosts import Machines, parse_machines
from engine.errors import EngineError
from engine.events import TokensCommitted
from tests.benchmarks.slow_links import SlowLinks
from tests.engine.cluster.families import SPLIT_BY_LAYERS, rank_processes, write_family
from tests.engine.serving_requests import ask, finished
from tests.engine.speculation.family_configs import FAMILIES
from tests.patience import PATIENCE_S
from tests.tiny_models import FLOAT32, write_disturbed_copy, write_model

SPLIT_BY_HEADS = (
    "llama", "qwen2", "qwen3", "qwen3_moe", "qwen3_5", "deepseek_v2", "deepseek_v3", "deepseek_v32", "glm4_moe",
    "glm4_moe_lite", "gpt_oss", "ministral3", "mistral4", "minimax", "exaone_moe", "step3p5",
)  # fmt: skip
SPLIT_BY_MORE = ("llama", "qwen2", "ministral3", "qwen3_next", "bailing_hybrid")
# Seconds within which an answer has to end when a rank is lost.
LONGEST_S = 10.0
FAULTS = ("kill", "kill", "kill", "stop", "stop", "stop", "kill keeper", "link", "link", "memory")
FAULT_COUNT, FAULT_SEED = int(os.environ.get("CLUSTER_FAULTS", "20")), int(os.environ.get("CLUSTER_SEED", "24"))


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine() as engine:
        yield engine


@pytest.fixture(scope="module", params=["tensor", "pipeline"])
def cluster(request: pytest.FixtureRequest) -> Iterator[Cluster]:
    with Cluster(ranks(2), split=request.param) as cluster:
        yield cluster


def ranks(count: int) -> Machines:
    return parse_machines(",".join(["127.0.0.1"] * count))


def compare(engine: Engine, cluster: Cluster) -> None:
    """Check that all methods, greedy and seeded, equal plain decoding of one process."""
    for temperature in (0.0, 0.8):
        expected = finished(ask(engine, temperature=temperature, method="off", max_tokens=24))
        for method in ("off", "draft", "ngram", "auto"):
            found = finished(ask(cluster.engine, temperature=temperature, method=method, max_tokens=24))
            assert found.ids == expected.ids, (temperature, method)


@pytest.mark.campaign
# transformers warns of the tiny configurations of some families.
@pytest.mark.expects_log
@pytest.mark.parametrize(
    ("cluster", "family", "times"),
    # Divided by layers, each rank has every kind of cache in its two layers.
    [("tensor", family, 1) for family in SPLIT_BY_HEADS] + [("pipeline", family, 2) for family in SPLIT_BY_LAYERS],
    indirect=["cluster"],
)
def test_a_family_writes_what_one_process_writes(
    engine: Engine, cluster: Cluster, family: str, times: int, tmp_path: Path
) -> None:
    main = write_family(family, tmp_path / "main", times)
    draft = write_disturbed_copy(main, tmp_path / "draft", amount=0.02)
    engine.load(main, draft).result(timeout=PATIENCE_S)
    pair = cluster.engine.load(main, draft).result(timeout=PATIENCE_S)
    assert pair.draft_problem is None
    compare(engine, cluster)


@pytest.mark.campaign
@pytest.mark.expects_log
@pytest.mark.parametrize("count", [3, 4])
def test_more_ranks_write_the_same(engine: Engine, count: int, tmp_path: Path) -> None:
    config = {**FAMILIES["llama"], "model_type": "llama", "num_attention_heads": 12, "num_key_value_heads": 12}
    config |= {"head_dim": 8, "hidden_size": 96, "intermediate_size": 48, "max_position_embeddings": 512}
    with Cluster(ranks(count)) as cluster:
        for family in SPLIT_BY_MORE:
            folder = tmp_path / family
            main = (
                write_model(folder, config=config, stored=FLOAT32)
                if family == "llama"
                else write_family(family, folder, count)
            )
            engine.load(main).result(timeout=PATIENCE_S)
            cluster.engine.load(main).result(timeout=PATIENCE_S)
            for temperature in (0.0, 0.8):
                expected = finished(ask(engine, temperature=temperature, method="off", max_tokens=24))
                found = finished(ask(cluster.engine, temperature=temperature, method="ngram", max_tokens=24))
                assert found.ids == expected.ids, (family, temperature)


class Losses:
    """Ranks that are lost at random moments, and the time until everything has ended."""

    def __init__(self, main: Path, draft: Path, seed: int) -> None:
        self.main, self.draft, self.draw = main, draft, random.Random(seed)
        # (fault, moment, seconds from the fault to the last event, whether the fault ended the cluster)
        self.seen: list[tuple[str, str, float, bool]] = []

    def lose_one(self) -> None:
        """Start two ranks, take one away, and check that everything ends."""
        fault = self.draw.choice(FAULTS)
        moment = self.draw.choice(("loading", "answering", "answering", "answering", "idle"))
        links = SlowLinks(1e-4 if fault == "link" else 0.0)
        processes: list[psutil.Process] = []
        try:
            with links.between(), Cluster(ranks(2)) as cluster:
                processes = processes_of(cluster)
                strike = partial(self.strike, fault, self.draw.randrange(2), cluster, links)
                took = getattr(self, moment)(cluster, strike)
                self.seen.append((fault, moment, took, cluster.error is not None))
        finally:
            links.close()
        assert took < LONGEST_S, self.seen[-1]
        _, alive = psutil.wait_procs(processes, timeout=LONGEST_S)
        assert not alive, self.seen[-1]

    def strike(self, fault: str, victim: int, cluster: Cluster, links: SlowLinks) -> float:
        """Cause the fault, and return the time."""
        rank = rank_processes(cluster)[victim]
        if fault == "kill":
            rank.kill()
        elif fault == "stop":
            rank.suspend()
        elif fault == "kill keeper":
            rank.parent().kill()
        elif fault == "link":
            links.close()
        else:
            # No byte more than it has now: a rank's allocations fail from here on.
            rank.rlimit(psutil.RLIMIT_AS, (rank.memory_info().vms, rank.memory_info().vms))
        return time.monotonic()

    def loading(self, cluster: Cluster, strike: Callable[[], float]) -> float:
        loading = cluster.engine.load(self.main, self.draft)
        time.sleep(self.draw.random() * 0.5)
        at = strike()
        # It may have been loaded before.
        with suppress(EngineError):
            loading.result(timeout=PATIENCE_S)
        return time.monotonic() - at

    def answering(self, cluster: Cluster, strike: Callable[[], float]) -> float:
        cluster.engine.load(self.main, self.draft).result(timeout=PATIENCE_S)
        text, at, after = "", 0.0, self.draw.randrange(4)
        for count, event in enumerate(cluster.engine.submit(self.request(400))):
            if count == after:
                time.sleep(self.draw.random() * 0.05)
                at = strike()
            if isinstance(event, TokensCommitted):
                text += event.text
        assert isinstance(event, Failed | Finished)
        if isinstance(event, Failed):
            assert isinstance(event.error, ClusterError), event.error
        assert event.text == text
        return time.monotonic() - at if at else 0.0

    def idle(self, cluster: Cluster, strike: Callable[[], float]) -> float:
        cluster.engine.load(self.main, self.draft).result(timeout=PATIENCE_S)
        finished(list(cluster.engine.submit(self.request(8))))
        at = strike()
        *_, event = cluster.engine.submit(self.request(400))
        assert isinstance(event, Failed | Finished)
        return time.monotonic() - at

    def request(self, tokens: int) -> ChatRequest:
        return ChatRequest(
            messages=[{"role": "user", "content": "the quick brown fox"}],
            sampling=SamplingSettings(temperature=1.5, seed=self.draw.randrange(1000)),
            speculation=SpeculationSettings(method=self.draw.choice(["off", "draft", "auto"])),
            max_tokens=tokens,
        )


def processes_of(cluster: Cluster) -> list[psutil.Process]:
    """Return the ranks and their keepers."""
    found = rank_processes(cluster)
    return [*found, *(process.parent() for process in found)]


@pytest.mark.campaign
@pytest.mark.expects_log
def test_whatever_is_lost_everything_ends_in_time_with_its_text_and_nothing_stays(
    tiny_main: Path, tiny_draft: Path, record_testsuite_property: Callable[[str, object], None]
) -> None:
    losses = Losses(tiny_main, tiny_draft, FAULT_SEED)
    try:
        for _ in range(FAULT_COUNT):
            losses.lose_one()
    finally:
        record_testsuite_property("losses", losses.seen)
    with Cluster(ranks(2)) as cluster:
        cluster.engine.load(tiny_main).result(timeout=PATIENCE_S)
        assert finished(ask(cluster.engine, max_tokens=4)).ids


@pytest.mark.campaign
def test_ranks_that_are_asked_to_end_are_not_killed(tmp_path: Path) -> None:
    main = write_family("qwen2", tmp_path / "main")
    with Cluster(ranks(2)) as cluster:
        cluster.engine.load(main).result(timeout=PATIENCE_S)
        finished(ask(cluster.engine, method="off", max_tokens=8))
        processes = [process._process for process in cluster._processes]
    assert [process.returncode for process in processes] == [0, 0]
