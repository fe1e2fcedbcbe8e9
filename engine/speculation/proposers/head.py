"""Drafting with a head, which reads hidden states of the main model (DFlash, EAGLE-3, MTP).

The main model's sequence delivers its rows to the head's session; the head reads them when it is to propose. Draft
tokens are drawn with the Gumbel noise that the main model will use at the same position, as with a draft model.
"""

from __future__ import annotations

from collections.abc import Sequence

import mlx.core as mx

from engine.main_model.sampling import DRAFT, Sampler
from engine.speculation.drafters.head_session import MAX_ROWS, HeadSession
from engine.speculation.proposers.context import ProposerContext
from engine.speculation.rounds.proposal import Proposal, Proposer
from engine.speculation.rounds.sequence import PREFILL_CHUNK
from engine.speculation.rounds.sequence import Sequence as CachedSequence

# The most rows that a round leaves unread; more are read before the round, in pieces.
FEW_ROWS = 32
# A head that joins late needs ENOUGH_ROWS rows to draft from. Until then it proposes only if it pays to let the main
# model read the last READ_AGAIN tokens of the text again.
ENOUGH_ROWS = 64
READ_AGAIN = 256


def build(context: ProposerContext) -> HeadProposer | None:
    """Return None without a head."""
    source = context.head
    if source is None:
        return None
    session = context.conversation.follow(source.head, source.taps)
    settings = context.settings
    return HeadProposer(
        session, context.conversation.main, context.sampler, keep_distributions=settings.acceptance == "rejection"
    )


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
        self._reading_again = False

    @property
    def backlog(self) -> int:
        """Tokens to read again, if the head has seen too few to draft from."""
        if self._main.rollback.active or self.session.start == 0 or self._seen >= ENOUGH_ROWS:
            return 0
        first = self._read_again_from
        return len(self._main.tokens) - 1 - first if self._main.rollback.can_rewind(first) else 0

    def max_proposals(self) -> int:
        # While a plain round is under way, it has read the newest token, so that row is there already.
        behind = self.session.length < len(self._main.tokens) - 1 or not self.session.ready
        if behind and not self.backlog:
            return 0
        return self.session.head.max_proposals

    def prepare(self) -> bool:
        session, main = self.session, self._main
        if self.backlog and not self._reading_again and main.unread(self._read_again_from):
            self._reading_again = True
            session.restart(main.position)
        if self._reading_again:
            # The head reads these rows next, and counts them then.
            main.prefill(PREFILL_CHUNK)
            self._reading_again = len(main.pending) > 1
            return True
        if session.unread > FEW_ROWS:
            self.prefilled_tokens += session.read_some(MAX_ROWS)
            mx.eval(session.arrays())
            return True
        return False

    def propose(self, depth: int) -> Proposal:
        session, sampler = self.session, self._sampler
        tokens = self._main.tokens
        if session.read_some() and mx.default_device() == mx.Device(mx.cpu):
            # The device reads the new rows while the host builds the block's pass; see `FEW_ROWS` of taps.
            mx.async_eval(session.arrays())  # type: ignore[no-untyped-call]
        drawing = _Drawing(sampler, tokens, depth, keep_distributions=self._keep_distributions)
        proposed = session.head.propose(session.context, mx.array(tokens[-1:], mx.int32), depth, drawing)
        distributions = mx.concatenate(drawing.distributions) if self._keep_distributions else None
        return Proposal(proposed.tokens, self.source, depth, distributions)

    @property
    def _seen(self) -> int:
        return self.session.length - self.session.start

    @property
    def _read_again_from(self) -> int:
        return max(0, len(self._main.tokens) - 1 - READ_AGAIN)


class _Drawing:
    """Draws the draft tokens behind `history`: `engine.heads.head.Draw` with the request's sampler."""

    def __init__(self, sampler: Sampler, history: Sequence[int], depth: int, *, keep_distributions: bool) -> None:
        self.distributions: list[mx.array] = []
        self._sampler = sampler
        self._history = history
        self._keep = keep_distributions
        # One row more than the depth: the main model draws its bonus token from the same block of noise.
        position = len(history)
        self._noise = (
            sampler.noise(position, depth, DRAFT) if keep_distributions else sampler.noise(position, depth + 1)
        )
        self._drawn: list[mx.array] = []

    def __call__(self, first: int, scores: mx.array, ids: mx.array | None) -> mx.array:
        """See `engine.heads.head.Draw`."""
        if self._sampler.plain_argmax:
            best = mx.argmax(scores, axis=-1)
            drawn = best if ids is None else mx.take_along_axis(ids, best[:, None], axis=-1)[:, 0]
            return drawn.astype(mx.int32)
        if ids is not None:
            everywhere = mx.full((scores.shape[0], self._sampler.vocabulary), -mx.inf, mx.float32)
            scores = mx.put_along_axis(everywhere, ids, scores.astype(mx.float32), axis=-1)
        if self._sampler.contextual and scores.shape[0] > 1:
            return mx.concatenate([self._draw(first + row, scores[row : row + 1]) for row in range(scores.shape[0])])
        return self._draw(first, scores)

    def _draw(self, first: int, logits: mx.array) -> mx.array:
        sampler = self._sampler
        seen = mx.concatenate(self._drawn) if self._drawn and sampler.contextual else None
        scores = sampler.scores(logits, self._history, seen)
        noise = None if self._noise is None else self._noise[first : first + logits.shape[0]]
        logprobs = scores if noise is None else sampler.log_probabilities(scores)
        if self._keep:
            self.distributions.append(sampler.probabilities(logprobs))
        drawn = sampler.draw(logprobs, noise).astype(mx.int32)
        self._drawn.append(drawn)
        return drawn
