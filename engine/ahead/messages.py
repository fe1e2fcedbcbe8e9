"""The messages between the engine and a draft runner: plain numbers within bounds."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from engine.requests import MAX_DRAFTED, SamplingSettings
from engine.wire.messages import Codec, WireMessage

# Bytes. A text of a million tokens fits into one message.
LARGEST_MESSAGE = 2**23
# The largest `SamplingSettings.penalty_window` that is sent, in tokens.
LONGEST_WINDOW = 2**20
# Bytes of one part of what a draft model was taught.
TAUGHT_PART = 2**22
# `RoundOutcome.acceptance` before the first round of an answer tells it: as in text that is usual to draft. With 1.0,
# 0.5 % fewer prepared tokens are accepted where rows are free, and with 0.5, 0.4 % where they are cheap.
FIRST_ACCEPTANCE = (0.7,)
# The most recovery tokens that are prepared for at a cut: F in arXiv:2603.03251, with its default. Each further one is
# right less often than the one before, and makes the first pass wider, from which the costs of rows are learned. With
# one, 40 % fewer prepared tokens are accepted where rows are free, and 19 % on a processor if most drafts are rejected.
MOST_RECOVERY = 3

_UInt32 = Annotated[int, Meta(ge=0, lt=2**32)]
_UInt = Annotated[int, Meta(ge=0)]
_Chance = Annotated[float, Meta(ge=0.0, le=1.0)]


class Ready(WireMessage, frozen=True):
    """The runner has loaded its draft model."""


class Refusal(WireMessage, frozen=True):
    """The runner cannot draft; `reason` is a code of `RunnerLink.reason`."""

    reason: Annotated[str, Meta(pattern="^[a-z-]{1,64}$")]


class TaughtPart(WireMessage, frozen=True):
    """The next bytes of the file of what the draft model was taught, which is added to it after the last part."""

    content: Annotated[bytes, Meta(max_length=TAUGHT_PART)]
    is_last: bool


class TaughtTaken(WireMessage, frozen=True):
    """The runner has taken a part, and after the last one the draft model drafts as it was taught."""


class Begin(WireMessage, frozen=True):
    """An answer begins, with its random `conversation` key and the settings of the main model's draws.

    `vocabulary` is the number of the main model's tokens. `seed` is the sampler's, which `sampling` lacks. Of the text
    before, the caches keep no more than the first `most_kept` tokens. At each cut, at most `recovery_tokens` tokens are
    prepared for.
    """

    conversation: _UInt
    seed: _UInt
    vocabulary: Annotated[int, Meta(gt=0, le=2**24)]
    sampling: SamplingSettings
    most_kept: _UInt32 = 2**32 - 1
    recovery_tokens: Annotated[int, Meta(ge=1, le=MOST_RECOVERY)] = MOST_RECOVERY


class RoundOutcome(WireMessage, frozen=True):
    """A round committed `tokens` from `position` on, and `depth` draft tokens are wanted to follow them.

    The last of `tokens` is the recovery token, which the main model drew itself; those before it were accepted. The
    first outcome of an answer has its whole text. `acceptance` has the rate at which each draft token of a round is
    accepted if those before it are, the last one for all further tokens, too. It decides what is prepared first.
    """

    conversation: _UInt
    round: _UInt32
    position: _UInt32
    tokens: Annotated[tuple[_UInt32, ...], Meta(min_length=1)]
    depth: Annotated[int, Meta(ge=1, le=MAX_DRAFTED)]
    acceptance: Annotated[tuple[_Chance, ...], Meta(min_length=1, max_length=MAX_DRAFTED)] = FIRST_ACCEPTANCE


class DraftReply(WireMessage, frozen=True):
    """The draft `tokens` that were prepared to follow the text of `position` tokens; () if none were."""

    conversation: _UInt
    round: _UInt32
    position: _UInt32
    tokens: Annotated[tuple[_UInt32, ...], Meta(max_length=MAX_DRAFTED)] = ()


class PreparedBranch(Struct, frozen=True, array_like=True):
    """The draft tokens to follow one outcome of a round: `accepted` draft tokens are, and `recovery` follows them."""

    accepted: Annotated[int, Meta(ge=0, le=MAX_DRAFTED)]
    recovery: _UInt32
    drafted: Annotated[tuple[_UInt32, ...], Meta(max_length=MAX_DRAFTED)]


class PreparedTree(WireMessage, frozen=True):
    """What is drafted so far for the outcomes of a round; sent before the outcome is known, and again as it grows.

    The round verifies `proposed` after a text of `position` tokens. Branches of likelier outcomes are longer.
    """

    conversation: _UInt
    position: _UInt32
    proposed: Annotated[tuple[_UInt32, ...], Meta(max_length=MAX_DRAFTED)]
    branches: Annotated[tuple[PreparedBranch, ...], Meta(max_length=(MAX_DRAFTED + 1) * MOST_RECOVERY)]


class End(WireMessage, frozen=True):
    """The answer has ended, or rests until its next outcome: the runner works no more for it."""

    conversation: _UInt


ToRunner = TaughtPart | Begin | RoundOutcome | End
FromRunner = Ready | Refusal | TaughtTaken | DraftReply | PreparedTree
TO_RUNNER: Codec[ToRunner] = Codec(ToRunner, largest=LARGEST_MESSAGE)
FROM_RUNNER: Codec[FromRunner] = Codec(FromRunner, largest=LARGEST_MESSAGE)
# Bytes. A peer that leaves more unread counts as stopped.
MOST_UNSENT = 2 * LARGEST_MESSAGE
