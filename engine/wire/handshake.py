"""Both ends of a connection prove that they know a shared secret before any other message passes."""

from __future__ import annotations

import hmac
import logging
import secrets
import socket
import time
from typing import Annotated, Any, Generic, TypeVar

from msgspec import Meta

from engine.wire.channel import Channel
from engine.wire.messages import ChannelClosed, Codec, Received, WireMessage

log = logging.getLogger(__name__)

# Changes whenever older versions cannot read a message: the peer may run on another computer. A test compares it with a
# digest of all messages.
VERSION = 9
# Seconds to connect.
CONNECT_S = 10.0
# Seconds for the whole handshake of an end that connects: the listener may first wait for the proofs of others.
HANDSHAKE_S = 30.0
# Seconds that the listener waits for one proof.
PROOF_S = 3.0
# The largest message in bytes that a peer may send before it has proved the secret.
LARGEST_HANDSHAKE = 256
_NONCE_BYTES = 32


class _Challenge(WireMessage, frozen=True):
    """The listener's first message: its version, and a random number that no proof of an earlier connection fits."""

    version: Annotated[int, Meta(ge=VERSION, le=VERSION)]
    nonce: Annotated[bytes, Meta(min_length=_NONCE_BYTES, max_length=_NONCE_BYTES)]


class _Proof(WireMessage, frozen=True):
    """The answer of an end that connects, with a random number of its own; then the listener's proof in return."""

    number: int
    nonce: Annotated[bytes, Meta(min_length=_NONCE_BYTES, max_length=_NONCE_BYTES)]
    proof: bytes


_HANDSHAKE: Codec[_Challenge | _Proof] = Codec(_Challenge | _Proof, largest=LARGEST_HANDSHAKE)
_Step = TypeVar("_Step", _Challenge, _Proof)


class NotAuthentic(ChannelClosed):
    """The peer does not know the secret, is silent, or does not speak this version of the protocol."""


def connect(address: tuple[str, int], secret: bytes, codec: Codec[Received], number: int = 0) -> Channel[Received]:
    """Connect to a `Listener`. Raises `OSError`, among them `NotAuthentic`."""
    channel = Channel(socket.create_connection(address, timeout=CONNECT_S), codec)
    prove(channel, secret, number)
    return channel


def prove(channel: Channel[Any], secret: bytes, number: int = 0) -> None:
    """Prove to a `Listener` that this end knows `secret`, and make it prove the same.

    `number` says which of several peers this end is. Afterwards the channel speaks its own codec. Closes the channel
    and raises `NotAuthentic` if either proof fails or takes longer than HANDSHAKE_S seconds.
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


class Listener(Generic[Received]):
    """Demands of each end that connects to `listening` a proof that it knows `secret`, and proves the same to it.

    It accepts one after the other. What an end without the secret sends ends its own connection only, and so does
    silence of `PROOF_S` seconds. The listener owns the socket; one thread uses it.
    """

    def __init__(self, listening: socket.socket, secret: bytes, codec: Codec[Received]) -> None:
        self._socket = listening
        self._secret = secret
        self._codec = codec

    @property
    def port(self) -> int:
        """The port on which it listens."""
        return int(self._socket.getsockname()[1])

    def accept(self, timeout_s: float | None = None) -> tuple[int, Channel[Received]]:
        """Return the number and the channel of the next peer that proves the secret; None waits without a limit.

        Raises `TimeoutError`, and `OSError` once closed.
        """
        until = None if timeout_s is None else time.monotonic() + timeout_s
        while True:
            left = None if until is None else until - time.monotonic()
            if left is not None and left <= 0:
                raise TimeoutError
            self._socket.settimeout(left)
            try:
                connection, address = self._socket.accept()
            except ConnectionError:
                # It has left again.
                continue
            try:
                return self._authenticated(connection)
            except OSError as error:
                log.info("%s has not proved the secret: %s", address[0], error)
                connection.close()

    def close(self) -> None:
        """Accept no more peers. May be called twice."""
        self._socket.close()

    def _authenticated(self, connection: socket.socket) -> tuple[int, Channel[Received]]:
        """Return the number and the channel of a peer that proves the secret. Raises `OSError` for any other."""
        channel: Channel[Any] = Channel(connection, _HANDSHAKE)
        nonce = secrets.token_bytes(_NONCE_BYTES)
        channel.send(_Challenge(VERSION, nonce))
        answer = _next(channel, _Proof, time.monotonic() + PROOF_S)
        nonces = (nonce, answer.nonce)
        _compare(answer.proof, _proof(self._secret, b"proves", answer.number, *nonces))
        own_proof = _proof(self._secret, b"demands", answer.number, *nonces)
        channel.send(_Proof(answer.number, answer.nonce, own_proof))
        channel.codec = self._codec
        return answer.number, channel


def _next(channel: Channel[Any], kind: type[_Step], until: float) -> _Step:
    """Return the next message, received before the time `until`. Raises `NotAuthentic` if it is not of this kind."""
    message = channel.receive(max(0.0, until - time.monotonic()))
    if not isinstance(message, kind):
        raise NotAuthentic("the peer is silent, or out of turn")
    return message


def _proof(secret: bytes, role: bytes, number: int, first: bytes, second: bytes) -> bytes:
    """Return the proof of an end: an HMAC of both nonces, the listener's first, that only the secret makes.

    `role` makes the proofs of the two ends differ, so that neither can send the other's back.
    """
    return hmac.digest(secret, b"%s %d " % (role, number) + first + second, "sha256")


def _compare(received: bytes, expected: bytes) -> None:
    """Raise `NotAuthentic` unless the proofs are equal; takes as long wherever they differ."""
    if not hmac.compare_digest(received, expected):
        raise NotAuthentic("the peer does not know the secret")
