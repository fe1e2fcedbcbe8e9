"""The distribution that sampling settings define, and seeded draws from it.

Distribution and order of operations are those of mlx-lm without speculation: bias, repetition, presence and frequency
penalty on the logits, log-softmax, top-p, min-p, top-k on the untempered log-probabilities, then the temperature.
Randomness is Gumbel noise keyed by (seed, absolute position), so what is drawn at a position depends on nothing that
happened at another: not on rejected draft tokens, not on the depth, not on the proposer.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import mlx.core as mx
from mlx_lm.sample_utils import apply_min_p, apply_top_k, apply_top_p

from engine.grammars.constraint import Constraint
from engine.requests import SamplingSettings

_MASK = 2**64 - 1
# Below this joint probability of all draft tokens so far, another is hardly ever worth drafting and verifying. On the
# starter pair this costs nothing on chats and saves four fifths of a round on text that its draft cannot predict.
MIN_JOINT_PROBABILITY = 0.4
# A probability is estimated from the largest of each group of this many scores. Exponentials of all scores would cost
# the CPU a sixth of a step; the estimate is 4 % too high on average on the starter draft's tokens.
SCORES_PER_TERM = 32

# Independent random numbers for one position: the main model's draw, the draft's draw, the acceptance decision.
DRAW, DRAFT, ACCEPT = 0, 1, 2


@dataclass(frozen=True, slots=True)
class LikeliestTokens:
    """The likeliest tokens of each row, (rows, count), and their natural log-probabilities, in no order."""

    ids: mx.array
    logprobs: mx.array

    @property
    def arrays(self) -> tuple[mx.array, mx.array]:
        return self.ids, self.logprobs

    def read(self) -> list[list[tuple[int, float]]]:
        """For each row its (token id, log-probability), the likeliest first, without excluded tokens."""
        ids, logprobs = cast("list[list[int]]", self.ids.tolist()), cast("list[list[float]]", self.logprobs.tolist())
        rows = zip(ids, logprobs, strict=True)
        found = [[(token, value) for token, value in zip(*row, strict=True) if value > -math.inf] for row in rows]
        return [sorted(row, key=lambda one: (-one[1], one[0])) for row in found]


class Sampler:
    """Draws tokens for one request.

    `vocabulary` is how many of the main model's output rows stand for a token; rows behind it are padding and never
    drawn. `seed` is the request's, or a fresh one. `plain_scores`: scores are the logits as they are;
    `plain_argmax`: the draw is the largest of them. A `constraint` excludes tokens whatever else the settings say.
    `contextual`: the scores of a row depend on the tokens before it, draft tokens included.
    `alternatives` is how many of the likeliest tokens are reported with each that is drawn.
    """

    def __init__(
        self,
        settings: SamplingSettings,
        vocabulary: int,
        constraint: Constraint | None = None,
        alternatives: int = 0,
    ) -> None:
        self.settings = settings
        self.vocabulary = vocabulary
        self.constraint = constraint
        self.alternatives = alternatives
        self.seed = secrets.randbits(63) if settings.seed is None else settings.seed
        self.greedy = settings.temperature == 0.0
        self.penalised = (
            settings.repetition_penalty != 1.0 or settings.presence_penalty != 0.0 or settings.frequency_penalty != 0.0
        )
        bias = {token: value for token, value in settings.logit_bias.items() if 0 <= token < vocabulary}
        self._bias_ids = mx.array(list(bias), dtype=mx.uint32) if bias else None
        self._bias_values = mx.array(list(bias.values()), dtype=mx.float32)
        self.contextual = self.penalised or constraint is not None
        self.plain_scores = not self.contextual and not bias
        self.plain_argmax = self.greedy and self.plain_scores
        self._latest_noise: tuple[int, mx.array] | None = None

    def noise(self, position: int, count: int, stream: int = DRAW) -> mx.array | None:
        """Gumbel noise (count, vocabulary) for the tokens at `position`, `position` + 1, ...; None when greedy."""
        if self.greedy:
            return None
        if self._latest_noise is not None and stream == DRAW and self.has_noise(position, count):
            return self._latest_noise[1][:count]
        noise = gumbel_noise(self.keys(position, count, stream), self.vocabulary)
        if stream == DRAW:
            self.keep_noise(position, noise)
        return noise

    def has_noise(self, position: int, count: int) -> bool:
        """Whether `noise` has these rows already: draft and main model use the same rows of a round."""
        latest = self._latest_noise
        return latest is not None and latest[0] == position and count <= latest[1].shape[0]

    def keep_noise(self, position: int, noise: mx.array) -> None:
        """`noise` (count, vocabulary) was made elsewhere of the `keys` from `position` on; `noise()` finds it."""
        self._latest_noise = (position, noise)

    def uniforms(self, position: int, count: int) -> mx.array:
        """Uniform numbers (count,) in [0, 1) that decide acceptance at `position`, `position` + 1, ..."""
        return mx.vmap(lambda key: mx.random.uniform(key=key))(mx.stack(self.keys(position, count, ACCEPT)))

    def scores(self, logits: mx.array, committed: Sequence[int], draft_tokens: mx.array | None = None) -> mx.array:
        """Biased, penalised and constrained logits (rows, vocabulary), float32: excluded tokens at -inf.

        `logits` (rows, V) follow `committed` and, for row i, all but the last rows - 1 - i of `draft_tokens`:
        with k of them and k + 1 rows, row i has seen draft_tokens[:i]. With a constraint it waits for these tokens.
        """
        scores = fit(logits, self.vocabulary).astype(mx.float32)
        if self._bias_ids is not None:
            scores = scores.at[:, self._bias_ids].add(self._bias_values)
        if self.penalised:
            scores = self._penalise(scores, committed, draft_tokens)
        if self.constraint is not None:
            drafted = [] if draft_tokens is None else cast("list[int]", draft_tokens.tolist())
            allowed = self.constraint.allowed(committed, drafted, scores.shape[0])
            scores = mx.where(mx.array(allowed), scores, -mx.inf)
        return scores

    @staticmethod
    def log_probabilities(scores: mx.array) -> mx.array:
        """Normalised `scores`, (rows, vocabulary): natural logarithms, before any truncation."""
        return scores - mx.logsumexp(scores, axis=-1, keepdims=True)

    def truncated(self, logprobs: mx.array) -> mx.array:
        """What tokens are drawn from: (rows, vocabulary), excluded tokens at -inf, divided by the temperature."""
        settings = self.settings
        if settings.top_p < 1.0:
            logprobs = apply_top_p(logprobs, settings.top_p)
        if settings.min_p > 0.0:
            logprobs = apply_min_p(logprobs, settings.min_p)
        if 0 < settings.top_k < self.vocabulary:
            logprobs = apply_top_k(logprobs, settings.top_k)
        return logprobs * (1.0 / settings.temperature)

    def probabilities(self, logprobs: mx.array) -> mx.array:
        """The distribution (rows, vocabulary) that tokens are drawn from; needs a temperature above 0."""
        return mx.softmax(self.truncated(logprobs), axis=-1, precise=True)

    @staticmethod
    def likeliest(scores: mx.array) -> tuple[mx.array, mx.array]:
        """The greedy draw from `scores` (rows, vocabulary): token ids (rows,) uint32 and their natural
        log-probabilities (rows,). Those of all other tokens are not computed.
        """
        return mx.argmax(scores, axis=-1), scores.max(axis=-1) - mx.logsumexp(scores, axis=-1)

    def likeliest_tokens(self, logprobs: mx.array) -> LikeliestTokens | None:
        """What `alternatives` asks for of normalised scores (rows, vocabulary); None where that is nothing."""
        if not self.alternatives:
            return None
        count = min(self.alternatives, self.vocabulary)
        ids = mx.argpartition(-logprobs, kth=count - 1, axis=-1)[:, :count]
        return LikeliestTokens(ids, mx.take_along_axis(logprobs, ids, axis=-1))

    def draw(self, logprobs: mx.array, noise: mx.array | None) -> mx.array:
        """One token id a row, (rows,) uint32: the likeliest, or the largest with `noise` added after truncation.

        Without noise, pass plain scores: normalising them can make unequal ones equal.
        """
        if noise is None:
            return mx.argmax(logprobs, axis=-1).astype(mx.uint32)
        return mx.argmax(self.truncated(logprobs) + noise, axis=-1).astype(mx.uint32)

    def _penalise(self, scores: mx.array, committed: Sequence[int], draft_tokens: mx.array | None) -> mx.array:
        counts = self._counts(scores.shape[0], committed, draft_tokens)
        seen = counts > 0
        settings = self.settings
        if settings.repetition_penalty != 1.0:
            penalty = settings.repetition_penalty
            scores = mx.where(seen, mx.where(scores < 0, scores * penalty, scores / penalty), scores)
        if settings.presence_penalty != 0.0:
            scores = mx.where(seen, scores - settings.presence_penalty, scores)
        if settings.frequency_penalty != 0.0:
            scores = scores - counts * settings.frequency_penalty
        return scores

    def _counts(self, rows: int, committed: Sequence[int], draft_tokens: mx.array | None) -> mx.array:
        """How often each token occurs in each row's penalty window: (rows, vocabulary) float32."""
        drafted = 0 if draft_tokens is None else draft_tokens.shape[0]
        window = self.settings.penalty_window or len(committed) + drafted
        tail = list(committed[-window:])
        # A history shorter than the window is filled with an id behind the vocabulary, which is cut off again.
        tail = [self.vocabulary] * (window - len(tail)) + tail
        history = mx.array(tail, dtype=mx.uint32)
        if draft_tokens is not None:
            history = mx.concatenate([history, draft_tokens.astype(mx.uint32)])
        starts = mx.arange(drafted - rows + 1, drafted + 1)
        windows = history[starts[:, None] + mx.arange(window)[None, :]]
        counts = mx.zeros((rows, self.vocabulary + 1))
        counts = counts.at[mx.arange(rows)[:, None], windows].add(1.0)
        return counts[:, : self.vocabulary]

    def keys(self, position: int, count: int, stream: int = DRAW) -> list[mx.array]:
        """The keys of the random numbers at `position`, `position` + 1, ..."""
        return [mx.random.key(_mix(self.seed ^ _mix((position + i) * 4 + stream))) for i in range(count)]


def gumbel_noise(keys: Sequence[mx.array], vocabulary: int) -> mx.array:
    """Gumbel noise (keys, vocabulary); a row depends on its own key alone."""
    return mx.vmap(lambda key: mx.random.gumbel((vocabulary,), key=key))(mx.stack(list(keys)))


def top_probabilities(scores: mx.array) -> mx.array:
    """An estimate of the largest probability of each row of `scores` (rows, V): a lazy array of shape (rows,)."""
    rows, terms = scores.shape[0], scores.shape[1] // SCORES_PER_TERM
    if terms > 1:
        scores = scores[:, : terms * SCORES_PER_TERM].reshape(rows, SCORES_PER_TERM, terms).max(axis=1)
    return mx.exp(scores.max(axis=-1) - mx.logsumexp(scores, axis=-1))


def fit(logits: mx.array, vocabulary: int) -> mx.array:
    """Logits (rows, V) cut or filled to (rows, vocabulary): a row for every id that stands for a token."""
    width = logits.shape[-1]
    if width == vocabulary:
        return logits
    if width > vocabulary:
        return logits[:, :vocabulary]
    padding = mx.full((logits.shape[0], vocabulary - width), -mx.inf, dtype=logits.dtype)
    return mx.concatenate([logits, padding], axis=-1)


def _mix(value: int) -> int:
    """The finaliser of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): spreads neighbouring 64-bit numbers."""
    value = (value + 0x9E3779B97F4A7C15) & _MASK
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & _MASK
    return value ^ (value >> 31)
