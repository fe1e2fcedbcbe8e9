"""The messages between engine and asynchronous drafter: plain numbers within bounds."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from engine.requests import MAX_DRAFTED, SamplingSettings
from engine.wire.messages import Codec, WireMessage

# A text of a million tokens fits into one message.
LARGEST_MESSAGE = 2**23
LONGEST_WINDOW = 2**20

_UInt32 = Annotated[int, Meta(ge=0, lt=2**32)]
_UInt = Annotated[int, Meta(ge=0)]


class Ready(WireMessage, frozen=True):
    """The drafter has loaded its model."""


class DrafterRefusal(WireMessage, frozen=True):
    """The drafter cannot draft; `reason` is a code."""

    reason: Annotated[str, Meta(pattern="^[a-z-]{1,64}$")]


class Begin(WireMessage, frozen=True):
    """An answer begins, with its `conversation` key and the settings of the main model's draws."""

    conversation: _UInt
    seed: _UInt
    vocabulary: Annotated[int, Meta(gt=0, le=2**24)]
    sampling: SamplingSettings


class RoundOutcome(WireMessage, frozen=True):
    """A round committed `tokens` from `position` on, the bonus token last, and asks for `depth` draft tokens."""

    conversation: _UInt
    round: _UInt32
    position: _UInt32
    tokens: Annotated[tuple[_UInt32, ...], Meta(min_length=1)]
    depth: Annotated[int, Meta(ge=1, le=MAX_DRAFTED)]


class DraftReply(WireMessage, frozen=True):
    """Draft `tokens` that were prepared to follow the text of `position` tokens, none if no outcome was like it."""

    conversation: _UInt
    round: _UInt32
    position: _UInt32
    tokens: Annotated[tuple[_UInt32, ...], Meta(max_length=MAX_DRAFTED)] = ()


class End(WireMessage, frozen=True):
    """The answer has ended, so the drafter stops."""

    conversation: _UInt


ToDrafter = Begin | RoundOutcome | End
FromDrafter = Ready | DrafterRefusal | DraftReply
TO_DRAFTER: Codec[ToDrafter] = Codec(ToDrafter, largest=LARGEST_MESSAGE)
FROM_DRAFTER: Codec[FromDrafter] = Codec(FromDrafter, largest=LARGEST_MESSAGE)
# A peer that leaves more bytes unread counts as stopped.
MOST_UNSENT = 2 * LARGEST_MESSAGE
