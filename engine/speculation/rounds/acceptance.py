"""Acceptance: which draft tokens the main model agrees with.

Every rule here keeps the main model's distribution exactly; they differ in how often they accept.
"""

from __future__ import annotations

from collections.abc import Sequence

import mlx.core as mx


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

    Leviathan, Kalman, Matias, arXiv:2211.17192; Chen et al., arXiv:2302.01318.
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
    kept = mx.where(accepted, draft_tokens.astype(mx.uint32), drawn[:count])
    return mx.concatenate([kept, drawn[count:]])
