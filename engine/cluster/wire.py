"""Messages between the processes of a cluster: JSON objects behind their length, over an authenticated TCP connection.

Nothing is encrypted: a secret, handed over on the standard input of each rank, proves both ends to each other and never
crosses the connection. Imports no MLX.
"""

from __future__ import annotations

import hmac
import json
import secrets
import socket
import struct
import threading
from contextlib import suppress
from typing import Any

# A prompt of a million tokens is far below this.
LARGEST_MESSAGE = 2**28
# Seconds for a handshake on a connection that is open already.
HANDSHAKE_S = 10.0
_LENGTH = struct.Struct("!I")
_NONCE_BYTES = 32


class NotAuthentic(ConnectionError):
    """The other end does not know the secret, or does not speak this protocol."""


class Connection:
    """One end of a connection. Any thread may send; one thread receives."""

    def __init__(self, end: socket.socket) -> None:
        self._socket = end
        self._lock = threading.Lock()
        # A round waits for its message, so it must not wait for a full packet.
        end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(self, message: dict[str, Any]) -> None:
        """Raises `OSError` where the connection is lost."""
        body = json.dumps(message, separators=(",", ":")).encode()
        with self._lock:
            self._socket.sendall(_LENGTH.pack(len(body)) + body)

    def receive(self) -> dict[str, Any]:
        """Wait for the next message. Raises `ConnectionError` at the end, and `ValueError` for what is no message."""
        (length,) = _LENGTH.unpack(self._bytes(_LENGTH.size))
        if length > LARGEST_MESSAGE:
            raise ValueError(f"a message of {length} bytes")
        message = json.loads(self._bytes(length))
        if not isinstance(message, dict):
            raise ValueError("a message that is no object")
        return message

    def set_timeout(self, seconds: float | None) -> None:
        """How long `receive` waits before it raises `TimeoutError`."""
        self._socket.settimeout(seconds)

    def close(self) -> None:
        """May be called from any thread and twice; a thread that receives is woken."""
        # It may have been closed by the other end.
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _bytes(self, count: int) -> bytes:
        parts = []
        while count:
            part = self._socket.recv(min(count, 2**20))
            if not part:
                raise ConnectionError("the other end has closed the connection")
            parts.append(part)
            count -= len(part)
        return b"".join(parts)


def accept(end: socket.socket, secret: bytes) -> tuple[Connection, int]:
    """Authenticate who has connected; returns the connection and the rank that it claims.

    Raises `NotAuthentic`, and closes the connection then.
    """
    connection = Connection(end)
    try:
        end.settimeout(HANDSHAKE_S)
        challenge = secrets.token_hex(_NONCE_BYTES)
        connection.send({"challenge": challenge})
        answer = connection.receive()
        rank = int(answer["rank"])
        if not hmac.compare_digest(str(answer["proof"]), _proof(secret, "joins", challenge, rank)):
            raise NotAuthentic("a wrong secret")
        connection.send({"proof": _proof(secret, "accepts", str(answer["challenge"]), rank)})
        end.settimeout(None)
    except (OSError, ValueError, KeyError, TypeError) as error:
        connection.close()
        raise NotAuthentic(str(error)) from error
    return connection, rank


def connect(address: tuple[str, int], secret: bytes, rank: int) -> Connection:
    """Connect as `rank`. Raises `OSError`; `NotAuthentic` where the other end does not know the secret."""
    end = socket.create_connection(address, timeout=HANDSHAKE_S)
    connection = Connection(end)
    try:
        greeting = connection.receive()
        challenge = secrets.token_hex(_NONCE_BYTES)
        proof = _proof(secret, "joins", str(greeting["challenge"]), rank)
        connection.send({"rank": rank, "challenge": challenge, "proof": proof})
        if not hmac.compare_digest(str(connection.receive()["proof"]), _proof(secret, "accepts", challenge, rank)):
            raise NotAuthentic("a wrong secret")
        end.settimeout(None)
    except (ConnectionError, TimeoutError, ValueError, KeyError) as error:
        connection.close()
        raise NotAuthentic(str(error)) from error
    return connection


def _proof(secret: bytes, role: str, challenge: str, rank: int) -> str:
    return hmac.new(secret, f"{role} {rank} {challenge}".encode(), "sha256").hexdigest()
