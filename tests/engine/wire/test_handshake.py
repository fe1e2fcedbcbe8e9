"""Only peers that know the secret pass the handshake, and strangers hold nobody up, whatever they send."""

from __future__ import annotations

import random
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import msgspec
import pytest

from engine.requests import SamplingSettings
from engine.wire import handshake
from engine.wire.channel import Channel
from engine.wire.handshake import Listener, NotAuthentic, connect, prove
from engine.wire.messages import ChannelClosed
from tests.engine.wire.protocol import ASKED, Begin, End, Text
from tests.patience import PATIENCE_S

BEGIN = Begin(2, SamplingSettings(temperature=0.5))


@pytest.fixture
def listener() -> Iterator[Listener[Any]]:
    listener: Listener[Any] = Listener(socket.create_server(("127.0.0.1", 0)), b"secret", ASKED)
    yield listener
    listener.close()


def address(listener: Listener[Any]) -> tuple[str, int]:
    return "127.0.0.1", listener.port


def meet(listener: Listener[Any], secret: bytes = b"secret") -> tuple[Channel[Any], int, Channel[Any]]:
    """Connect with `secret` while the listener accepts. Raises what either end raises."""
    with ThreadPoolExecutor() as pool:
        connecting: Future[Channel[Any]] = pool.submit(connect, address(listener), secret, ASKED, 3)
        accepted = listener.accept(PATIENCE_S)
        return connecting.result(), *accepted


def assert_accepts(listener: Listener[Any]) -> None:
    channel, number, there = meet(listener)
    assert number == 3
    channel.send(BEGIN)
    assert there.receive(PATIENCE_S) == BEGIN
    there.send(End(1))
    assert channel.receive(PATIENCE_S) == End(1)
    channel.close()
    there.close()


def until_gone(end: socket.socket) -> int:
    """Return the number of bytes that come until the other end closes."""
    end.settimeout(PATIENCE_S)
    count = 0
    with suppress(ConnectionError):
        while chunk := end.recv(4096):
            count += len(chunk)
    return count


def test_a_peer_without_the_secret_is_refused_and_the_next_one_accepted(listener: Listener[Any]) -> None:
    for secret in (b"other", b""):
        with ThreadPoolExecutor() as pool:
            connecting = pool.submit(connect, address(listener), secret, ASKED)
            with pytest.raises(TimeoutError):
                listener.accept(0.2)
            with pytest.raises(NotAuthentic):
                connecting.result(PATIENCE_S)
    assert_accepts(listener)


def test_a_stranger_has_one_deadline_however_it_drips(listener: Listener[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handshake, "PROOF_S", 0.1)
    with socket.create_connection(address(listener)) as stranger:
        dripping = threading.Event()

        def drip() -> None:
            with suppress(OSError):
                while not dripping.wait(0.01):
                    stranger.send(b"\0")

        thread = threading.Thread(target=drip)
        thread.start()
        with pytest.raises(TimeoutError):
            listener.accept(0.5)
        until_gone(stranger)
        dripping.set()
        thread.join()


def test_a_peer_is_accepted_after_silent_strangers(listener: Listener[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handshake, "PROOF_S", 0.2)
    strangers = [socket.create_connection(address(listener)) for _ in range(4)]
    assert_accepts(listener)
    for stranger in strangers:
        until_gone(stranger)
        stranger.close()


def test_a_recorded_proof_is_of_no_use_later(listener: Listener[Any]) -> None:
    sent: list[bytes] = []
    true_send = Channel.send

    def record(channel: Channel[Any], message: Any) -> None:
        if isinstance(message, handshake._Proof):
            sent.append(channel.codec.frame(message))
        true_send(channel, message)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Channel, "send", record)
        assert_accepts(listener)
    for proof in sent:
        with socket.create_connection(address(listener)) as replaying:
            replaying.sendall(proof)
            with pytest.raises(TimeoutError):
                listener.accept(0.1)
            until_gone(replaying)


def test_an_end_that_only_demands_a_proof_gets_no_text() -> None:
    ours, theirs = socket.socketpair()
    here, there = Channel(ours, ASKED), Channel(theirs, handshake._HANDSHAKE)
    nonce = bytes(32)
    there.send(handshake._Challenge(handshake.VERSION, nonce))
    there.send(handshake._Proof(0, nonce, nonce))
    with pytest.raises(NotAuthentic, match="secret"):
        prove(here, b"secret")
    assert isinstance(there.receive(PATIENCE_S), handshake._Proof)
    with pytest.raises(ChannelClosed):
        there.receive(PATIENCE_S)
    there.close()


@pytest.mark.parametrize("version", [handshake.VERSION - 1, handshake.VERSION + 1, None])
def test_a_listener_of_another_version_and_a_silent_one_are_refused(
    version: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(handshake, "HANDSHAKE_S", 0.05)
    ours, theirs = socket.socketpair()
    here, there = Channel(ours, ASKED), Channel(theirs, handshake._HANDSHAKE)
    if version is not None:
        there.send(handshake._Challenge(version, bytes(32)))
    with pytest.raises(NotAuthentic):
        prove(here, b"secret")
    there.close()


def _framed(content: bytes) -> bytes:
    return len(content).to_bytes(4, "big") + content


def _hostile(draw: random.Random) -> bytes:
    """Return bytes that a stranger may send: frames of any length and depth, changed proofs, other messages, noise."""
    proof = bytearray(ASKED.frame(handshake._Proof(draw.randrange(-9, 9), draw.randbytes(32), draw.randbytes(32))))
    makers: list[Callable[[], bytes]] = [
        lambda: draw.randbytes(draw.randrange(400)),
        lambda: draw.randrange(2**32).to_bytes(4, "big") + draw.randbytes(draw.randrange(300)),
        lambda: _framed(bytes([draw.choice((0x91, 0x81, 0xDD, 0xDF))]) * draw.randrange(1, 256)),
        lambda: _framed(msgspec.msgpack.encode(["_Proof", float("inf"), b"", None])),
        lambda: _framed(msgspec.json.encode({"rank": 2**64 - 1, "deep": [[[]]]})),
        lambda: ASKED.frame(draw.choice([End(1), BEGIN, Text(0, tuple(range(1000)))])),
        lambda: ASKED.frame(handshake._Challenge(handshake.VERSION, draw.randbytes(32))),
        lambda: bytes(proof),
        lambda: bytes(b ^ (1 << draw.randrange(8) if draw.random() < 0.05 else 0) for b in proof),
        lambda: b"GET / HTTP/1.1\r\n\r\n",
        lambda: b"",
    ]
    return draw.choice(makers)()


def _fuzz(listener: Listener[Any], seed: int, count: int) -> None:
    """Let strangers send `count` messages, and now and then a true peer connect, which is accepted every time."""
    draw = random.Random(seed)
    strangers: list[socket.socket] = []
    for number in range(count):
        stranger = socket.create_connection(address(listener))
        strangers.append(stranger)
        with suppress(ConnectionError):
            stranger.send(_hostile(draw))
        if draw.random() < 0.7:
            strangers.pop(draw.randrange(len(strangers))).close()
        if number % 20 == 19:
            assert_accepts(listener)
        while len(strangers) > 30:
            strangers.pop(0).close()
    for stranger in strangers:
        stranger.close()


def test_whatever_arrives_ends_its_own_connection_only(
    listener: Listener[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(handshake, "PROOF_S", 0.2)
    _fuzz(listener, 0, 60)


def test_a_closed_listener_accepts_nobody(listener: Listener[Any]) -> None:
    where = address(listener)
    listener.close()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(where, timeout=1)
    with pytest.raises((OSError, ValueError)):
        listener.accept(time.monotonic())
