"""The interface of proposers, and what a proposer returns.

A proposer never changes the text: it only decides which tokens the main model verifies.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import mlx.core as mx


@dataclass(frozen=True, slots=True)
class Proposal:
    """`count` draft tokens to follow the committed ones.

    `tokens` holds main-model ids: a list, or an int32 array of shape (count,) that may still be lazy.
    `source` names the proposer. `distributions`, float32 of shape (count, vocabulary), is what each token was drawn
    from; None means that each is a point mass. `stopped_early` is true if drafting ended below the depth asked for
    because further tokens were unlikely to be accepted.
    """

    tokens: mx.array | list[int]
    source: str
    count: int
    distributions: mx.array | None = None
    stopped_early: bool = False


@dataclass(frozen=True, slots=True)
class Observation:
    """Of `drafted` tokens the first `accepted` agree with the committed text; found without a verify pass."""

    drafted: int
    accepted: int


class Proposer(ABC):
    """A source of draft tokens for one conversation. Owned and called by the engine's thread only.

    A subclass needs a `source`, `max_proposals` and `propose`; the defaults of everything else are right for one that
    keeps no state and runs no model.
    """

    source: str

    @property
    def drafts_aside(self) -> bool:
        """Whether it drafts while the main model verifies, so that its next round is timed as a whole."""
        return False

    @property
    def reason(self) -> str:
        """Why `max_proposals()` is 0, as a code of `engine.stats.PlainSpan`."""
        return "no-guess"

    @property
    def backlog(self) -> int:
        """Committed tokens to catch up on before it can propose, beyond what every round leaves behind."""
        return 0

    @property
    def prefilled_tokens(self) -> int:
        """Tokens of prompt and text that a model of its own has read in catching up."""
        return 0

    @abstractmethod
    def max_proposals(self) -> int:
        """The most draft tokens it can propose now; 0 when there are none."""

    def prepare(self) -> bool:
        """Do one bounded piece of the work needed before `propose`; False when none is left."""
        return False

    @abstractmethod
    def propose(self, depth: int) -> Proposal:
        """Up to `depth` draft tokens, 1 <= depth <= max_proposals()."""

    def committed(self, tokens: Sequence[int], accepted: int, drafted: int) -> None:  # noqa: B027
        """Called after every round, plain rounds included, with the tokens it committed.

        `accepted` of `drafted` tokens of this proposer were kept; both are 0 where it proposed none.
        """

    def observations(self) -> Sequence[Observation]:
        """Proposals compared with committed tokens since the last call, other than those of `propose`."""
        return ()

    def reset(self, tokens: Sequence[int]) -> None:  # noqa: B027
        """Start on a conversation that holds `tokens`."""

    def abandon(self) -> None:  # noqa: B027
        """Drop draft tokens that no round will commit: the request ended or failed."""
