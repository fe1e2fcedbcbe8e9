"""The distribution that sampling settings define, and seeded draws from it.

Distribution and order of operations are the same as in mlx-lm without speculation: bias, repetition, presence and
frequency penalty on the logits, log-softmax, top-p, min-p, top-k on the untempered log-probabilities, then the
temperature. Randomness is Gumbel noise keyed by (seed, absolute position), so the draw at a position does not depend on
rejected draft tokens, on the depth, or on the proposer.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple, cast

import mlx.core as mx
import numpy as np
from mlx_lm.sample_utils import apply_min_p, apply_top_k, apply_top_p
from numpy.typing import NDArray

from engine.grammars.calls_in_text import CallsInText
from engine.grammars.constraint import Constraint
from engine.main_model.thought_limit import ThoughtLimit
from engine.requests import SamplingSettings

_MASK = 2**64 - 1
# Below this joint probability of all draft tokens so far, another one is hardly ever worth drafting and verifying.
MIN_JOINT_PROBABILITY = 0.4
# A probability is estimated from the largest of each group of this many scores, because exponentials of all scores
# would take a noticeable part of a step on the CPU. The estimate is slightly too high.
SCORES_PER_TERM = 32

# Which of the independent random numbers of a position: of the main model's draw, of the draft's draw, and of the
# decision to accept.
DRAW = 0
DRAFT = 1
ACCEPT = 2


class TopCandidates(NamedTuple):
    """Draws that were made without sorting: arrays of (rows,)."""

    # uint32.
    ids: mx.array
    # As `Sampler.top2_margins` returns them.
    margins: mx.array
    # Booleans; one for all rows if nothing is truncated by rank.
    certain: mx.array


@dataclass(frozen=True, slots=True)
class LikeliestTokens:
    """The likeliest tokens of each row, (rows, count), and their natural log-probabilities, in no order."""

    ids: mx.array
    logprobs: mx.array

    @property
    def arrays(self) -> tuple[mx.array, mx.array]:
        """The ids and the log-probabilities, (rows, count) each."""
        return self.ids, self.logprobs

    def read(self) -> list[list[tuple[int, float]]]:
        """Return the (token id, log-probability) pairs of each row, the likeliest first, without excluded tokens."""
        ids = cast("list[list[int]]", self.ids.tolist())
        logprobs = cast("list[list[float]]", self.logprobs.tolist())
        rows = zip(ids, logprobs, strict=True)
        pairs = [[(token, value) for token, value in zip(*row, strict=True) if value > -math.inf] for row in rows]
        return [sorted(row, key=lambda pair: (-pair[1], pair[0])) for row in pairs]


class Sampler:
    """Draws tokens for one request.

    `vocabulary` is the number of the main model's output rows that stand for a token; later rows are padding and never
    drawn. `seed` is the request's, or a fresh one. A `constraint` excludes tokens independently of the settings.
    `alternatives` is the number of likeliest tokens that are reported with each drawn token.
    """

    def __init__(
        self,
        settings: SamplingSettings,
        vocabulary: int,
        constraint: Constraint | CallsInText | None = None,
        alternatives: int = 0,
    ) -> None:
        self.settings = settings
        self.vocabulary = vocabulary
        self.constraint = constraint
        # Only while the next rounds may reach it: it waits for the tokens of each.
        self.thought_limit: ThoughtLimit | None = None
        self.alternatives = alternatives
        self.seed = secrets.randbits(63) if settings.seed is None else settings.seed
        self.greedy = settings.temperature == 0.0
        self.penalised = (
            settings.repetition_penalty != 1.0 or settings.presence_penalty != 0.0 or settings.frequency_penalty != 0.0
        )
        bias = {token: value for token, value in settings.logit_bias.items() if 0 <= token < vocabulary}
        self._bias_ids = mx.array(list(bias), dtype=mx.uint32) if bias else None
        self._bias_values = mx.array(list(bias.values()), dtype=mx.float32)
        self._latest_noise: tuple[int, mx.array] | None = None

    @property
    def constrained(self) -> bool:
        """Whether a grammar holds the next token."""
        return self.constraint is not None and self.constraint.holds

    @property
    def contextual(self) -> bool:
        """Whether the scores of a row depend on the tokens before it, draft tokens included."""
        return self.penalised or self.constrained

    @property
    def plain_scores(self) -> bool:
        """Whether scores are the unchanged logits, unless a call begins among the draft tokens."""
        return not self.contextual and self._bias_ids is None

    @property
    def sorts(self) -> bool:
        """Whether a draw sorts the vocabulary."""
        return not self.greedy and (self.settings.top_p < 1.0 or 0 < self.settings.top_k < self.vocabulary)

    def noise(self, position: int, count: int, stream: int = DRAW) -> mx.array | None:
        """Return Gumbel noise (count, vocabulary) for the tokens at `position`, `position` + 1, ...; None if greedy."""
        if self.greedy:
            return None
        if self._latest_noise is not None and stream == DRAW and self.has_noise(position, count):
            return self._latest_noise[1][:count]
        noise = gumbel_noise(self.keys(position, count, stream), self.vocabulary)
        if stream == DRAW:
            self.keep_noise(position, noise)
        return noise

    def has_noise(self, position: int, count: int) -> bool:
        """Whether `noise` has made these rows already: draft and main model use the same rows in a round."""
        latest = self._latest_noise
        return latest is not None and latest[0] == position and count <= latest[1].shape[0]

    def keep_noise(self, position: int, noise: mx.array) -> None:
        """Keep `noise` (count, vocabulary), made of the `keys` from `position` on, for `noise()` to return."""
        self._latest_noise = (position, noise)

    def uniforms(self, position: int, count: int) -> mx.array:
        """Return uniform numbers (count,) in [0, 1) that decide acceptance at `position`, `position` + 1, ..."""
        return mx.vmap(lambda key: mx.random.uniform(key=key))(mx.stack(self.keys(position, count, ACCEPT)))

    def scores(self, logits: mx.array, committed: Sequence[int], draft_tokens: mx.array | None = None) -> mx.array:
        """Return biased, penalised and constrained logits (rows, vocabulary), float32, with excluded tokens at -inf.

        The last row of `logits` (rows, V) follows `committed` and all of `draft_tokens` (k,), the row before it all but
        the last of them, and so on: of k + 1 rows, row i follows draft_tokens[:i]. Nothing is truncated by top-p, min-p
        or top-k. Lazy draft tokens are waited for as in `allowed`.
        """
        scores = fit(logits, self.vocabulary).astype(mx.float32)
        if self._bias_ids is not None:
            scores = scores.at[:, self._bias_ids].add(self._bias_values)
        if self.penalised:
            scores = self._penalise(scores, committed, draft_tokens)
        allowed = self.allowed(committed, draft_tokens, scores.shape[0])
        return scores if allowed is None else mx.where(mx.array(allowed), scores, -mx.inf)

    def allowed(
        self, committed: Sequence[int], drafted: mx.array | Sequence[int] | None, rows: int
    ) -> NDArray[np.bool_] | None:
        """Return which tokens may come next, bool (rows, vocabulary), by the grammar and within the limit of thoughts.

        The rows are as in `Constraint.allowed`; None if no row excludes anything. `drafted` (k,) may be lazy: it is
        waited for if there is a grammar or a limit.
        """
        if self.constraint is None and self.thought_limit is None:
            return None
        tokens = cast("list[int]", drafted.tolist()) if isinstance(drafted, mx.array) else drafted or ()
        by_grammar = None if self.constraint is None else self.constraint.allowed(committed, tokens, rows)
        limit = self.thought_limit
        shape = (rows, self.vocabulary)
        return by_grammar if limit is None else limit.restrict(by_grammar, shape, committed, tokens)

    @staticmethod
    def log_probabilities(scores: mx.array) -> mx.array:
        """Return the natural log-probabilities of `scores` (rows, vocabulary), before any truncation."""
        return scores - mx.logsumexp(scores, axis=-1, keepdims=True)

    def truncated(self, logprobs: mx.array) -> mx.array:
        """Return the scores (rows, vocabulary) from which tokens are drawn: truncated to -inf, with the temperature."""
        settings = self.settings
        if settings.top_p < 1.0:
            logprobs = apply_top_p(logprobs, settings.top_p)
        if settings.min_p > 0.0:
            logprobs = apply_min_p(logprobs, settings.min_p)
        if 0 < settings.top_k < self.vocabulary:
            logprobs = apply_top_k(logprobs, settings.top_k)
        return logprobs * (1.0 / settings.temperature)

    def probabilities(self, logprobs: mx.array) -> mx.array:
        """Return the distribution (rows, vocabulary) from which tokens are drawn; the temperature must be above 0."""
        return mx.softmax(self.truncated(logprobs), axis=-1, precise=True)

    @staticmethod
    def likeliest(scores: mx.array) -> tuple[mx.array, mx.array]:
        """Return the greedy draw from `scores` (rows, vocabulary): ids (rows,) uint32 and their log-probabilities."""
        return mx.argmax(scores, axis=-1), scores.max(axis=-1) - mx.logsumexp(scores, axis=-1)

    def likeliest_tokens(self, logprobs: mx.array) -> LikeliestTokens | None:
        """Return the `alternatives` likeliest tokens by normalised scores (rows, vocabulary); None if 0 are wanted."""
        if not self.alternatives:
            return None
        count = min(self.alternatives, self.vocabulary)
        ids = likeliest_ids(logprobs, count)
        return LikeliestTokens(ids, mx.take_along_axis(logprobs, ids, axis=-1))

    def sample_top_candidates(self, logprobs: mx.array, noise: mx.array) -> TopCandidates:
        """Draw like `draw`, without sorting, from `logprobs` and `noise` (rows, vocabulary).

        A draw that is not certain has to be repeated by `draw`.
        The id of a row is the largest of all perturbed scores. It is certain if it survives the truncation. Top-p and
        top-k keep the likeliest tokens, so it survives if few enough others are as likely.
        """
        settings = self.settings
        certain = mx.array([True])
        if settings.min_p > 0.0:
            logprobs = apply_min_p(logprobs, settings.min_p)
        perturbed = logprobs * (1.0 / settings.temperature) + noise
        drawn = mx.argmax(perturbed, axis=-1).astype(mx.uint32)
        chosen = mx.take_along_axis(logprobs, drawn[:, None], axis=-1)
        if settings.top_p < 1.0:
            likelier = mx.where(logprobs > chosen, mx.exp(logprobs), 0.0).sum(axis=-1)
            # Neither this sum, nor the two that are compared in sorted order, can be rounded by a quarter of that.
            certain = likelier < settings.top_p - self.vocabulary * 2.0**-22
        if 0 < settings.top_k < self.vocabulary:
            certain = certain & ((logprobs >= chosen).sum(axis=-1) <= settings.top_k)
        return TopCandidates(drawn, self.top2_margins(perturbed, drawn), certain)

    def perturbed(self, logprobs: mx.array, noise: mx.array) -> mx.array:
        """Return the scores whose largest is the draw from `logprobs` (rows, vocabulary)."""
        return self.truncated(logprobs) + noise

    def top2_margins(self, scores: mx.array, drawn: mx.array) -> mx.array:
        """Return how far the `drawn` ids (rows,), the largest of `scores`, lead the next best, in units of logits.

        A change of the logits by less than half of that cannot change the draw.
        """
        others = mx.where(mx.arange(scores.shape[-1]) == drawn[:, None], -mx.inf, scores).max(axis=-1)
        return (scores.max(axis=-1) - others) * (self.settings.temperature or 1.0)

    def draw(self, logprobs: mx.array, noise: mx.array | None) -> mx.array:
        """Return one token id for each row, (rows,) uint32: the likeliest, or with `noise` added after truncation.

        Without noise, pass scores that are not normalised: normalising can make unequal scores equal.
        """
        if noise is None:
            return mx.argmax(logprobs, axis=-1).astype(mx.uint32)
        return mx.argmax(self.perturbed(logprobs, noise), axis=-1).astype(mx.uint32)

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
        """Return how often each token occurs in each row's penalty window: (rows, vocabulary) float32."""
        drafted = 0 if draft_tokens is None else draft_tokens.shape[0]
        window = self.settings.penalty_window or len(committed) + drafted
        tail = list(committed[-window:])
        # A history shorter than the window is filled with an id after the vocabulary, whose count is cut off below.
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
        """Return the keys, uint32 (2,), of the random numbers at `position`, `position` + 1, ...

        `stream` is DRAW, DRAFT or ACCEPT; the numbers of these at one position are independent.
        """
        return [mx.random.key(_mix(self.seed ^ _mix((position + i) * 4 + stream))) for i in range(count)]


def gumbel_noise(keys: Sequence[mx.array], vocabulary: int) -> mx.array:
    """Return Gumbel noise (keys, vocabulary); a row depends on its own key alone."""
    return mx.vmap(lambda key: mx.random.gumbel((vocabulary,), key=key))(mx.stack(list(keys)))


def top_probabilities(scores: mx.array) -> mx.array:
    """Estimate the largest probability of each row of `scores` (rows, V), as a lazy array (rows,)."""
    rows = scores.shape[0]
    terms = scores.shape[1] // SCORES_PER_TERM
    if terms > 1:
        scores = scores[:, : terms * SCORES_PER_TERM].reshape(rows, SCORES_PER_TERM, terms).max(axis=1)
    return mx.exp(scores.max(axis=-1) - mx.logsumexp(scores, axis=-1))


def fit(logits: mx.array, vocabulary: int) -> mx.array:
    """Return logits (rows, V) cut or padded with -inf to (rows, vocabulary)."""
    width = logits.shape[-1]
    if width == vocabulary:
        return logits
    if width > vocabulary:
        return logits[:, :vocabulary]
    padding = mx.full((logits.shape[0], vocabulary - width), -mx.inf, dtype=logits.dtype)
    return mx.concatenate([logits, padding], axis=-1)


def likeliest_ids(scores: mx.array, count: int) -> mx.array:
    """Return the ids (rows, count) of the largest `scores` of each row, in no order."""
    if count == 1:
        return mx.argmax(scores, axis=-1, keepdims=True)
    return mx.argpartition(-scores, kth=count - 1, axis=-1)[:, :count]


def make_noise(samplers: Sequence[Sampler], positions: Sequence[int], counts: Sequence[int]) -> None:
    """Make the noise that `noise(positions[b], counts[b])` of each sampler will return, in one operation."""
    wanted = [
        (sampler, position, count)
        for sampler, position, count in zip(samplers, positions, counts, strict=True)
        if not sampler.greedy and not sampler.has_noise(position, count)
    ]
    if not wanted:
        return
    keys = [key for sampler, position, count in wanted for key in sampler.keys(position, count)]
    noise = gumbel_noise(keys, wanted[0][0].vocabulary)
    start = 0
    for sampler, position, count in wanted:
        sampler.keep_noise(position, noise[start : start + count])
        start += count


def draw_together(
    samplers: Sequence[Sampler], counts: Sequence[int], noises: Sequence[mx.array | None], scores: mx.array
) -> tuple[mx.array, mx.array]:
    """Return the tokens (rows,) uint32 that the samplers draw, and their natural log-probabilities (rows,).

    Each draws the same tokens as alone, in as few operations as one request needs. All scores must be plain logits:
    `scores` (rows, vocabulary) float32 hold `counts[b]` rows of each sampler, in order; `noises[b]` has the same number
    of rows, or is None for a greedy sampler.
    """
    if all(sampler.greedy for sampler in samplers):
        return Sampler.likeliest(scores)
    groups: dict[tuple[float, ...], list[int]] = {}
    firsts = list(accumulate(counts, initial=0))
    for index, sampler in enumerate(samplers):
        settings = sampler.settings
        # What shapes the distribution: samplers that have it in common draw in one operation.
        shape = () if sampler.greedy else (settings.temperature, settings.top_p, settings.min_p, settings.top_k)
        groups.setdefault(shape, []).append(index)
    normalised = Sampler.log_probabilities(scores)
    drawn: list[mx.array] = []
    order: list[int] = []
    for members in groups.values():
        sampler = samplers[members[0]]
        rows = [row for index in members for row in range(firsts[index], firsts[index + 1])]
        drawn_noises = [noise for index in members if (noise := noises[index]) is not None]
        # Greedy samplers draw from the scores: normalising can make unequal scores equal.
        drawn.append(
            sampler.draw(
                _rows(normalised if drawn_noises else scores, rows),
                mx.concatenate(drawn_noises) if drawn_noises else None,
            )
        )
        order += rows
    sampled = mx.concatenate(drawn)
    if order != sorted(order):
        places = {row: place for place, row in enumerate(order)}
        sampled = sampled[mx.array([places[row] for row in range(len(order))])]
    return sampled, mx.take_along_axis(normalised, sampled[:, None], axis=-1)[:, 0]


def _rows(array: mx.array, rows: list[int]) -> mx.array:
    return array if len(rows) == array.shape[0] else array[mx.array(rows)]


def _mix(value: int) -> int:
    """Spread neighbouring 64-bit numbers by the finaliser of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014)."""
    value = (value + 0x9E3779B97F4A7C15) & _MASK
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & _MASK
    return value ^ (value >> 31)
