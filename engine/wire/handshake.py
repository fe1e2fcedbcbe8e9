"""Both ends of a connection prove that they know a shared secret before any other message passes."""

from __future__ import annotations

import hmac
import logging
import secrets
import select
import socket
import time
from dataclasses import dataclass
from typing import Annotated, Any, Generic, TypeVar

from msgspec import Meta

from engine.wire.channel import Channel
from engine.wire.messages import ChannelClosed, Codec, Received, WireMessage

log = logging.getLogger(__name__)

# Changes whenever older versions cannot read a message: the peer may run on another computer.
VERSION = 5
# Seconds for a handshake, and the largest message in bytes that a peer may send before it has proved the secret.
HANDSHAKE_S, LARGEST_HANDSHAKE = 10.0, 256
# Connections that may wait for a proof at once. A further one ends the oldest, since a true peer proves at once.
MOST_WAITING = 64
# Seconds before the next connection is accepted after one that could not be.
_PAUSE_S = 0.01
_NONCE_BYTES = 32


class _Challenge(WireMessage, frozen=True):
    version: Annotated[int, Meta(ge=VERSION, le=VERSION)]
    nonce: Annotated[bytes, Meta(min_length=_NONCE_BYTES, max_length=_NONCE_BYTES)]


class _Proof(WireMessage, frozen=True):
    number: int
    nonce: Annotated[bytes, Meta(min_length=_NONCE_BYTES, max_length=_NONCE_BYTES)]
    proof: bytes


_HANDSHAKE: Codec[_Challenge | _Proof] = Codec(_Challenge | _Proof, largest=LARGEST_HANDSHAKE)
_Step = TypeVar("_Step", _Challenge, _Proof)


class NotAuthentic(ChannelClosed):
    """The peer does not know the secret, is silent, or does not speak this version of the protocol."""


def connect(
    address: tuple[str, int],
    secret: bytes,
    codec: Codec[Received],
    number: int = 0,
    *,
    most_unsent: int | None = None,
) -> Channel[Received]:
    """Connect to a `Listener`. Raises `OSError`, among them `NotAuthentic`."""
    channel = Channel(socket.create_connection(address, timeout=HANDSHAKE_S), codec, most_unsent=most_unsent)
    prove(channel, secret, number)
    return channel


def prove(channel: Channel[Any], secret: bytes, number: int = 0) -> None:
    """Prove to a `Listener` that this end knows `secret`, and have it prove the same.

    `number` says which of several peers this end is. Closes the channel and raises `NotAuthentic` on failure.
    """
    until = time.monotonic() + HANDSHAKE_S
    codec, channel.codec = channel.codec, _HANDSHAKE
    try:
        theirs = _next(channel, _Challenge, until).nonce
        nonce = secrets.token_bytes(_NONCE_BYTES)
        channel.send(_Proof(number, nonce, _proof(secret, b"proves", number, theirs, nonce)))
        _compare(_next(channel, _Proof, until).proof, _proof(secret, b"demands", number, theirs, nonce))
    except OSError as error:
        channel.close()
        raise NotAuthentic(str(error)) from error
    channel.codec = codec


@dataclass(frozen=True)
class Peer(Generic[Received]):
    """A peer that has proved the secret: its channel, the number that it gave itself, and its address."""

    channel: Channel[Received]
    number: int
    host: str


@dataclass(frozen=True, eq=False)
class _Unauthenticated:
    """A connection that has to answer `nonce` before `until`, a time of the monotonic clock."""

    channel: Channel[Any]
    host: str
    nonce: bytes
    until: float

    def fileno(self) -> int:
        return self.channel.fileno()


class Listener(Generic[Received]):
    """Demands of all that connect to `listening` a proof that they know `secret`, and proves the same to them.

    What a candidate sends ends its own connection only. A candidate can send `LARGEST_HANDSHAKE` bytes, and has
    `HANDSHAKE_S` seconds for the whole handshake. The listener owns the socket; one thread uses it.
    """

    def __init__(
        self, listening: socket.socket, secret: bytes, codec: Codec[Received], *, most_unsent: int | None = None
    ) -> None:
        listening.setblocking(False)
        self._socket, self._secret = listening, secret
        self._codec, self._most_unsent = codec, most_unsent
        # In the order of their arrival, and so of their deadlines.
        self._unauthenticated: list[_Unauthenticated] = []

    @property
    def port(self) -> int:
        """The port on which it listens."""
        return int(self._socket.getsockname()[1])

    def accept(self, timeout_s: float | None = None) -> Peer[Received]:
        """Wait for the next peer that proves the secret; None waits without a limit.

        Raises `TimeoutError`, and `OSError` or `ValueError` once closed.
        """
        until = None if timeout_s is None else time.monotonic() + timeout_s
        while True:
            now = time.monotonic()
            while self._unauthenticated and self._unauthenticated[0].until <= now:
                self._close(self._unauthenticated[0], "silent")
            if until is not None and until <= now:
                raise TimeoutError
            ends = [end for end in (until, *(one.until for one in self._unauthenticated[:1])) if end is not None]
            waiting: list[socket.socket | _Unauthenticated] = [self._socket, *self._unauthenticated]
            for readable in select.select(waiting, [], [], min(ends) - now if ends else None)[0]:
                if not isinstance(readable, _Unauthenticated):
                    self._challenge()
                elif readable in self._unauthenticated and (peer := self._authenticate(readable)) is not None:
                    return peer

    def close(self) -> None:
        """Accept no more peers, and end the connections without a proof. May be called twice."""
        self._socket.close()
        while self._unauthenticated:
            self._close(self._unauthenticated[0], "closed")

    def _challenge(self) -> None:
        try:
            connection, address = self._socket.accept()
        except OSError as error:
            # It has left again, or this process has no descriptor to spare, maybe for some time.
            log.info("a connection is lost: %s", error)
            if self._unauthenticated:
                self._close(self._unauthenticated[0], "limit reached")
            time.sleep(_PAUSE_S)
            return
        if len(self._unauthenticated) == MOST_WAITING:
            self._close(self._unauthenticated[0], "limit reached")
        nonce = secrets.token_bytes(_NONCE_BYTES)
        try:
            channel = Channel(connection, _HANDSHAKE, most_unsent=self._most_unsent)
            channel.send(_Challenge(VERSION, nonce))
        except OSError as error:
            log.info("%s is gone: %s", address[0], error)
            connection.close()
        else:
            self._unauthenticated.append(_Unauthenticated(channel, address[0], nonce, time.monotonic() + HANDSHAKE_S))

    def _authenticate(self, candidate: _Unauthenticated) -> Peer[Received] | None:
        """Return a candidate that has proved the secret as a peer, None for one that has not, or not yet."""
        try:
            if (found := candidate.channel.receive(0.0)) is None:
                return None
            if not isinstance(found, _Proof):
                raise NotAuthentic("the peer is out of turn")
            nonces = candidate.nonce, found.nonce
            _compare(found.proof, _proof(self._secret, b"proves", found.number, *nonces))
            candidate.channel.send(
                _Proof(found.number, found.nonce, _proof(self._secret, b"demands", found.number, *nonces))
            )
        except OSError as error:
            self._close(candidate, str(error))
            return None
        self._unauthenticated.remove(candidate)
        candidate.channel.codec = self._codec
        return Peer(candidate.channel, found.number, candidate.host)

    def _close(self, candidate: _Unauthenticated, why: str) -> None:
        log.info("%s has not proved the secret: %s", candidate.host, why)
        self._unauthenticated.remove(candidate)
        candidate.channel.close()


def _next(channel: Channel[Any], kind: type[_Step], until: float) -> _Step:
    message = channel.receive(max(0.0, until - time.monotonic()))
    if not isinstance(message, kind):
        raise NotAuthentic("the peer is silent, or out of turn")
    return message


def _proof(secret: bytes, role: bytes, number: int, first: bytes, second: bytes) -> bytes:
    return hmac.digest(secret, b"%s %d " % (role, number) + first + second, "sha256")


def _compare(found: bytes, expected: bytes) -> None:
    if not hmac.compare_digest(found, expected):
        raise NotAuthentic("the peer does not know the secret")
