"""Channels: nothing blocks, nothing that is no message gets through, and only who knows the secret is served."""

from __future__ import annotations

import random
import socket
import threading
from collections.abc import Iterator

import pytest

from engine.async_drafting import channel as channels
from engine.async_drafting.channel import Channel, ChannelClosed, greet_as_drafter, greet_as_engine
from engine.async_drafting.messages import Begin, End, Proof, Verdict, frame
from engine.requests import SamplingSettings

Pair = tuple[Channel, Channel, socket.socket]


@pytest.fixture
def pair() -> Iterator[Pair]:
    ours, theirs = socket.socketpair()
    here, there = Channel(ours), Channel(theirs)
    yield here, there, theirs
    here.close()
    there.close()


def test_messages_arrive_in_order(pair: Pair) -> None:
    here, there, _ = pair
    sent = [End(number) for number in range(50)]
    for message in sent:
        here.send(message)
    assert [there.receive(1.0) for _ in sent] == sent
    assert there.receive() is None


def test_a_message_larger_than_the_socket_takes_goes_out_while_others_are_read(pair: Pair) -> None:
    here, there, _ = pair
    large = Verdict(1, 1, 0, tuple(range(500_000)))
    here.send(large)
    received = None
    while received is None:
        received = there.receive()
        assert here.receive() is None
    assert received == large


def test_a_peer_that_never_reads_ends_the_connection_and_blocks_nobody(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, _, _ = pair
    monkeypatch.setattr(channels, "_MOST_UNSENT", 2**20)
    with pytest.raises(ChannelClosed):
        here.send(Verdict(1, 1, 0, tuple(range(500_000))))


def test_a_peer_that_is_gone_is_noticed(pair: Pair) -> None:
    here, there, _ = pair
    there.close()
    with pytest.raises(ChannelClosed):
        here.receive(1.0)


@pytest.mark.parametrize("seed", range(30))
def test_garbage_ends_the_connection_or_waits_for_more(pair: Pair, seed: int) -> None:
    here, _, raw = pair
    draw = random.Random(seed)
    begin = bytearray(frame(Begin(1, 2, 384, SamplingSettings(temperature=0.5))))
    for _ in range(draw.randrange(1, 8)):
        begin[draw.randrange(len(begin))] ^= 1 << draw.randrange(8)
    raw.sendall(bytes(begin) + draw.randbytes(64))
    try:
        while here.receive(0.0) is not None:
            pass
    except ChannelClosed:
        pass


@pytest.mark.parametrize(
    ("engine", "drafter", "served"), [(b"same", b"same", True), (b"one", b"other", False), (b"", b"x", False)]
)
def test_only_who_knows_the_secret_is_served(pair: Pair, engine: bytes, drafter: bytes, served: bool) -> None:
    here, there, _ = pair
    outcomes: list[bool] = []

    def greet() -> None:
        try:
            greet_as_drafter(there, drafter)
            outcomes.append(True)
        except ChannelClosed:
            outcomes.append(False)
            there.close()

    thread = threading.Thread(target=greet)
    thread.start()
    try:
        greet_as_engine(here, engine)
        outcomes.append(True)
    except ChannelClosed:
        outcomes.append(False)
    thread.join()
    assert outcomes == [served, served]


def test_a_drafter_that_does_not_know_the_secret_gets_no_text(pair: Pair) -> None:
    here, there, _ = pair
    there.send(channels.Challenge(bytes(32)))
    there.send(channels.CounterProof(bytes(32)))
    with pytest.raises(ChannelClosed, match="secret"):
        greet_as_engine(here, b"secret")
    assert isinstance(there.receive(), Proof)
    assert there.receive() is None


def test_a_stranger_cannot_make_a_drafter_store_much(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(channels, "GREETING_S", 1.0)
    _, there, _ = pair
    here = pair[0]
    here.send(Verdict(1, 1, 0, tuple(range(1000))))
    with pytest.raises(ChannelClosed, match="bytes"):
        greet_as_drafter(there, b"secret")
