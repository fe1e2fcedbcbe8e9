"""Two ranks of this machine, as two others would be: the texts of one process, and its events and errors."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from engine import ChatRequest, Engine, Event, Failed, SamplingSettings, SpeculationSettings
from engine.cluster.cluster import Cluster
from engine.cluster.errors import ClusterError
from engine.cluster.hosts import parse_machines
from engine.errors import ModelNotUsable
from engine.events import TokensCommitted
from engine.grammars.grammar import Grammar
from tests.engine.asking import ask, finished
from tests.patience import PATIENCE_S

TWO = parse_machines("127.0.0.1,127.0.0.1")


@pytest.fixture(scope="module", autouse=True)
def ranks_without_compilation() -> Iterator[None]:
    """Each rank would build fused kernels by a C++ compiler, which changes nothing here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MLX_DISABLE_COMPILE", "1")
        yield


@pytest.fixture(scope="module")
def cluster(tiny_main: Path, tiny_draft: Path) -> Iterator[Cluster]:
    with Cluster(TWO) as cluster:
        cluster.engine.load(tiny_main, tiny_draft).result(timeout=PATIENCE_S)
        yield cluster


@pytest.mark.parametrize(("method", "temperature"), [("off", 0.8), ("draft", 0.0), ("draft", 0.8), ("auto", 0.8)])
def test_two_ranks_write_what_one_process_writes(
    cluster: Cluster, engine_with_pair: Engine, method: str, temperature: float
) -> None:
    expected = finished(ask(engine_with_pair, temperature=temperature, method="off", max_tokens=20))
    # Without a depth, how fast the machine is decides whether anything is drafted.
    depth = 3 if method == "draft" else None
    found = finished(ask(cluster.engine, temperature=temperature, method=method, depth=depth, max_tokens=20))
    assert found.ids == expected.ids
    assert method != "draft" or found.stats.drafted > 0


def test_several_requests_are_answered_together(cluster: Cluster, engine_with_pair: Engine) -> None:
    questions = ["the quick brown fox", "jumps over the lazy dog", "hello"]

    def request(question: str) -> ChatRequest:
        return ChatRequest(
            messages=[{"role": "user", "content": question}],
            sampling=SamplingSettings(temperature=0.0),
            speculation=SpeculationSettings(method="draft", depth=3),
            max_tokens=16,
        )

    expected = [finished(list(engine_with_pair.submit(request(question)))).ids for question in questions]
    streams = [cluster.engine.submit(request(question)) for question in questions]
    assert [finished(list(stream)).ids for stream in streams] == expected


def test_an_answer_follows_a_schema(cluster: Cluster) -> None:
    grammar = Grammar("regex", "(ab|cd){3}")
    request = ChatRequest(
        messages=[{"role": "user", "content": "say it"}], sampling=SamplingSettings(temperature=0.0), grammar=grammar
    )
    assert finished(list(cluster.engine.submit(request))).text in {
        a + b + c for a in ("ab", "cd") for b in ("ab", "cd") for c in ("ab", "cd")
    }


def test_the_next_turn_finds_the_caches_of_the_last(cluster: Cluster) -> None:
    chat = [{"role": "user", "content": "a question that is new"}]
    first = finished(ask(cluster.engine, messages=chat, max_tokens=8))
    chat += [{"role": "assistant", "content": first.text}, {"role": "user", "content": "and more"}]
    assert finished(ask(cluster.engine, messages=chat, max_tokens=8)).stats.cached_tokens > 0


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


def test_a_model_that_is_missing_is_refused_and_the_other_stays(cluster: Cluster, tiny_main: Path) -> None:
    with pytest.raises(ModelNotUsable):
        cluster.engine.load("/no/such/model").result(timeout=PATIENCE_S)
    pair = cluster.engine.load(tiny_main).result(timeout=PATIENCE_S)
    assert pair.main is not None
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
