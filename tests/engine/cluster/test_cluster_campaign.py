"""Long runs over local ranks: every family that can be split, and ranks that are killed or suspended at any moment."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from engine import ChatRequest, Engine, Event, Failed, Finished, SamplingSettings, SpeculationSettings
from engine.cluster.cluster import Cluster
from engine.cluster.errors import ClusterError
from engine.cluster.hosts import Machines, parse_machines
from engine.events import TokensCommitted
from tests.engine.asking import ask, finished
from tests.engine.speculation.families import model_type
from tests.engine.speculation.family_configs import FAMILIES
from tests.patience import PATIENCE_S
from tests.tiny_models import write_disturbed_copy, write_model

SPLIT_BY_HEADS = (
    "llama", "qwen2", "qwen3", "qwen3_moe", "qwen3_5", "deepseek_v2", "deepseek_v3", "deepseek_v32", "glm4_moe",
    "gpt_oss", "ministral3", "minimax", "exaone_moe", "step3p5",
)  # fmt: skip
SPLIT_BY_LAYERS = ("qwen2", "qwen3_moe", "glm4_moe", "ministral3")
# Seconds within which an answer has to end when a rank is lost.
LONGEST_S = 10.0
FAULTS = int(os.environ.get("CLUSTER_FAULTS", "20"))


@pytest.fixture(scope="module", autouse=True)
def ranks_without_compilation() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MLX_DISABLE_COMPILE", "1")
        yield


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


def written(family: str, folder: Path) -> Path:
    """A tiny model of a family whose sizes two ranks divide."""
    config: dict[str, Any] = {"model_type": model_type(family), "max_position_embeddings": 512, **FAMILIES[family]}
    # An even number of ids: some families divide the output layer too.
    return write_model(folder, seed=len(family), tokens=320, config=config)


def compare(engine: Engine, cluster: Cluster) -> None:
    """Plain, draft, lookup and all of them, greedy and seeded, equal plain decoding of one process."""
    for temperature in (0.0, 0.8):
        expected = finished(ask(engine, temperature=temperature, method="off", max_tokens=24))
        for method in ("off", "draft", "ngram", "auto"):
            found = finished(ask(cluster.engine, temperature=temperature, method=method, max_tokens=24))
            assert found.ids == expected.ids, (temperature, method)


@pytest.mark.campaign
@pytest.mark.parametrize(
    ("cluster", "family"),
    [("tensor", family) for family in SPLIT_BY_HEADS] + [("pipeline", family) for family in SPLIT_BY_LAYERS],
    indirect=["cluster"],
)
def test_a_family_writes_what_one_process_writes(engine: Engine, cluster: Cluster, family: str, tmp_path: Path) -> None:
    main = written(family, tmp_path / "main")
    draft = write_disturbed_copy(main, tmp_path / "draft", amount=0.02)
    engine.load(main, draft).result(timeout=PATIENCE_S)
    pair = cluster.engine.load(main, draft).result(timeout=PATIENCE_S)
    assert pair.draft_problem is None
    compare(engine, cluster)


@pytest.mark.campaign
@pytest.mark.parametrize("count", [3, 4])
def test_more_ranks_write_the_same(engine: Engine, count: int, tmp_path: Path) -> None:
    config = {**FAMILIES["llama"], "model_type": "llama", "num_attention_heads": 12, "num_key_value_heads": 12}
    config |= {"head_dim": 8, "hidden_size": 96, "intermediate_size": 48, "max_position_embeddings": 512}
    main = write_model(tmp_path / "main", config=config)
    with Cluster(ranks(count)) as cluster:
        engine.load(main).result(timeout=PATIENCE_S)
        cluster.engine.load(main).result(timeout=PATIENCE_S)
        expected = finished(ask(engine, method="off", max_tokens=24))
        assert finished(ask(cluster.engine, method="ngram", max_tokens=24)).ids == expected.ids


def processes_of(cluster: Cluster) -> list[psutil.Process]:
    """The ranks and those that keep them."""
    found = [psutil.Process(rank.pid) for rank in cluster.ranks]
    return [*found, *(process.parent() for process in found)]


def events_until_loss(cluster: Cluster, draw: random.Random, victim: int, fault: signal.Signals) -> Iterator[Event]:
    """The events of an answer in the middle of which a rank gets a signal."""
    request = ChatRequest(
        messages=[{"role": "user", "content": "the quick brown fox"}],
        sampling=SamplingSettings(temperature=1.5, seed=draw.randrange(1000)),
        speculation=SpeculationSettings(method=draw.choice(["off", "draft", "auto"])),
        max_tokens=400,
    )
    after = draw.randrange(4)
    for count, event in enumerate(cluster.engine.submit(request)):
        if count == after:
            time.sleep(draw.random() * 0.05)
            os.kill(cluster.ranks[victim].pid, fault)
        yield event


@pytest.mark.campaign
@pytest.mark.expects_log
def test_whatever_rank_is_lost_the_answer_ends_with_its_text_and_nothing_stays(
    tiny_main: Path, tiny_draft: Path
) -> None:
    draw = random.Random(24)
    for index in range(FAULTS):
        victim, fault = draw.randrange(2), draw.choice([signal.SIGKILL, signal.SIGSTOP])
        with Cluster(ranks(2)) as cluster:
            cluster.engine.load(tiny_main, tiny_draft).result(timeout=PATIENCE_S)
            processes = processes_of(cluster)
            text, last, ended, at = "", None, None, 0.0
            for event in events_until_loss(cluster, draw, victim, fault):
                at = at or time.monotonic()
                if isinstance(event, TokensCommitted):
                    text, at = text + event.text, time.monotonic()
                last, ended = event, time.monotonic()
            assert isinstance(last, Failed | Finished), index
            if isinstance(last, Failed):
                assert isinstance(last.error, ClusterError), last.error
                assert last.text == text
                assert ended is not None
                assert ended - at < LONGEST_S, (index, victim, fault, ended - at)
        _, alive = psutil.wait_procs(processes, timeout=LONGEST_S)
        assert not alive, (index, victim, fault)
