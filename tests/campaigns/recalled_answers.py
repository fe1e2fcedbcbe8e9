"""A source of draft tokens that knows what plain decoding answered, so that passes of any width have rows to keep."""

from __future__ import annotations

import random

from engine.speculation.proposers.context import ProposerContext
from engine.speculation.rounds.proposal import Proposal, Proposer
from engine.speculation.rounds.sequence import CachedSequence

SOURCE = "recalled"
# The share of proposals with a wrong token, which is as likely at each place.
WRONG = 0.6
# The answers of plain decoding by their prompts' ids.
ANSWERS: dict[tuple[int, ...], tuple[int, ...]] = {}


class RecalledProposer(Proposer):
    """Proposes the rest of the known answer to the prompt that `main` holds, or the prompt's own ids without one."""

    source = SOURCE

    def __init__(self, main: CachedSequence, deepest: int) -> None:
        self._main, self._deepest = main, deepest
        self._prompt = tuple(main.tokens)
        self._draw = random.Random(len(self._prompt))

    def max_proposals(self) -> int:
        return self._deepest

    def propose(self, depth: int) -> Proposal:
        done = len(self._main.tokens) - len(self._prompt)
        tokens = [*ANSWERS.get(self._prompt, ())[done : done + depth]]
        tokens += self._draw.choices(self._prompt, k=depth - len(tokens))
        if self._draw.random() < WRONG:
            tokens[self._draw.randrange(depth)] = self._draw.choice(self._prompt)
        return Proposal(tokens, SOURCE, depth)


def build(context: ProposerContext) -> RecalledProposer:
    return RecalledProposer(context.conversation.main, context.settings.depth_limit)
