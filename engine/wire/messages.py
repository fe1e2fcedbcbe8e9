"""Typed messages as MessagePack after four bytes of length. Other bytes are refused, and none are run as code."""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import partial
from typing import Any, Generic, TypeVar

import msgspec

from engine.errors import CodedError

Received = TypeVar("Received")
Decoded = TypeVar("Decoded")
LARGEST_MESSAGE = 2**27
_LENGTH = struct.Struct("!I")


class WireMessage(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """A message on a connection: the name of its class and its fields, whose types the receiver checks."""


class ChannelClosed(ConnectionError):
    """The peer is gone, does not read, or sent bytes that are no message; the connection is of no further use."""


class BadMessage(ChannelClosed):
    """The peer sent something else than a message of the expected kind."""


class MessageTooLarge(BadMessage):
    """The peer announced a message above the limit."""


class Codec(Generic[Received]):
    """Encodes any message, and decodes messages of `kind`, a class or a union, of at most `largest` bytes.

    The hooks convert types that msgspec does not know.
    """

    def __init__(
        self,
        kind: Any,
        *,
        largest: int = LARGEST_MESSAGE,
        enc_hook: Callable[[Any], Any] | None = None,
        dec_hook: Callable[[type, Any], Any] | None = None,
    ) -> None:
        self.largest = largest
        self._encoder = msgspec.msgpack.Encoder(enc_hook=enc_hook)
        self._decoder: msgspec.msgpack.Decoder[Received] = msgspec.msgpack.Decoder(kind, dec_hook=dec_hook)

    def frame(self, message: WireMessage) -> bytes:
        """Return a message as bytes. Raises `TypeError`, `ValueError` or `OverflowError` if it cannot be encoded."""
        content = self._encoder.encode(message)
        return _LENGTH.pack(len(content)) + content

    def take(self, received: bytearray) -> Received | None:
        """Remove the first whole message from `received` and return it; None while there is none.

        Raises `BadMessage`; for a message that is too large, as soon as its length has arrived. That is a
        `MessageTooLarge`.
        """
        if len(received) < _LENGTH.size:
            return None
        (length,) = _LENGTH.unpack_from(received)
        if length > self.largest:
            raise MessageTooLarge(f"a message of {length} bytes")
        end = _LENGTH.size + length
        if len(received) < end:
            return None
        content = bytes(received[_LENGTH.size : end])
        del received[:end]
        return _decoded(self._decoder.decode, content)


def pack(value: Any, enc_hook: Callable[[Any], Any] | None = None) -> msgspec.Raw:
    """Encode a value whose type the receiver of the message knows by other means."""
    return msgspec.Raw(msgspec.msgpack.encode(value, enc_hook=enc_hook))


def unpack(raw: msgspec.Raw, kind: Any, dec_hook: Callable[[type, Any], Any] | None = None) -> Any:
    """Decode a packed value of type `kind`. Raises `BadMessage` for any other value."""
    return _decoded(partial(msgspec.msgpack.decode, type=kind, dec_hook=dec_hook), raw)


def _decoded(decode: Callable[[Any], Decoded], content: bytes | msgspec.Raw) -> Decoded:
    """Return what `decode` makes of the content. Raises `BadMessage` for whatever it raises."""
    try:
        return decode(content)
    # The classes of values raise errors of their own for bad arguments.
    except (msgspec.MsgspecError, CodedError, ValueError, TypeError, LookupError, RecursionError, MemoryError) as error:
        raise BadMessage(f"no message of this protocol: {error}") from error
