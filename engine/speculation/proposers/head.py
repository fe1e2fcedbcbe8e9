"""Drafting with a head, which reads hidden states of the main model (DFlash, EAGLE-3, MTP).

The main model's sequence delivers its rows to the head's session; the head reads them when it is to propose. Draft
tokens are drawn with the Gumbel noise that the main model will use at the same position, as with a draft model.
"""

from __future__ import annotations

import mlx.core as mx

from engine.main_model.sampling import Sampler
from engine.requests import MAX_DRAFTED
from engine.speculation.drafters.head_session import MAX_PIECE_ROWS, HeadSession
from engine.speculation.proposers.context import ProposerContext
from engine.speculation.proposers.draft_sampling import DraftSampling
from engine.speculation.rounds.proposal import Proposal, Proposer
from engine.speculation.rounds.sequence import CachedSequence

# The most rows that a round leaves unread; more are read before the round, in pieces.
MOST_UNREAD_ROWS = 32


def build(context: ProposerContext) -> HeadProposer | None:
    """Return None without a head."""
    source = context.head
    if source is None:
        return None
    session = context.conversation.attach_head(source.head, source.taps)
    settings = context.settings
    return HeadProposer(session, context.conversation.main, context.sampler, keep_distributions=settings.redraws)


class HeadProposer(Proposer):
    """Proposes with the head of `session`, which follows the main model's sequence `main`.

    With `keep_distributions` draft tokens are drawn independently of the main model's noise and carry their
    distributions, for rejection acceptance.
    """

    source = "head"
    prefilled_tokens = 0

    def __init__(
        self, session: HeadSession, main: CachedSequence, sampler: Sampler, *, keep_distributions: bool = False
    ) -> None:
        self.session = session
        self._main = main
        self._sampler = sampler
        self._keep_distributions = keep_distributions and not sampler.greedy

    def max_proposals(self) -> int:
        # While a plain round is under way, it has read the newest token, so that row is there already.
        behind = self.session.length < len(self._main.tokens) - 1 or not self.session.ready
        return 0 if behind else min(MAX_DRAFTED, self.session.head.max_proposals)

    def prepare(self) -> bool:
        """Read some of the rows that the head has missed, and wait for them; False when few are missing."""
        session = self.session
        if session.unread <= MOST_UNREAD_ROWS:
            return False
        self.prefilled_tokens += session.read_some(MAX_PIECE_ROWS)
        mx.eval(session.arrays())
        return True

    def propose(self, depth: int) -> Proposal:
        """Let the head read the newest rows, and draft `depth` tokens, lazily."""
        session = self.session
        sampler = self._sampler
        tokens = self._main.tokens
        if session.read_some():
            # The device reads the new rows while the host builds the block's pass.
            mx.async_eval(session.arrays())  # type: ignore[no-untyped-call]
        drawing = _HeadDrawing(sampler, tokens, depth, keep_distributions=self._keep_distributions)
        proposed = session.propose(tokens[-1], depth, drawing)
        return Proposal(proposed.tokens, self.source, depth, drawing.distributions)


class _HeadDrawing(DraftSampling):
    """`engine.heads.head.Draw` with the request's sampler."""

    def __call__(self, first: int, scores: mx.array, ids: mx.array | None) -> mx.array:
        """See `engine.heads.head.Draw`."""
        if self.sampler.greedy and self.sampler.plain_scores:
            best = mx.argmax(scores, axis=-1)
            drawn = best if ids is None else mx.take_along_axis(ids, best[:, None], axis=-1)[:, 0]
            return drawn.astype(mx.int32)
        if ids is not None:
            everywhere = mx.full((scores.shape[0], self.sampler.vocabulary), -mx.inf, mx.float32)
            scores = mx.put_along_axis(everywhere, ids, scores.astype(mx.float32), axis=-1)
        # Each token of a contextual sampler depends on those before it.
        rows = scores.shape[0]
        before = len(self.tokens)
        step = 1 if self.sampler.contextual else rows
        for row in range(0, rows, step):
            self.draw(first + row, scores[row : row + step])
        parts = self.tokens[before:]
        return (parts[0] if len(parts) == 1 else mx.concatenate(parts)).astype(mx.int32)
