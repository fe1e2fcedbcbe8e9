"""Two ranks of this machine, as two others would be: the texts of one process, and its events and errors."""

from __future__ import annotations

import os
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
from engine.cluster.hosts import parse_machines
from engine.errors import ModelNotUsable
from engine.events import TokensCommitted
from engine.grammars.grammar import Grammar
from engine.status import LoadedPair
from tests.engine.asking import ask, finished
from tests.engine.cluster.families import write_family
from tests.patience import PATIENCE_S
from tests.tiny_heads import write_head
from tests.tiny_models import write_disturbed_copy

TWO = parse_machines("127.0.0.1,127.0.0.1")


@pytest.fixture(scope="module", autouse=True)
def ranks_without_compilation(without_compilation: None) -> Iterator[None]:  # noqa: ARG001
    """Each rank would build fused kernels by a C++ compiler, which changes nothing here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MLX_DISABLE_COMPILE", "1")
        yield


class Both:
    """Two ranks and an engine in this process, with the same models."""

    def __init__(self, cluster: Cluster, engine: Engine) -> None:
        self.cluster, self.engine = cluster, engine
        self._loaded: tuple[Path, Path] | None = None

    def load(self, main: Path, draft: Path) -> LoadedPair | None:
        """None where they have these models already."""
        if self._loaded == (main, draft):
            return None
        self._loaded = None
        loading = self.engine.load(main, draft)
        pair = self.cluster.engine.load(main, draft).result(timeout=PATIENCE_S)
        loading.result(timeout=PATIENCE_S)
        self._loaded = main, draft
        return pair

    def compare(self, **how: Any) -> Finished:
        """The ranks' answer, which has to be that of plain decoding in this process."""
        expected = finished(ask(self.engine, temperature=0.8, method="off", max_tokens=16))
        found = finished(ask(self.cluster.engine, temperature=0.8, max_tokens=16, **how))
        assert found.ids == expected.ids
        return found


@pytest.fixture(scope="module")
def both() -> Iterator[Both]:
    with Cluster(TWO) as cluster, Engine() as engine:
        yield Both(cluster, engine)


@pytest.fixture(scope="module")
def hybrid(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A family with recurrent state, which mlx-lm can only split by layers."""
    folder = tmp_path_factory.mktemp("hybrid")
    main = write_family("qwen3_next", folder / "main", 2)
    return main, write_disturbed_copy(main, folder / "draft", amount=0.02)


@pytest.fixture(scope="module", params=["by heads", "hybrid by layers"])
def pair(request: pytest.FixtureRequest, tiny_main: Path, tiny_draft: Path, hybrid: tuple[Path, Path]) -> Any:
    return hybrid if request.param == "hybrid by layers" else (tiny_main, tiny_draft)


@pytest.fixture
def loaded(both: Both, pair: tuple[Path, Path]) -> Both:
    both.load(*pair)
    return both


@pytest.fixture
def cluster(both: Both, tiny_main: Path, tiny_draft: Path) -> Cluster:
    both.load(tiny_main, tiny_draft)
    return both.cluster


@pytest.fixture
def alone(both: Both, tiny_main: Path, tiny_draft: Path) -> Engine:
    both.load(tiny_main, tiny_draft)
    return both.engine


@pytest.mark.parametrize(("method", "temperature"), [("off", 0.8), ("draft", 0.0), ("draft", 0.8), ("auto", 0.8)])
def test_two_ranks_write_what_one_process_writes(
    cluster: Cluster, alone: Engine, method: str, temperature: float
) -> None:
    expected = finished(ask(alone, temperature=temperature, method="off", max_tokens=20))
    # Without a depth, how fast the machine is decides whether anything is drafted.
    depth = 3 if method == "draft" else None
    found = finished(ask(cluster.engine, temperature=temperature, method=method, depth=depth, max_tokens=20))
    assert found.ids == expected.ids
    assert method != "draft" or found.stats.drafted > 0


def test_several_requests_are_answered_together(loaded: Both) -> None:
    questions = ["the quick brown fox", "jumps over the lazy dog", "hello"]

    def request(question: str) -> ChatRequest:
        return ChatRequest(
            messages=[{"role": "user", "content": question}],
            sampling=SamplingSettings(temperature=0.0),
            speculation=SpeculationSettings(method="draft", depth=3),
            max_tokens=16,
        )

    expected = [finished(list(loaded.engine.submit(request(question)))).ids for question in questions]
    streams = [loaded.cluster.engine.submit(request(question)) for question in questions]
    assert [finished(list(stream)).ids for stream in streams] == expected


def test_an_answer_follows_a_schema(loaded: Both) -> None:
    grammar = Grammar("regex", "(ab|cd){3}")
    request = ChatRequest(
        messages=[{"role": "user", "content": "say it"}], sampling=SamplingSettings(temperature=0.0), grammar=grammar
    )
    assert (
        finished(list(loaded.cluster.engine.submit(request))).ids == finished(list(loaded.engine.submit(request))).ids
    )


def test_the_next_turn_finds_the_caches_of_the_last(loaded: Both) -> None:
    chat = [{"role": "user", "content": "a question that is new"}]
    first = finished(ask(loaded.cluster.engine, messages=chat, max_tokens=8))
    chat += [{"role": "assistant", "content": first.text}, {"role": "user", "content": "and more"}]
    found = finished(ask(loaded.cluster.engine, messages=chat, max_tokens=8))
    assert found.stats.cached_tokens > 0
    assert found.ids == finished(ask(loaded.engine, messages=chat, method="off", max_tokens=8)).ids


def test_a_request_can_be_cancelled(cluster: Cluster) -> None:
    stream = cluster.engine.submit(ChatRequest(messages=[{"role": "user", "content": "long"}], max_tokens=400))
    events: list[Event] = []
    for event in stream:
        events.append(event)
        if isinstance(event, TokensCommitted):
            stream.cancel()
    assert finished(events).reason in ("cancelled", "stop")


def test_an_answer_speculates_otherwise_from_its_next_round_on(cluster: Cluster) -> None:
    def asked(method: str) -> ChatRequest:
        sampling = SamplingSettings(temperature=0.0)
        speculation = SpeculationSettings(method=method)
        message = {"role": "user", "content": "the quick brown fox"}
        return ChatRequest([message], sampling, speculation, max_tokens=60)

    plain = finished(list(cluster.engine.submit(asked("off"))))
    stream = cluster.engine.submit(asked("off"))
    stream.speculate(SpeculationSettings(method="draft", depth=2))
    changed = finished(list(stream))
    assert changed.ids == plain.ids
    assert changed.stats.drafted > plain.stats.drafted == 0


def test_a_model_that_is_missing_is_refused_and_the_other_stays(cluster: Cluster) -> None:
    with pytest.raises(ModelNotUsable):
        cluster.engine.load("/no/such/model").result(timeout=PATIENCE_S)
    assert finished(ask(cluster.engine, max_tokens=4)).ids


def test_a_family_with_experts_writes_what_one_process_writes(both: Both, tmp_path: Path) -> None:
    main = write_family("gpt_oss", tmp_path / "main")
    both.load(main, write_disturbed_copy(main, tmp_path / "draft", amount=0.02))
    assert both.compare(method="draft", depth=3).stats.accepted > 0


def test_a_hybrid_writes_what_one_process_writes(both: Both, hybrid: tuple[Path, Path]) -> None:
    both.load(*hybrid)
    assert both.compare(method="draft", depth=3).stats.accepted > 0


def test_a_head_drafts_from_the_states_of_a_model_whose_heads_are_divided(
    both: Both, tiny_main: Path, tmp_path: Path
) -> None:
    both.load(tiny_main, write_head(tmp_path / "head", tiny_main))
    assert both.compare(method="draft", depth=3).stats.drafted > 0


def test_a_head_cannot_read_the_layers_of_other_machines(both: Both, hybrid: tuple[Path, Path], tmp_path: Path) -> None:
    main = hybrid[0]
    pair = both.load(main, write_head(tmp_path / "head", main))
    assert pair is not None
    assert isinstance(pair.draft_problem, ModelNotUsable)
    assert pair.draft_problem.reason == "no-taps"


def test_layers_of_different_kinds_on_each_machine_are_refused(cluster: Cluster, tmp_path: Path) -> None:
    main = write_family("qwen3_next", tmp_path / "main", 1)
    with pytest.raises(ClusterError, match=r"cannot be split: KVCache on .*, ArraysCache on "):
        cluster.engine.load(main).result(timeout=PATIENCE_S)
    assert finished(ask(cluster.engine, max_tokens=4)).ids


@pytest.mark.expects_log
def test_a_rank_that_is_killed_ends_the_answer_and_leaves_nothing_behind(tiny_main: Path) -> None:
    ended: list[ClusterError] = []
    with Cluster(TWO, on_end=ended.append) as cluster:
        cluster.engine.load(tiny_main).result(timeout=PATIENCE_S)
        processes = [psutil.Process(rank.pid) for rank in cluster.ranks]
        stream = cluster.engine.submit(ChatRequest(messages=[{"role": "user", "content": "x"}], max_tokens=400))
        text = ""
        for event in stream:
            if isinstance(event, TokensCommitted) and not text:
                os.kill(cluster.ranks[1].pid, signal.SIGKILL)
            if isinstance(event, TokensCommitted):
                text += event.text
        assert isinstance(event, Failed)
        assert isinstance(event.error, ClusterError)
        assert event.error.host == "127.0.0.1 (1)"
        assert event.text == text
        gone, alive = psutil.wait_procs(processes, timeout=10.0)
        assert not alive
        assert len(gone) == 2
        with pytest.raises(ClusterError):
            cluster.engine.status().result(timeout=PATIENCE_S)
    until = time.monotonic() + 10.0
    while not ended and time.monotonic() < until:
        time.sleep(0.01)
    assert ended == [event.error]
