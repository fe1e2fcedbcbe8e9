"""The tree cache of speculative speculative decoding: what was drafted for the likely outcomes of a round.

The runner fills one. The engine has a copy, as far as it has arrived.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

# An outcome of a round: the number of accepted draft tokens, and the recovery token that follows them.
BranchKey = tuple[int, int]


@dataclass(slots=True)
class TreeCache:
    """The branches for outcomes of the proposal `proposed`, which was made for a text of `position` tokens.

    `branches` has what was drafted to follow each of them.
    """

    position: int = 0
    proposed: list[int] = field(default_factory=list)
    branches: dict[BranchKey, list[int]] = field(default_factory=dict)

    def continuation(self, position: int, tokens: Sequence[int]) -> list[int]:
        """Return what was drafted for a round that committed `tokens` to a text of `position` tokens; [] for nothing.

        If the round verified only part of the proposal and its recovery token equals the next one, the remainder
        follows.
        """
        *accepted, recovery = tokens
        count = len(accepted)
        if position != self.position or accepted != self.proposed[:count]:
            return []
        if self.proposed[count : count + 1] == [recovery]:
            return self.proposed[count + 1 :]
        return self.branches.get((count, recovery), [])

    def is_miss(self, position: int, tokens: Sequence[int]) -> bool:
        """Whether nothing will be drafted for this outcome: another proposal was verified, or no branch begins so."""
        *accepted, recovery = tokens
        count = len(accepted)
        if position != self.position or not self.branches:
            return False
        if accepted != self.proposed[:count]:
            return True
        follows = self.proposed[count : count + 1] == [recovery]
        return not follows and (count, recovery) not in self.branches
