"""A small protocol for tests of channels and handshakes."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from engine.requests import SamplingSettings
from engine.wire.messages import Codec, WireMessage

LARGEST_MESSAGE = 2**23
MOST_UNSENT = 2 * LARGEST_MESSAGE
UInt32 = Annotated[int, Meta(ge=0, lt=2**32)]


class Begin(WireMessage, frozen=True):
    seed: Annotated[int, Meta(ge=0)]
    sampling: SamplingSettings


class Text(WireMessage, frozen=True):
    position: UInt32
    tokens: Annotated[tuple[UInt32, ...], Meta(min_length=1)]


class Reply(WireMessage, frozen=True):
    position: UInt32
    tokens: Annotated[tuple[UInt32, ...], Meta(max_length=16)] = ()


class End(WireMessage, frozen=True):
    number: int


ASKED: Codec[Begin | Text | End] = Codec(Begin | Text | End, largest=LARGEST_MESSAGE)
ANSWERED: Codec[Reply] = Codec(Reply, largest=LARGEST_MESSAGE)
