"""The messages between engine and asynchronous drafter: plain numbers within bounds."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from engine.requests import MAX_DEPTH, SamplingSettings
from engine.wire.messages import Codec, WireMessage

# A text of a million tokens fits into one message.
LARGEST_MESSAGE = 2**23
LONGEST_WINDOW = 2**20

_Count = Annotated[int, Meta(ge=0, lt=2**32)]
_Number = Annotated[int, Meta(ge=0)]


class Ready(WireMessage, frozen=True):
    """The drafter has loaded its model."""


class DrafterRefusal(WireMessage, frozen=True):
    """The drafter cannot draft; `reason` is a code."""

    reason: Annotated[str, Meta(pattern="^[a-z-]{1,64}$")]


class Begin(WireMessage, frozen=True):
    """An answer begins, with its `conversation` key and the settings of the main model's draws."""

    conversation: _Number
    seed: _Number
    vocabulary: Annotated[int, Meta(gt=0, le=2**24)]
    sampling: SamplingSettings


class RoundOutcome(WireMessage, frozen=True):
    """What a round committed: the text from `position` on is `tokens`, the last of them the bonus token.

    It asks for `depth` draft tokens to follow. The answer repeats `round`.
    """

    conversation: _Number
    round: _Count
    position: _Count
    tokens: Annotated[tuple[_Count, ...], Meta(min_length=1)]
    depth: Annotated[int, Meta(ge=1, le=MAX_DEPTH)]


class DraftReply(WireMessage, frozen=True):
    """Draft `tokens` that were prepared to follow the text of `position` tokens, none if no outcome was like it."""

    conversation: _Number
    round: _Count
    position: _Count
    tokens: Annotated[tuple[_Count, ...], Meta(max_length=MAX_DEPTH)] = ()


class End(WireMessage, frozen=True):
    """The answer has ended, so the drafter stops."""

    conversation: _Number


ToDrafter = Begin | RoundOutcome | End
ToEngine = Ready | DrafterRefusal | DraftReply
TO_DRAFTER: Codec[ToDrafter] = Codec(ToDrafter, largest=LARGEST_MESSAGE)
TO_ENGINE: Codec[ToEngine] = Codec(ToEngine, largest=LARGEST_MESSAGE)
# A peer that leaves more bytes unread counts as stopped.
MOST_UNSENT = 2 * LARGEST_MESSAGE
