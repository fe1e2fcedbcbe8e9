"""The interface of proposers, and their proposals.

A proposer never changes the text: it only decides which tokens the main model verifies.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import mlx.core as mx

from engine.errors import is_device_failure


@dataclass(frozen=True, slots=True)
class Proposal:
    """`count` draft tokens to follow the committed ones.

    `tokens` holds main-model ids: a list, or an int32 array of shape (count,) that may still be lazy. `source` names
    the proposer. `distributions`, float32 of shape (count, vocabulary), are those that the tokens were drawn from; None
    means that each is a point mass. `stopped_early` is true if drafting ended below the requested depth because further
    tokens were unlikely to be accepted.
    """

    tokens: mx.array | list[int]
    source: str
    count: int
    distributions: mx.array | None = None
    stopped_early: bool = False


@dataclass(frozen=True, slots=True)
class Observation:
    """A shadow evaluation: the first `accepted` of `drafted` tokens agree with the committed text."""

    drafted: int
    accepted: int


class ProposerFailed(Exception):
    """The proposer `source` raised its cause. The main model's state is untouched."""

    def __init__(self, source: str) -> None:
        super().__init__(f"the proposer {source!r} failed")
        self.source = source


@contextmanager
def as_proposer_failure(source: str) -> Iterator[None]:
    """Raise any exception of the body as `ProposerFailed(source)`, except a failure of the device."""
    try:
        yield
    except Exception as error:
        # The main model's pass may have been on the device, too.
        if is_device_failure(error):
            raise
        raise ProposerFailed(source) from error


class Proposer(ABC):
    """A source of draft tokens for one conversation.

    Owned and called by the engine's thread only. A subclass needs a `source`, `max_proposals` and `propose`; the other
    defaults suit one that keeps no state and runs no model.
    """

    source: str
    # Whether another process or device drafts, so that its drafting cannot be timed apart from the round.
    drafts_elsewhere = False

    @property
    def reason(self) -> str:
        """Why `max_proposals()` is 0, as a code of `engine.stats.PlainSpan`."""
        return "no-guess"

    @property
    def backlog(self) -> int:
        """Committed tokens to catch up on before it can propose, beyond those that every round leaves unread."""
        return 0

    @property
    def prefilled_tokens(self) -> int:
        """Tokens of prompt and text that a model of its own has read during catch-up."""
        return 0

    @abstractmethod
    def max_proposals(self) -> int:
        """Return the most draft tokens that it can propose now."""

    def prepare(self) -> bool:
        """Do one bounded piece of the work needed before `propose`; False when none is left."""
        return False

    @abstractmethod
    def propose(self, depth: int) -> Proposal:
        """Propose up to `depth` draft tokens, 1 <= depth <= max_proposals()."""

    def committed(self, tokens: Sequence[int], accepted: int, drafted: int) -> None:  # noqa: B027
        """Follow a round, which may be plain, that committed `tokens`.

        `accepted` of `drafted` tokens of this proposer were kept; both are 0 if it proposed none.
        """

    def observations(self) -> Sequence[Observation]:
        """Return the shadow evaluations since the last call."""
        return ()

    def reset(self, tokens: Sequence[int]) -> None:  # noqa: B027
        """Start on a conversation that holds `tokens`."""

    def abandon(self) -> None:  # noqa: B027
        """Drop draft tokens that no round will commit: the request ended or failed."""
