"""The round: verify a proposal, accept, commit. One optimistic transaction over the main model's caches.

Depth 0 is plain decoding through the same code. A plain round that follows a plain round is started before the result
of the first is read, so that the device never waits for the host.

A round with shapes. The text is [1, 4, 3, 8]; the caches hold its first three tokens, so [8] is pending. V is the
vocabulary, k = 3 the depth.

    propose   draft tokens [5, 9, 2]                              (k,)
    verify    one pass over [8, 5, 9, 2], pending + draft         logits (k + 1, V)
    draw      what the main model itself says after each row      sampled [5, 9, 7, 1], (k + 1,)
    accept    5 and 9 agree, 2 does not: accepted = 2             kept [5, 9, 7]
    commit    the caches keep the rows of 8, 5 and 9              position 6, pending [7]

Row 0 follows 8, row 1 follows 8 5, and so on: 7 is what the main model says after 5 and 9, and it is right although 2
was wrong. The 1 was drawn after the wrong 2, and is dropped. So a round commits one token more than it accepts, and the
text is the one that plain decoding would have written.

Acceptance keeps the main model's distribution exactly. Leviathan, Kalman, Matias, arXiv:2211.17192; Chen et al.,
arXiv:2302.01318.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import NamedTuple, cast

import mlx.core as mx

from engine.cpu_backend.backend import backend
from engine.cpu_backend.log_probabilities import likeliest_log_probabilities
from engine.errors import is_device_failure
from engine.main_model.sampling import LikeliestTokens, Sampler
from engine.speculation.rounds.proposal import Proposal
from engine.speculation.rounds.sequence import CachedSequence as CachedSequence


class RawSamples(NamedTuple):
    """Which draws of `Sampler.sample_top_candidates` are certain (rows,), and the input of the others (rows, V)."""

    certain: mx.array
    logprobs: mx.array
    noise: mx.array


class Drawn(NamedTuple):
    """Lazy draws: token ids (rows,), their log-probabilities, and margins and likeliest tokens if asked for.

    `top2_margins` is also None if a draw is not the largest score. `raw` is None if all draws are certain.
    """

    sampled: mx.array
    logprobs: mx.array
    top2_margins: mx.array | None = None
    likeliest: LikeliestTokens | None = None
    raw: RawSamples | None = None


class ProposerFailed(Exception):
    """The proposer `source` raised `__cause__`. The main model's state is untouched."""

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


@dataclass(slots=True)
class PendingRound:
    """A round whose graph was sent to the device and whose result has not been read.

    `drawn` are the main model's draws at each of the k+1 rows; its log-probabilities may be scores (k+1, vocabulary),
    from which the host computes these. `exact` is whether its `rows` rows are rounded like plain rounds.
    `pipelined` is true if it was started before the preceding round was read, `followed` if the next one was started
    before this one was read.
    """

    proposal: Proposal | None
    draft_tokens: mx.array | None
    drawn: Drawn
    rows: int
    exact: bool
    started_at: float
    draft_s: float | None
    pipelined: bool = False
    followed: bool = False

    @property
    def depth(self) -> int:
        return 0 if self.proposal is None else self.proposal.count


@dataclass(frozen=True, slots=True)
class DrawnTokens:
    """The tokens that a round drew for one text, at most; `source` proposed the first `accepted` of them.

    `logprobs` are the main model's natural log-probabilities of the tokens. `likeliest` lists, for each token, the
    likeliest tokens in its place as (token id, log-probability); it is empty if the request does not ask for them.
    `top2_margins` are those of `Sampler.top2_margins`; they may be empty, too.
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
    distributions. If `top2_margins` is true, rounds report their margins, which cost several operations over the
    vocabulary.
    """

    def __init__(self, sequence: CachedSequence, sampler: Sampler) -> None:
        self.sequence = sequence
        self.top2_margins = False
        self._sampler = sampler
        self._reads_scores = backend().host_reads_scores and sampler.greedy and not sampler.alternatives

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
        exact = rows == 1 or rule.allows(rows)
        return PendingRound(proposal, draft_tokens, self._dispatch(drawn), rows, exact, started_at, draft_s)

    def start_next(self, current: PendingRound) -> PendingRound:
        """Start the next plain round on top of `current`, a plain round that has not been read yet.

        The token that `current` draws is not known yet: it is fed as a lazy array, and nothing else is pending then.
        """
        started_at = time.perf_counter()
        # The transaction of a round that was itself started ahead has ended with the commit of the round before it.
        if self.sequence.rollback.active:
            # A plain round has no draft tokens: all of its rows were pending tokens, and stay.
            self.sequence.commit(0, [])
        sampled = current.drawn.sampled
        drawn = self._draw(self.sequence.verify(sampled), len(self.sequence.tokens) + 1, sampled, None)
        current.followed = True
        return PendingRound(
            proposal=None,
            draft_tokens=None,
            drawn=self._dispatch(drawn),
            rows=1,
            exact=True,
            started_at=started_at,
            draft_s=None,
            pipelined=True,
        )

    def wait(self, current: PendingRound) -> DrawnTokens:
        """Wait for the round and read its result: the one host synchronisation, unless a draw was not certain."""
        sampled: list[int] = current.drawn.sampled.tolist()  # type: ignore[assignment]
        scores = current.drawn.logprobs
        top2_margins = _read(current.drawn.top2_margins)
        logprobs = likeliest_log_probabilities(scores) if scores.ndim == 2 else _read(scores)
        drafted = [] if current.draft_tokens is None else cast("list[int]", current.draft_tokens.tolist())
        if current.drawn.raw is not None:
            self._fall_back_to_full_sort(current.drawn.raw, drafted, sampled, logprobs)
        accepted = count_matching(drafted, sampled)
        likeliest = current.drawn.likeliest
        count = accepted + 1
        source = "main" if current.proposal is None else current.proposal.source
        alternatives = () if likeliest is None else likeliest.read()[:count]
        return DrawnTokens(sampled[:count], logprobs[:count], accepted, source, alternatives, top2_margins[:count])

    def commit(self, accepted: int, tokens: Sequence[int], following: PendingRound | None = None) -> None:
        """Keep the first `accepted` draft tokens in the caches, and append `tokens`.

        `following` is the round started on top of this plain one, if any; its only row, this round's token, is kept.
        """
        if following is not None:
            self.sequence.commit(1, tokens)
        else:
            self.sequence.keep(accepted, tokens)

    def abandon(self) -> None:
        """Abort the open transaction, if there is one: the caches stand where the last commit left them."""
        self.sequence.abandon()

    def _draw(self, logits: mx.array, position: int, seen: mx.array | None, proposal: Proposal | None) -> Drawn:
        """Draw lazily, like `draw_tokens`, but return scores if the host computes the log-probabilities.

        With a grammar it waits for the tokens that the rows were fed; meanwhile the device computes the logits.
        """
        sampler, tokens = self._sampler, self.sequence.tokens
        top2_margins = self.top2_margins
        if sampler.constraint is not None:
            mx.async_eval(logits)  # type: ignore[no-untyped-call]
        if self._reads_scores and proposal is not None:
            scores = sampler.scores(logits, tokens, seen)
            sampled = mx.argmax(scores, axis=-1)
            return Drawn(sampled, scores, sampler.top2_margins(scores, sampled) if top2_margins else None)
        return draw_tokens(sampler, logits, tokens, position, seen, proposal, top2_margins=top2_margins, skip_sort=True)

    def _fall_back_to_full_sort(
        self, raw: RawSamples, drafted: Sequence[int], sampled: list[int], logprobs: list[float]
    ) -> None:
        """Draw again where a draw is not certain, in the rows up to the first whose draft token is rejected."""
        for row, certain in enumerate(cast("list[bool]", raw.certain.tolist())):
            if not certain:
                row_logprobs = raw.logprobs[row : row + 1]
                sampled[row] = cast("int", self._sampler.draw(row_logprobs, raw.noise[row : row + 1]).item())
                logprobs[row] = cast("float", row_logprobs[0, sampled[row]].item())
            if sampled[row : row + 1] != drafted[row : row + 1]:
                return

    def _dispatch(self, drawn: Drawn) -> Drawn:
        """Send the draws to the device."""
        # Recurrent state may depend on the logits lazily; left unevaluated it would grow into a long chain.
        state = self.sequence.arrays() if self.sequence.rollback.carries else []
        others = [] if drawn.likeliest is None else [*drawn.likeliest.arrays]
        if drawn.top2_margins is not None:
            others.append(drawn.top2_margins)
        if drawn.raw is not None:
            others += drawn.raw
        mx.async_eval(drawn.sampled, drawn.logprobs, *others, *state)  # type: ignore[no-untyped-call]
        return drawn


def _read(figures: mx.array | None) -> list[float]:
    """Return a figure of all rows, which it waits for; [] for none."""
    return [] if figures is None else cast("list[float]", figures.tolist())


def cut_to_grammar(proposal: Proposal, sampler: Sampler, committed: Sequence[int]) -> Proposal | None:
    """Return the proposal up to the first token that the request's grammar excludes; None if none is left.

    Tokens that are still on the device were drawn with the grammar.
    """
    constraint, tokens, count = sampler.constraint, proposal.tokens, proposal.count
    if constraint is not None and isinstance(tokens, list):
        count = constraint.accepted_length(committed, tokens)
        proposal = replace(proposal, tokens=tokens[:count], count=count)
    return proposal if count else None


def draw_tokens(
    sampler: Sampler,
    logits: mx.array,
    committed: Sequence[int],
    position: int,
    seen: mx.array | None,
    proposal: Proposal | None,
    *,
    top2_margins: bool = False,
    skip_sort: bool = False,
) -> Drawn:
    """Draw token ids (rows,) from `logits` (rows, V), lazily, with log-probabilities, alternatives and `top2_margins`.

    The first row draws the token at `position`; `seen` are the tokens after `committed` that the rows were fed, and
    `proposal` is their source. With `skip_sort` the draws of a proposal's rows need not be certain: most rows after the
    first are never used, and sorting a large vocabulary for each takes long.
    """
    rows = logits.shape[0]
    scores = sampler.scores(logits, committed, seen)
    noise = sampler.noise(position, rows)
    if noise is None:
        sampled, chosen = sampler.likeliest(scores)
        likeliest = sampler.likeliest_tokens(sampler.log_probabilities(scores)) if sampler.alternatives else None
        return Drawn(sampled, chosen, sampler.top2_margins(scores, sampled) if top2_margins else None, likeliest)
    logprobs = sampler.log_probabilities(scores)
    led = None
    open_draws = None
    if proposal is not None and proposal.distributions is not None:
        sampled = reject_or_resample(
            sampler.probabilities(logprobs),
            proposal.distributions,
            mx.array(proposal.tokens, dtype=mx.uint32),
            sampler.uniforms(position, rows - 1),
            noise,
        )
    elif skip_sort and proposal is not None and sampler.sorts:
        sampled, led, certain = sampler.sample_top_candidates(logprobs, noise)
        led = led if top2_margins else None
        open_draws = RawSamples(certain, logprobs, noise)
    else:
        perturbed = sampler.perturbed(logprobs, noise)
        sampled = mx.argmax(perturbed, axis=-1).astype(mx.uint32)
        led = sampler.top2_margins(perturbed, sampled) if top2_margins else None
    chosen = mx.take_along_axis(logprobs, sampled[:, None], axis=-1)[:, 0]
    return Drawn(sampled, chosen, led, sampler.likeliest_tokens(logprobs), open_draws)


def count_matching(proposed: Sequence[int], sampled: Sequence[int]) -> int:
    """Return the length of the longest proposed prefix that the main model drew itself.

    `sampled` holds one token more than `proposed`: row i is what the main model draws after proposed[:i], so
    sampled[count] is the token that ends the round.
    """
    for index, token in enumerate(proposed):
        if sampled[index] != token:
            return index
    return len(proposed)


def reject_or_resample(
    main: mx.array, draft: mx.array, draft_tokens: mx.array, uniforms: mx.array, noise: mx.array
) -> mx.array:
    """Return (k+1,) token ids by rejection sampling; row i equals draft_tokens[i] exactly if that is accepted.

    `main` (k+1, V) and `draft` (k, V) are float32 probabilities, `draft_tokens` (k,) were drawn from `draft`,
    `uniforms` (k,) lie in [0, 1) and `noise` (k+1, V) is Gumbel noise independent of both. Draft token d is accepted
    with probability min(1, p(d) / q(d)); otherwise the row is drawn from the normalised positive part of p - q, whose
    mass at d is 0. The last row is drawn from main's distribution.
    """
    count = draft_tokens.shape[0]
    index = draft_tokens[:, None]
    p_draft = mx.take_along_axis(main[:count], index, axis=-1)[:, 0]
    q_draft = mx.take_along_axis(draft, index, axis=-1)[:, 0]
    accepted = uniforms * q_draft < p_draft
    residual = mx.maximum(main[:count] - draft, 0.0)
    # Rounding can leave no positive part where p and q agree; p itself is then the right distribution.
    empty = residual.sum(axis=-1, keepdims=True) <= 0.0
    residual = mx.where(empty, main[:count], residual)
    weights = mx.concatenate([residual, main[count:]], axis=0)
    drawn = mx.argmax(mx.log(weights) + noise, axis=-1).astype(mx.uint32)
    chosen = mx.where(accepted, draft_tokens.astype(mx.uint32), drawn[:count])
    return mx.concatenate([chosen, drawn[count:]])
