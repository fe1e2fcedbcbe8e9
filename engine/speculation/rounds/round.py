"""The round: verify a proposal, accept, commit. One optimistic transaction over the main model's caches.

Depth 0 is plain decoding through the same code. A plain round that follows a plain round is started before the result
of the first is read, so that the device never waits for the host.

A round with shapes. The text is [1, 4, 3, 8]; the caches hold its first three tokens, so [8] is pending. V is the
vocabulary, k = 3 the depth.

    propose   draft tokens [5, 9, 2]                              (k,)
    verify    one pass over [8, 5, 9, 2], pending + draft         logits (k + 1, V)
    draw      what the main model itself says after each row      sampled [5, 9, 7, 1], (k + 1,)
    accept    5 and 9 agree, 2 does not: accepted = 2             kept [5, 9, 7]
    commit    the caches keep the rows of 8, 5 and 9              caches' position 6, pending [7]

Row 0 follows 8, row 1 follows 8 5, and so on: 7 is what the main model says after 5 and 9, and it is right although 2
was wrong. The 1 was drawn after the wrong 2, and is dropped. So a round commits one token more than it accepts, and the
text is the one that plain decoding would have written.

Acceptance keeps the main model's distribution exactly. Leviathan, Kalman, Matias, arXiv:2211.17192; Chen et al.,
arXiv:2302.01318.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import mlx.core as mx

from engine.cpu_backend.backend import backend
from engine.main_model.sampling import Sampler
from engine.speculation.rounds.drawing import Drawn, draw_tokens, read_figures, redraw_uncertain
from engine.speculation.rounds.proposal import Proposal
from engine.speculation.rounds.sequence import CachedSequence


@dataclass(slots=True)
class PendingRound:
    """A round whose graph was sent to the device and whose result has not been read.

    `drawn` are the main model's draws at each of the k+1 rows. `rows` counts the pending and the draft tokens of the
    pass; `same_rounding` is true if they are rounded like the row of a plain round. `pipelined` is true if the round
    was started before the preceding one was read, `followed` if the next one was started before this one was read.
    """

    proposal: Proposal | None
    draft_tokens: mx.array | None
    drawn: Drawn
    rows: int
    same_rounding: bool
    draft_s: float | None
    pipelined: bool = False
    followed: bool = False

    @property
    def depth(self) -> int:
        return 0 if self.proposal is None else self.proposal.count


@dataclass(frozen=True, slots=True)
class DrawnTokens:
    """The accepted draft tokens and the bonus token of one round; `source` proposed the first `accepted` of them.

    `logprobs` are the main model's natural log-probabilities of the tokens. `likeliest` lists, for each token, the
    likeliest tokens in its place as (token id, log-probability); it is empty if the request does not ask for them.
    `top2_margins` has the margin of each token, as in `Sampler.top2_margins`, if the request asks for margins and the
    draws have some.
    """

    tokens: Sequence[int]
    logprobs: Sequence[float]
    accepted: int
    source: str
    likeliest: Sequence[Sequence[tuple[int, float]]] = ()
    top2_margins: Sequence[float] = ()


class Rounds:
    """Runs rounds for one request over one main model's sequence.

    A draft token is accepted if the main model draws the same token, or by rejection sampling if the proposal carries
    distributions. `top2_margins` is a switch: if it is true, rounds report the margins of their tokens, which cost
    several operations over the vocabulary.
    """

    def __init__(self, sequence: CachedSequence, sampler: Sampler) -> None:
        self.sequence = sequence
        self.top2_margins = False
        self._sampler = sampler
        self._host_reads_scores = backend().host_reads_scores and not sampler.alternatives

    def start(self, proposal: Proposal | None, started_at: float | None = None, *, timed: bool = False) -> PendingRound:
        """Send the verify pass of a round, which began at `started_at` with the `proposal`, to the device.

        `timed` waits for the draft tokens first, so that drafting and verifying are timed apart.
        """
        started_at = time.perf_counter() if started_at is None else started_at
        draft_tokens = None if proposal is None else mx.array(proposal.tokens, dtype=mx.uint32)
        draft_s = None
        if draft_tokens is not None and timed:
            mx.eval(draft_tokens)
            draft_s = time.perf_counter() - started_at
        elif draft_tokens is not None:
            # The device drafts while the host still builds the verify pass.
            mx.async_eval(draft_tokens)  # type: ignore[no-untyped-call]
        rows = len(self.sequence.pending) + (0 if proposal is None else proposal.count)
        logits = self.sequence.verify([] if draft_tokens is None else draft_tokens)
        drawn = self._draw(logits, len(self.sequence.tokens), draft_tokens, proposal)
        rule = self.sequence.rule
        same_rounding = rows == 1 or rule.allows(rows)
        return PendingRound(proposal, draft_tokens, drawn, rows, same_rounding, draft_s)

    def start_next(self, current: PendingRound) -> PendingRound:
        """Start the next plain round on top of `current`, a plain round that has not been read yet.

        The token that `current` draws is not known yet: it is fed as a lazy array, and nothing else is pending then.
        """
        # The transaction of a round that was itself started early has ended with the commit of the round before it.
        if self.sequence.rollback.active:
            # A plain round has no draft tokens: all of its rows were pending tokens, and stay.
            self.sequence.commit(0, [])
        sampled = current.drawn.sampled
        drawn = self._draw(self.sequence.verify(sampled), len(self.sequence.tokens) + 1, sampled, None)
        current.followed = True
        return PendingRound(
            proposal=None,
            draft_tokens=None,
            drawn=drawn,
            rows=1,
            same_rounding=True,
            draft_s=None,
            pipelined=True,
        )

    def wait(self, current: PendingRound) -> DrawnTokens:
        """Wait for the round and read its result: the one host synchronisation, unless a draw was not certain."""
        drawn = current.drawn
        sampled: list[int] = drawn.sampled.tolist()  # type: ignore[assignment]
        logprobs = drawn.read_logprobs()
        drafted = [] if current.draft_tokens is None else cast("list[int]", current.draft_tokens.tolist())
        if drawn.uncertain is not None:
            redraw_uncertain(self._sampler, drawn.uncertain, drafted, sampled, logprobs)
        # With rejection sampling, `draw_tokens` has already put each accepted draft token into `sampled`.
        accepted = count_matching(drafted, sampled)
        count = accepted + 1
        return DrawnTokens(
            sampled[:count],
            logprobs[:count],
            accepted,
            "main" if current.proposal is None else current.proposal.source,
            () if drawn.likeliest is None else drawn.likeliest.read()[:count],
            read_figures(drawn.top2_margins)[:count],
        )

    def commit(self, accepted: int, tokens: Sequence[int], following: PendingRound | None = None) -> None:
        """Keep the first `accepted` draft tokens in the caches, and append `tokens`.

        `following` is the round started on top of this plain one, if any; its only row, this round's token, is kept.
        """
        if following is not None:
            # The open transaction is that of `following`, whose one row was fed this round's token.
            self.sequence.commit(1, tokens)
        else:
            # A round that was itself started early has no open transaction: the round before it has ended that.
            self.sequence.keep(accepted, tokens)

    def abandon(self) -> None:
        """Abort the open transaction, if there is one: the caches stand where the last commit left them."""
        self.sequence.abandon()

    def _draw(self, logits: mx.array, position: int, fed: mx.array | None, proposal: Proposal | None) -> Drawn:
        """Draw as `draw_tokens` does, and send the draws to the device.

        With a grammar it waits for the tokens that the rows were fed; meanwhile the device computes the logits.
        """
        if self._sampler.constraint is not None:
            mx.async_eval(logits)  # type: ignore[no-untyped-call]
        drawn = draw_tokens(
            self._sampler,
            logits,
            self.sequence.tokens,
            position,
            fed,
            proposal,
            top2_margins=self.top2_margins,
            # `wait` draws the uncertain rows again, as far as they are used.
            skip_sort=True,
            host_reads_scores=self._host_reads_scores and proposal is not None,
        )
        # Recurrent state may depend on the logits lazily; left unevaluated it would grow into a long chain.
        state = self.sequence.arrays() if self.sequence.rollback.carries else []
        mx.async_eval(*drawn.arrays, *state)  # type: ignore[no-untyped-call]
        return drawn


def count_matching(proposed: Sequence[int], sampled: Sequence[int]) -> int:
    """Return the length of the longest proposed prefix that the main model drew itself.

    `sampled` holds one token more than `proposed`: row i is what the main model draws after proposed[:i], so
    sampled[count] is the token that ends the round.
    """
    for index, token in enumerate(proposed):
        if sampled[index] != token:
            return index
    return len(proposed)
