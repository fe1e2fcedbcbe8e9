"""Drawing draft tokens with a request's sampler, for draft models and heads."""

from __future__ import annotations

from collections.abc import Sequence

import mlx.core as mx

from engine.main_model.sampling import DRAFT, Sampler


class DraftSampling:
    """The draft tokens of one proposal of at most `depth` tokens after `history`, while they are drawn.

    They are drawn with the noise that the main model will use at the same positions. With `keep_distributions` they are
    drawn independently of it, and their distributions are kept for rejection acceptance.
    """

    def __init__(self, sampler: Sampler, history: Sequence[int], depth: int, *, keep_distributions: bool) -> None:
        self.sampler = sampler
        self.depth = depth
        self.tokens: list[mx.array] = []
        self._history = history
        self._keep = keep_distributions
        self._kept: list[mx.array] = []
        # One row more than the depth: the main model draws its bonus token from the same block of noise.
        position = len(history)
        self._noise = (
            sampler.noise(position, depth, DRAFT) if keep_distributions else sampler.noise(position, depth + 1)
        )

    @property
    def distributions(self) -> mx.array | None:
        """The distributions of the tokens (count, vocabulary); None if they are not kept."""
        return mx.concatenate(self._kept) if self._kept else None

    def noise(self, first: int, count: int) -> mx.array | None:
        """Return the noise (count, vocabulary) of `count` tokens from index `first` on; None if draws are greedy."""
        return None if self._noise is None else self._noise[first : first + count]

    def draw(self, first: int, logits: mx.array) -> mx.array:
        """Draw the tokens from index `first` on, one for each row of `logits` (rows, V); returns their scores."""
        sampler = self.sampler
        noise = self.noise(first, logits.shape[0])
        seen = mx.concatenate(self.tokens) if self.tokens and sampler.contextual else None
        scores = sampler.scores(logits, self._history, seen)
        logprobs = scores if noise is None else sampler.log_probabilities(scores)
        if self._keep:
            self._kept.append(sampler.probabilities(logprobs))
        self.tokens.append(sampler.draw(logprobs, noise))
        return scores
