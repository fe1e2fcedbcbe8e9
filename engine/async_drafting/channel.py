"""A connection between engine and drafter: messages over a socket that never blocks the one who writes."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import select
import socket
import time
from typing import TypeVar

from engine.async_drafting.messages import (
    KEY_BYTES,
    LARGEST_FRAME,
    LARGEST_GREETING,
    BadMessage,
    Challenge,
    CounterProof,
    Message,
    Proof,
    frame,
    take,
)

M = TypeVar("M", bound=Message)

_CHUNK_BYTES = 2**18
# A peer that reads this much too little has stopped.
_MOST_UNSENT = 2 * LARGEST_FRAME
GREETING_S = 10.0
# After so many silent seconds a peer on another computer is asked whether it is there; the names differ by system.
_ASLEEP_S = 30
_KEEP_ALIVE = [getattr(socket, name) for name in ("TCP_KEEPIDLE", "TCP_KEEPALIVE") if hasattr(socket, name)]


class ChannelClosed(Exception):
    """The peer is gone, or wrote what is no message; nothing more will come of this connection."""


class Channel:
    """Messages over a connected stream socket, which it owns. One thread uses it at a time."""

    def __init__(self, connection: socket.socket, largest: int = LARGEST_FRAME) -> None:
        connection.setblocking(False)
        if connection.family != socket.AF_UNIX:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            # A computer that fell asleep or lost its network closes no connection.
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            for option in _KEEP_ALIVE:
                connection.setsockopt(socket.IPPROTO_TCP, option, _ASLEEP_S)
        self.largest = largest
        self._socket = connection
        self._received = bytearray()
        self._unsent = bytearray()

    def send(self, message: Message) -> None:
        """Send without waiting; what the socket does not take now goes out with the next call of any method.

        Raises `ChannelClosed`.
        """
        self._unsent += frame(message)
        if len(self._unsent) > _MOST_UNSENT:
            raise ChannelClosed("the peer does not read")
        self._flush()

    def receive(self, timeout_s: float | None = 0.0) -> Message | None:
        """The next message, or None if there is none within `timeout_s` (None: however long it takes).

        Raises `ChannelClosed`.
        """
        until = None if timeout_s is None else time.monotonic() + timeout_s
        while True:
            try:
                message = take(self._received, self.largest)
            except BadMessage as error:
                raise ChannelClosed(str(error)) from error
            if message is not None:
                return message
            self._flush()
            left = None if until is None else max(0.0, until - time.monotonic())
            if not self._wait(left):
                return None
            self._read()

    def close(self) -> None:
        """Close the socket; the peer learns of it."""
        self._socket.close()

    def _wait(self, timeout_s: float | None) -> bool:
        """Whether there is something to read within the time; what is unsent is sent meanwhile."""
        try:
            while True:
                readable, writable, _ = select.select(
                    [self._socket], [self._socket] if self._unsent else [], [], timeout_s
                )
                if writable:
                    self._flush()
                if readable or not writable:
                    return bool(readable)
        except (OSError, ValueError) as error:
            raise ChannelClosed(str(error)) from error

    def _read(self) -> None:
        try:
            chunk = self._socket.recv(_CHUNK_BYTES)
        except BlockingIOError:
            return
        except OSError as error:
            raise ChannelClosed(str(error)) from error
        if not chunk:
            raise ChannelClosed("the peer has closed the connection")
        self._received += chunk

    def _flush(self) -> None:
        try:
            while self._unsent:
                del self._unsent[: self._socket.send(memoryview(self._unsent)[:_CHUNK_BYTES].tobytes())]
        except BlockingIOError:
            return
        except OSError as error:
            raise ChannelClosed(str(error)) from error


def greet_as_engine(channel: Channel, secret: bytes) -> None:
    """Prove `secret` to a drafter, and have it prove the same. Raises `ChannelClosed`."""
    challenge = _expect(channel, Challenge)
    own = secrets.token_bytes(KEY_BYTES)
    channel.send(Proof(_proof(secret, b"engine", challenge.nonce, own), own))
    answer = _expect(channel, CounterProof)
    if not hmac.compare_digest(answer.proof, _proof(secret, b"drafter", challenge.nonce, own)):
        raise ChannelClosed("the drafter does not know the secret")


def greet_as_drafter(channel: Channel, secret: bytes) -> None:
    """Have an engine prove `secret`, and prove it too. Raises `ChannelClosed`."""
    channel.largest = LARGEST_GREETING
    nonce = secrets.token_bytes(KEY_BYTES)
    channel.send(Challenge(nonce))
    proof = _expect(channel, Proof)
    if not hmac.compare_digest(proof.proof, _proof(secret, b"engine", nonce, proof.nonce)):
        raise ChannelClosed("the engine does not know the secret")
    channel.send(CounterProof(_proof(secret, b"drafter", nonce, proof.nonce)))
    channel.largest = LARGEST_FRAME


def _expect(channel: Channel, kind: type[M]) -> M:
    message = channel.receive(GREETING_S)
    if not isinstance(message, kind):
        raise ChannelClosed(f"no {kind.__name__}")
    return message


def _proof(secret: bytes, role: bytes, first: bytes, second: bytes) -> bytes:
    return hmac.new(secret, role + first + second, hashlib.sha256).digest()
