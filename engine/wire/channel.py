"""A connection for messages."""

from __future__ import annotations

import select
import socket
import threading
import time
from contextlib import suppress
from typing import Generic

from engine.wire.messages import ChannelClosed, Codec, Received, WireMessage

_CHUNK_BYTES = 2**18
# Seconds of silence after which TCP probes a peer on another computer. The option's name differs by system.
_ASLEEP_S = 30
_KEEP_ALIVE = [getattr(socket, name) for name in ("TCP_KEEPIDLE", "TCP_KEEPALIVE") if hasattr(socket, name)]


class Channel(Generic[Received]):
    """Messages over a connected stream socket, which it owns.

    Any thread may send, and one thread receives. `send` waits for a peer that reads slowly, unless `most_unsent` is
    given: then it never waits, and a peer that leaves more bytes than that unread counts as stopped.
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
        self._socket = end
        self._most_unsent = most_unsent
        self.codec: Codec[Received] = codec
        self._received = bytearray()
        self._unsent = bytearray()
        self._sending = threading.Lock()

    def send(self, message: WireMessage) -> None:
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

    def fileno(self) -> int:
        """Return the socket's descriptor, by which `select` knows the channel."""
        return self._socket.fileno()

    def _wait(
        self, reading: list[socket.socket], writing: list[socket.socket], timeout_s: float | None
    ) -> tuple[bool, bool]:
        """Wait until a socket can be read or written; returns whether any can. Raises `ChannelClosed`."""
        try:
            readable, writable, _ = select.select(reading, writing, [], timeout_s)
        except (OSError, ValueError) as error:
            raise ChannelClosed(str(error)) from error
        return bool(readable), bool(writable)

    def _read(self) -> None:
        """Add what has arrived to the bytes not decoded yet, without waiting. Raises `ChannelClosed`."""
        try:
            # A peer that has not proved the secret must not fill the memory: its codec allows few bytes (`handshake`).
            chunk = self._socket.recv(min(_CHUNK_BYTES, self.codec.largest))
        except BlockingIOError:
            return
        except OSError as error:
            raise ChannelClosed(str(error)) from error
        if not chunk:
            raise ChannelClosed("the peer has closed the connection")
        self._received += chunk

    def _flush(self) -> None:
        """Send what the socket takes now, without waiting. Raises `ChannelClosed`."""
        try:
            while self._unsent:
                del self._unsent[: self._socket.send(bytes(self._unsent[:_CHUNK_BYTES]))]
        except BlockingIOError:
            return
        except OSError as error:
            raise ChannelClosed(str(error)) from error
