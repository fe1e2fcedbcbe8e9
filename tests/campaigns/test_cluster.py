"""One computer of several sleeps, or the network passes nothing on: the text so far is right, and everything ends."""

from __future__ import annotations

import random
import secrets
import socket
import threading
import time
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psutil
import pytest

from engine import ChatRequest, Engine, Failed, Finished, SamplingSettings, SpeculationSettings
from engine.cluster import checks
from engine.cluster.cluster import Cluster
from engine.cluster.launch import RankProcess
from engine.cluster.messages import ECHO, Ping
from engine.computers.errors import ClusterError
from engine.computers.hosts import parse_machines
from engine.events import TokensCommitted
from engine.wire import handshake
from engine.wire.handshake import CONNECT_S, HANDSHAKE_S, LARGEST_HANDSHAKE
from engine.wire.messages import Codec
from tests.benchmarks.slow_links import SlowLinks
from tests.engine.cluster.families import rank_processes
from tests.patience import PATIENCE_S

pytestmark = [pytest.mark.campaign, pytest.mark.expects_log]

# What strangers prove, or send instead.
WRONG = (
    "another run", "no secret", "other direction", "other number", "shorter", "replayed", "cut", "nothing",
    "its challenge",
)  # fmt: skip
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


def strangers_at(address: tuple[str, int], secret: bytes, recorded: bytes) -> dict[str, float]:
    """Come to a listener with every wrong proof of `secret`, and return after how many seconds each was refused."""
    took = dict[str, float]()
    for kind in WRONG:
        begun = time.monotonic()
        with suppress(OSError), socket.create_connection(address, timeout=CONNECT_S) as stranger:
            stranger.settimeout(HANDSHAKE_S)
            challenge = stranger.recv(LARGEST_HANDSHAKE)
            stranger.sendall(wrong_proof(kind, challenge, secret, recorded))
            while stranger.recv(LARGEST_HANDSHAKE):
                pytest.fail(f"{kind} was answered")
        took[kind] = time.monotonic() - begun
    return took


def wrong_proof(kind: str, challenge: bytes, secret: bytes, recorded: bytes) -> bytes:
    """Return what a stranger sends: `recorded` is the proof of an earlier connection with `secret`."""
    codec: Codec[Any] = handshake._HANDSHAKE
    asked = codec.take(bytearray(challenge))
    assert asked is not None
    theirs, nonce = asked.nonce, secrets.token_bytes(32)
    proofs = {
        "another run": handshake._proof(secrets.token_bytes(32), b"proves", 1, theirs, nonce),
        "no secret": handshake._proof(b"", b"proves", 1, theirs, nonce),
        "other direction": handshake._proof(secret, b"demands", 1, theirs, nonce),
        "other number": handshake._proof(secret, b"proves", 0, theirs, nonce),
        "shorter": handshake._proof(secret, b"proves", 1, theirs, nonce)[:16],
    }
    if kind in proofs:
        return codec.frame(handshake._Proof(1, nonce, proofs[kind]))
    whole = codec.frame(handshake._Proof(1, nonce, handshake._proof(secret, b"proves", 1, theirs, nonce)))
    return {"replayed": recorded, "cut": whole[:-9], "nothing": b"", "its challenge": challenge}[kind]


def proof_of_another_connection(secret: bytes) -> bytes:
    """Return the proof that a true peer sent on an earlier connection with this secret."""
    nonces = secrets.token_bytes(32), secrets.token_bytes(32)
    proof = handshake._proof(secret, b"proves", 1, *nonces)
    codec: Codec[Any] = handshake._HANDSHAKE
    return codec.frame(handshake._Proof(1, nonces[1], proof))


@pytest.mark.parametrize("listener", ["control", "client"])
def test_strangers_at_a_cluster_that_starts_are_refused_and_it_answers_right(
    listener: str, tiny_main: Path, right: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    took, coming = dict[str, float](), list[threading.Thread]()
    secret, wait_for = secrets.token_bytes(32), RankProcess.wait_for
    monkeypatch.setattr("engine.cluster.cluster.secrets", SimpleNamespace(token_bytes=lambda _count: secret))

    def come(port: int) -> None:
        took.update(strangers_at(("127.0.0.1", port), secret, proof_of_another_connection(secret)))

    def waited(process: RankProcess, what: str, seconds: float) -> Any:
        place = wait_for(process, what, seconds)
        if what == "listening" and place[listener]:
            coming.append(threading.Thread(target=come, args=(place[listener],)))
            coming[-1].start()
        return place

    monkeypatch.setattr(RankProcess, "wait_for", waited)
    with Cluster(TWO) as cluster:
        cluster.engine.load(tiny_main).result(timeout=PATIENCE_S)
        *_, last = cluster.engine.submit(ASKED)
        assert isinstance(last, Finished)
        assert last.text == right
        for thread in coming:
            thread.join(PATIENCE_S)
    print(listener, {kind: round(seconds, 1) for kind, seconds in took.items()})
    assert set(took) == set(WRONG)


def test_a_window_with_the_key_of_another_run_is_refused_with_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    connect = handshake.connect
    monkeypatch.setattr(
        "engine.cluster.cluster.connect", lambda address, _secret, codec: connect(address, b"of another run", codec)
    )
    begun = time.monotonic()
    with pytest.raises(ClusterError, match="ended") as found:
        Cluster(TWO)
    print(f"{time.monotonic() - begun:.1f} s", found.value)


def test_strangers_at_the_measurement_of_a_link_change_nothing() -> None:
    secret = secrets.token_bytes(32)
    listening = socket.create_server(("127.0.0.1", 0))
    address = listening.getsockname()
    thread = threading.Thread(target=checks._serve, args=(listening, secret), daemon=True)
    thread.start()
    took = strangers_at(address, secret, proof_of_another_connection(secret))
    print({kind: round(seconds, 1) for kind, seconds in took.items()})
    assert max(took.values()) < handshake.PROOF_S + 1.0
    channel = handshake.connect(address, secret, ECHO)
    assert checks._answered(channel, Ping(), 3) > 0.0
    channel.close()
    thread.join(PATIENCE_S)
