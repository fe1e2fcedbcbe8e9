"""A connection for messages, and the handshake in which both ends prove that they know a shared secret."""

from __future__ import annotations

import hmac
import secrets
import select
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Annotated, Any, Generic, TypeVar

from msgspec import Meta

from engine.wire.messages import ChannelClosed, Codec, Message, Received

# Changes whenever older versions cannot read a message: the peer may run on another computer.
VERSION = 4
# Seconds for a handshake, and the largest message in bytes that a peer may send before it has proved the secret.
HANDSHAKE_S, LARGEST_HANDSHAKE = 10.0, 256
_CHUNK_BYTES = 2**18
_NONCE_BYTES = 32
# Seconds of silence after which TCP probes a peer on another computer. The option's name differs by system.
_ASLEEP_S = 30
_KEEP_ALIVE = [getattr(socket, name) for name in ("TCP_KEEPIDLE", "TCP_KEEPALIVE") if hasattr(socket, name)]


class _Challenge(Message, frozen=True):
    version: Annotated[int, Meta(ge=VERSION, le=VERSION)]
    nonce: Annotated[bytes, Meta(min_length=_NONCE_BYTES, max_length=_NONCE_BYTES)]


class _Proof(Message, frozen=True):
    number: int
    nonce: Annotated[bytes, Meta(min_length=_NONCE_BYTES, max_length=_NONCE_BYTES)]
    proof: bytes


_HANDSHAKE: Codec[_Challenge | _Proof] = Codec(_Challenge | _Proof, largest=LARGEST_HANDSHAKE)
_Step = TypeVar("_Step", _Challenge, _Proof)


class NotAuthentic(ChannelClosed):
    """The peer does not know the secret, is silent, or does not speak this version of the protocol."""


class Channel(Generic[Received]):
    """Messages over a connected stream socket, which it owns. Any thread may send, and one thread receives.

    `send` waits for a peer that reads slowly, unless `most_unsent` is given: then it never waits, and a peer that
    leaves more bytes than that unread counts as stopped.
    """

    def __init__(self, end: socket.socket, codec: Codec[Received], *, most_unsent: int | None = None) -> None:
        end.setblocking(False)
        if end.family != socket.AF_UNIX:
            # A round waits for its message, so TCP must not wait for a full packet.
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            # A computer that fell asleep or lost its network closes no connection.
            end.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            for option in _KEEP_ALIVE:
                end.setsockopt(socket.IPPROTO_TCP, option, _ASLEEP_S)
        self._socket, self._most_unsent = end, most_unsent
        self.codec: Codec[Received] = codec
        self._received, self._unsent = bytearray(), bytearray()
        self._sending = threading.Lock()

    def send(self, message: Message) -> None:
        """Send a message. What the socket does not take at once may go out with later calls of any method.

        Raises `ChannelClosed`, and what `Codec.frame` raises.
        """
        whole = self.codec.frame(message)
        with self._sending:
            self._unsent += whole
            self._flush()
            if self._most_unsent is None:
                while self._unsent:
                    self._wait([], [self._socket], None)
                    self._flush()
            elif len(self._unsent) > self._most_unsent:
                raise ChannelClosed("the peer does not read")

    def receive(self, timeout_s: float | None = None) -> Received | None:
        """Return the next message, or None if there is none within `timeout_s` (None waits without a limit).

        Raises `ChannelClosed`.
        """
        until = None if timeout_s is None else time.monotonic() + timeout_s
        while True:
            if (message := self.codec.take(self._received)) is not None:
                return message
            unsent = self._socket if self._most_unsent is not None and self._unsent else None
            left = None if until is None else max(0.0, until - time.monotonic())
            readable, writable = self._wait([self._socket], [unsent] if unsent else [], left)
            if writable:
                with self._sending:
                    self._flush()
            elif not readable:
                return None
            if readable:
                self._read()

    def close(self) -> None:
        """Close the socket, which the peer notices, and wake a thread that receives. May be called twice."""
        # The peer may have closed it.
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _wait(
        self, reading: list[socket.socket], writing: list[socket.socket], timeout_s: float | None
    ) -> tuple[bool, bool]:
        try:
            readable, writable, _ = select.select(reading, writing, [], timeout_s)
        except (OSError, ValueError) as error:
            raise ChannelClosed(str(error)) from error
        return bool(readable), bool(writable)

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
                del self._unsent[: self._socket.send(bytes(self._unsent[:_CHUNK_BYTES]))]
        except BlockingIOError:
            return
        except OSError as error:
            raise ChannelClosed(str(error)) from error


def connect(
    address: tuple[str, int],
    secret: bytes,
    codec: Codec[Received],
    number: int = 0,
    *,
    most_unsent: int | None = None,
) -> Channel[Received]:
    """Connect to a peer that calls `demand_proof`. Raises `OSError`, among them `NotAuthentic`."""
    channel = Channel(socket.create_connection(address, timeout=HANDSHAKE_S), codec, most_unsent=most_unsent)
    prove(channel, secret, number)
    return channel


def prove(channel: Channel[Any], secret: bytes, number: int = 0) -> None:
    """Prove to a peer that calls `demand_proof` that this end knows `secret`, and have it prove the same.

    `number` says which of several peers this end is. Closes the channel and raises `NotAuthentic` on failure.
    """
    with _handshake(channel):
        theirs = _next(channel, _Challenge).nonce
        nonce = secrets.token_bytes(_NONCE_BYTES)
        channel.send(_Proof(number, nonce, _proof(secret, b"proves", number, theirs, nonce)))
        _compare(_next(channel, _Proof).proof, _proof(secret, b"demands", number, theirs, nonce))


def demand_proof(channel: Channel[Any], secret: bytes) -> int:
    """Have a peer that calls `prove` prove that it knows `secret`, prove the same to it, and return its number.

    Closes the channel and raises `NotAuthentic` on failure.
    """
    with _handshake(channel):
        nonce = secrets.token_bytes(_NONCE_BYTES)
        channel.send(_Challenge(VERSION, nonce))
        found = _next(channel, _Proof)
        _compare(found.proof, _proof(secret, b"proves", found.number, nonce, found.nonce))
        channel.send(_Proof(found.number, nonce, _proof(secret, b"demands", found.number, nonce, found.nonce)))
    return found.number


@contextmanager
def _handshake(channel: Channel[Any]) -> Iterator[None]:
    codec, channel.codec = channel.codec, _HANDSHAKE
    try:
        yield
    except OSError as error:
        channel.close()
        raise NotAuthentic(str(error)) from error
    channel.codec = codec


def _next(channel: Channel[Any], kind: type[_Step]) -> _Step:
    message = channel.receive(HANDSHAKE_S)
    if not isinstance(message, kind):
        raise NotAuthentic("the peer is silent, or out of turn")
    return message


def _proof(secret: bytes, role: bytes, number: int, first: bytes, second: bytes) -> bytes:
    return hmac.digest(secret, b"%s %d " % (role, number) + first + second, "sha256")


def _compare(found: bytes, expected: bytes) -> None:
    if not hmac.compare_digest(found, expected):
        raise NotAuthentic("the peer does not know the secret")
