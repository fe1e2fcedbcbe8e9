"""What every way of guessing has in common: the protocol, and what a guess looks like.

A proposer never changes the text: it only decides which tokens the main model gets to check.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import mlx.core as mx


@dataclass(frozen=True, slots=True)
class Proposal:
    """`count` guesses for the tokens after the committed ones.

    `tokens` holds main-model ids: a list, or an int32 array of shape (count,) that may still be lazy.
    `source` names the proposer. `distributions` has shape (count, vocabulary), float32, one row a guess:
    what the guess was drawn from; None means that the guess is a point mass. `stopped` tells that no more were drafted
    because they would hardly have been right.
    """

    tokens: mx.array | list[int]
    source: str
    count: int
    distributions: mx.array | None = None
    stopped: bool = False


@dataclass(frozen=True, slots=True)
class Trial:
    """The first `accepted` of `drafted` guesses came true without a verify pass: the text went there."""

    bucket: str
    drafted: int
    accepted: int


class Proposer(Protocol):
    """A source of guesses for one conversation. Owned and called by the engine's thread only."""

    source: str

    @property
    def bucket(self) -> str:
        """What kind of guess comes next ("" when all are alike): acceptance is learned for each kind."""

    @property
    def reason(self) -> str:
        """Why `limit()` is 0, as a code of `engine.stats.PlainSpan`."""

    @property
    def unread(self) -> int:
        """How many committed tokens it has to read before it can guess, beyond what every round leaves it."""

    @property
    def can_look(self) -> bool:
        """Whether `look` would find anything."""

    def look(self) -> None:
        """Find out what it would have guessed of the committed tokens, for `trials` to tell. Reads what is `unread`."""

    def limit(self) -> int:
        """The most guesses on offer after the committed tokens; 0 when there are none."""

    def prepare(self) -> bool:
        """Do one bounded piece of what has to come before guessing; False when there is nothing left to do."""

    def propose(self, depth: int) -> Proposal:
        """Up to `depth` guesses, 1 <= depth <= limit()."""

    def committed(self, tokens: Sequence[int], accepted: int, drafted: int) -> None:
        """Hear the tokens that a round committed; called after every round, a plain one too.

        `accepted` of `drafted` guesses of this proposer were kept; both are 0 where it made none.
        """

    def trials(self) -> Sequence[Trial]:
        """Guesses checked against committed tokens since the last call, other than those of `propose`."""

    def reset(self, tokens: Sequence[int]) -> None:
        """Start on a conversation that holds `tokens`: a new one, or the last one after an edit."""

    def abandon(self) -> None:
        """Drop guesses that no round will settle: the request ended or failed."""
