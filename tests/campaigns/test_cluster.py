"""One computer of several sleeps, or the network passes nothing on: the text so far is right, and everything ends."""

from __future__ import annotations

import random
import threading
import time
from pathlib import Path

import psutil
import pytest

from engine import ChatRequest, Engine, Failed, Finished, SamplingSettings, SpeculationSettings
from engine.cluster.cluster import Cluster
from engine.cluster.errors import ClusterError
from engine.cluster.hosts import parse_machines
from engine.events import TokensCommitted
from tests.benchmarks.slow_links import SlowLinks
from tests.engine.cluster.families import rank_processes
from tests.patience import PATIENCE_S

pytestmark = [pytest.mark.campaign, pytest.mark.expects_log]

TIMES, ASLEEP_S, LONGEST_S = 2, 20.0, 10.0
TWO = parse_machines("127.0.0.1,127.0.0.1")
ASKED = ChatRequest(
    messages=[{"role": "user", "content": "the quick brown fox"}],
    sampling=SamplingSettings(temperature=1.5, seed=3),
    speculation=SpeculationSettings(method="draft"),
    max_tokens=400,
)


def processes_of(cluster: Cluster) -> list[psutil.Process]:
    """Return the ranks and their keepers."""
    found = rank_processes(cluster)
    return [*found, *(process.parent() for process in found)]


@pytest.fixture
def right(tiny_main: Path) -> str:
    """The text of one process."""
    with Engine() as engine:
        engine.load(tiny_main).result(timeout=PATIENCE_S)
        *_, last = engine.submit(ASKED)
        assert isinstance(last, Finished)
        return last.text


@pytest.mark.parametrize("seed", range(TIMES))
@pytest.mark.parametrize("ways", [("there",), ("back",), ("there", "back")], ids=" ".join)
def test_when_the_network_passes_nothing_on_the_computers_can_be_stopped(
    tiny_main: Path, right: str, ways: tuple[str, ...], seed: int
) -> None:
    draw, links, text = random.Random(seed), SlowLinks(1e-3), ""
    try:
        with links.between(), Cluster(TWO) as cluster:
            processes = processes_of(cluster)
            cluster.engine.load(tiny_main).result(timeout=PATIENCE_S)
            stopping = threading.Timer(LONGEST_S, cluster.stop)
            threading.Timer(draw.uniform(0.0, 0.5), links.stall, ways).start()
            stopping.start()
            for event in cluster.engine.submit(ASKED):
                text += event.text if isinstance(event, TokensCommitted) else ""
            stopping.join()
    finally:
        links.close()
    assert isinstance(event, Failed | Finished)
    assert event.text == text
    assert right.startswith(text)
    assert not psutil.wait_procs(processes, timeout=LONGEST_S)[1]


@pytest.mark.parametrize("victim", [0, 1])
def test_after_a_computer_slept_the_answer_says_so_and_a_new_start_answers_right(
    tiny_main: Path, right: str, victim: int
) -> None:
    text = ""
    with Cluster(TWO) as cluster:
        processes = processes_of(cluster)
        cluster.engine.load(tiny_main).result(timeout=PATIENCE_S)
        asleep = [processes[victim], processes[victim + 2]]
        stream = cluster.engine.submit(ASKED)
        for one in asleep:
            one.suspend()
        for event in stream:
            text += event.text if isinstance(event, TokensCommitted) else ""
        time.sleep(ASLEEP_S)
        for one in asleep:
            if one.is_running():
                one.resume()
        assert isinstance(event, Failed | Finished)
        assert event.text == text
        assert right.startswith(text)
        assert isinstance(event, Finished) or isinstance(event.error, ClusterError)
        assert not psutil.wait_procs(processes, timeout=LONGEST_S)[1] or isinstance(event, Finished)
    with Cluster(TWO) as cluster:
        cluster.engine.load(tiny_main).result(timeout=PATIENCE_S)
        *_, last = cluster.engine.submit(ASKED)
        assert isinstance(last, Finished)
        assert last.text == right
