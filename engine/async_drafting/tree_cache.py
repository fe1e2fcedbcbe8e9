"""The likely outcomes of a round that is being verified, and the tree cache of the tokens drafted for them.

Speculative speculative decoding (Kumar, Dao, May, arXiv:2603.03251): an outcome is (accepted length, bonus token). The
paper calls the bonus token of a round with rejections its recovery token, and prepares several at the likelier lengths.
Here the drafter knows the noise of the main model's draws, so one for each length is hit about as often.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(slots=True)
class Branch:
    """The `tokens` drafted to follow `recovery` after `accepted` draft tokens; they grow during drafting."""

    accepted: int
    recovery: int
    tokens: list[int] = field(default_factory=list)


class TreeCache:
    """The branches for outcomes of the proposal `proposed`, which was made for a text of `position` tokens."""

    def __init__(self, position: int = 0, proposed: Sequence[int] = ()) -> None:
        self.position = position
        self.proposed = list(proposed)
        self._branches: dict[tuple[int, int], Branch] = {}

    def add(self, branches: Sequence[Branch]) -> None:
        """Add branches, one for each outcome."""
        self._branches |= {(branch.accepted, branch.recovery): branch for branch in branches}

    def find(self, position: int, tokens: Sequence[int]) -> list[int]:
        """Return what was drafted for a round that committed `tokens` to a text of `position` tokens; [] for nothing.

        If the round verified only part of the proposal and its bonus token equals the next one, the rest follows.
        """
        accepted, recovery = len(tokens) - 1, tokens[-1]
        if position != self.position or list(tokens[:-1]) != self.proposed[:accepted]:
            return []
        if self.proposed[accepted : accepted + 1] == [recovery]:
            return self.proposed[accepted + 1 :]
        branch = self._branches.get((accepted, recovery))
        return [] if branch is None else branch.tokens
