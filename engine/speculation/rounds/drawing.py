"""Drawing: the tokens that the main model itself says after each row of a round's pass.

Each row is drawn with random numbers of its own position, so a draw depends neither on the depth nor on the proposer.
Every way to draw keeps the main model's distribution exactly: the likeliest token, the largest of the scores with
noise, or rejection sampling. Leviathan, Kalman, Matias, arXiv:2211.17192; Chen et al., arXiv:2302.01318.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple, cast

import mlx.core as mx

from engine.cpu_backend.log_probabilities import likeliest_log_probabilities
from engine.main_model.sampling import LikeliestTokens, Sampler
from engine.speculation.rounds.proposal import Proposal


class UncertainDraws(NamedTuple):
    """Draws some of which have to be drawn again, with a sort of the vocabulary.

    `certain` (rows,) is false for these. They are drawn from `logprobs` and `noise`, (rows, vocabulary) each.
    """

    certain: mx.array
    logprobs: mx.array
    noise: mx.array


class Drawn(NamedTuple):
    """Lazy draws: token ids (rows,), and what is reported with them.

    One of two fields is there: the natural log-probabilities `logprobs` (rows,) of the tokens, or the `scores` (rows,
    vocabulary) from which the host computes these. `top2_margins` (rows,) are those of `Sampler.top2_margins`; None if
    they are not asked for, or a draw is not the largest score. `likeliest` is None if it is not asked for, `uncertain`
    if all draws are certain.
    """

    sampled: mx.array
    logprobs: mx.array | None = None
    scores: mx.array | None = None
    top2_margins: mx.array | None = None
    likeliest: LikeliestTokens | None = None
    uncertain: UncertainDraws | None = None

    @property
    def arrays(self) -> list[mx.array]:
        """The arrays (rows, ...) that the device has to compute."""
        figures = [self.logprobs, self.scores, self.top2_margins]
        arrays = [self.sampled, *(array for array in figures if array is not None)]
        if self.likeliest is not None:
            arrays += self.likeliest.arrays
        if self.uncertain is not None:
            arrays += self.uncertain
        return arrays

    def read_logprobs(self) -> list[float]:
        """Wait for the draws, and return the log-probability of each."""
        if self.scores is not None:
            return likeliest_log_probabilities(self.scores)
        return read_figures(self.logprobs)


def read_figures(figures: mx.array | None) -> list[float]:
    """Wait for a figure of each row, (rows,), and return it; [] for None."""
    return [] if figures is None else cast("list[float]", figures.tolist())


def cut_to_grammar(proposal: Proposal, sampler: Sampler, committed: Sequence[int]) -> Proposal | None:
    """Return the proposal up to the first token that the request's grammar excludes; None if none is left.

    Tokens that are still on the device were drawn with the grammar.
    """
    constraint = sampler.constraint
    tokens = proposal.tokens
    count = proposal.count
    if constraint is not None and isinstance(tokens, list):
        count = constraint.accepted_length(committed, tokens)
        proposal = replace(proposal, tokens=tokens[:count], count=count)
    return proposal if count else None


def draw_tokens(
    sampler: Sampler,
    logits: mx.array,
    committed: Sequence[int],
    position: int,
    fed: mx.array | None,
    proposal: Proposal | None,
    *,
    top2_margins: bool = False,
    skip_sort: bool = False,
    host_reads_scores: bool = False,
) -> Drawn:
    """Draw token ids (rows,) from `logits` (rows, V), lazily, with log-probabilities, alternatives and `top2_margins`.

    The first row draws the token at `position`; `fed` are the tokens after `committed` that the rows were fed, and
    `proposal` is their source. With `skip_sort` the draws of a proposal's rows need not be certain: most rows after the
    first are never used, and sorting a large vocabulary for each takes long. With `host_reads_scores` greedy draws have
    scores in place of log-probabilities.
    """
    rows = logits.shape[0]
    scores = sampler.scores(logits, committed, fed)
    noise = sampler.noise(position, rows)
    if noise is None:
        drawn = draw_likeliest(scores, host_reads_scores=host_reads_scores)
        margins = sampler.top2_margins(scores, drawn.sampled) if top2_margins else None
        likeliest = sampler.likeliest_tokens(sampler.log_probabilities(scores)) if sampler.alternatives else None
        return drawn._replace(top2_margins=margins, likeliest=likeliest)
    return _draw_with_noise(
        sampler, sampler.log_probabilities(scores), noise, position, proposal, top2_margins, skip_sort
    )


def _draw_with_noise(
    sampler: Sampler,
    logprobs: mx.array,
    noise: mx.array,
    position: int,
    proposal: Proposal | None,
    top2_margins: bool,
    skip_sort: bool,
) -> Drawn:
    """Draw as `draw_tokens` does from `logprobs` (rows, V), with Gumbel `noise` (rows, V)."""
    margins = None
    uncertain = None
    if proposal is not None and proposal.distributions is not None:
        sampled = reject_or_resample(
            sampler.probabilities(logprobs),
            proposal.distributions,
            mx.array(proposal.tokens, dtype=mx.uint32),
            sampler.uniforms(position, logprobs.shape[0] - 1),
            noise,
        )
    elif skip_sort and proposal is not None and sampler.sorts:
        sampled, candidate_margins, certain = sampler.sample_top_candidates(logprobs, noise)
        margins = candidate_margins if top2_margins else None
        uncertain = UncertainDraws(certain, logprobs, noise)
    else:
        perturbed = sampler.perturbed(logprobs, noise)
        sampled = mx.argmax(perturbed, axis=-1).astype(mx.uint32)
        margins = sampler.top2_margins(perturbed, sampled) if top2_margins else None
    return Drawn(
        sampled,
        mx.take_along_axis(logprobs, sampled[:, None], axis=-1)[:, 0],
        top2_margins=margins,
        likeliest=sampler.likeliest_tokens(logprobs),
        uncertain=uncertain,
    )


def draw_likeliest(scores: mx.array, *, host_reads_scores: bool) -> Drawn:
    """Draw greedily from `scores` (rows, vocabulary), with log-probabilities or, for the host to read, the scores."""
    if host_reads_scores:
        return Drawn(mx.argmax(scores, axis=-1), scores=scores)
    sampled, logprobs = Sampler.likeliest(scores)
    return Drawn(sampled, logprobs)


def redraw_uncertain(
    sampler: Sampler, uncertain: UncertainDraws, drafted: Sequence[int], sampled: list[int], logprobs: list[float]
) -> None:
    """Draw again where a draw is not certain, in the rows up to the first whose draft token is rejected.

    `drafted` are the draft tokens. The new draws and their log-probabilities are written to `sampled` and `logprobs`.
    """
    for row, certain in enumerate(cast("list[bool]", uncertain.certain.tolist())):
        if not certain:
            row_logprobs = uncertain.logprobs[row : row + 1]
            sampled[row] = cast("int", sampler.draw(row_logprobs, uncertain.noise[row : row + 1]).item())
            logprobs[row] = cast("float", row_logprobs[0, sampled[row]].item())
        if row == len(drafted) or sampled[row] != drafted[row]:
            # Later rows are dropped.
            return


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
