"""A model whose next token depends on the last one alone, so that its exact law is known, and rounds with it."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import mlx.core as mx
from mlx_lm.models.cache import KVCache

from engine.main_model.sampling import Sampler
from engine.requests import SamplingSettings
from engine.speculation.proposers.draft_model import DraftModelProposer
from engine.speculation.rounds.sequence import CachedSequence
from tests.engine.speculation.proposed_rounds import ProposedRounds

VOCABULARY = 12


class BigramModel:
    """`table` (V, V) holds the logits of the next token for each last token. Writes one KV row a token."""

    def __init__(self, table: mx.array) -> None:
        self.table = table

    def __call__(self, tokens: mx.array, cache: list[KVCache]) -> mx.array:
        rows = mx.zeros((1, 1, tokens.shape[1], 1))
        cache[0].update_and_fetch(rows, rows)
        return self.table[tokens]


def random_table(seed: int, spread: float = 1.5) -> mx.array:
    table = spread * mx.random.normal((VOCABULARY, VOCABULARY), key=mx.random.key(seed))
    mx.eval(table)
    return table


def new_sequence(table: mx.array) -> CachedSequence:
    sequence = CachedSequence(BigramModel(table), [KVCache()])
    sequence.append([0, 1, 2])
    return sequence


def generate(
    table: mx.array, draft: mx.array | None, settings: SamplingSettings, count: int, *, depth: int, rejection: bool
) -> list[int]:
    """Generate at least `count` tokens after the prompt [0, 1, 2], in rounds of `depth` draft tokens from `draft`."""
    sampler = Sampler(settings, VOCABULARY)
    proposer = None
    if draft is not None:
        proposer = DraftModelProposer(new_sequence(draft), sampler, 10**9, keep_distributions=rejection)
    rounds = ProposedRounds(new_sequence(table), sampler, proposer)
    while len(rounds.sequence.tokens) < count + 3:
        rounds.play(depth)
    return rounds.sequence.tokens


def chi_square_excess(tokens: list[int], law: list[list[float]]) -> float:
    """Return how far the transitions in `tokens` are from `law` (rows of probabilities), in normal deviates.

    Pearson's statistic over all transitions with an expectation of 5 or more; 3.09 is p = 0.001.
    """
    pairs = Counter(itertools.pairwise(tokens))
    starts = Counter(tokens[:-1])
    statistic, freedom = 0.0, 0
    for start, total in starts.items():
        cells = [(total * p, pairs[start, token]) for token, p in enumerate(law[start])]
        assert all(count == 0 for expected, count in cells if expected == 0.0), "an excluded token was drawn"
        large = [cell for cell in cells if cell[0] >= 5.0]
        rest = [cell for cell in cells if cell[0] < 5.0]
        if rest:
            large.append((sum(expected for expected, _ in rest), sum(count for _, count in rest)))
        large = [cell for cell in large if cell[0] > 0.0]
        statistic += sum((count - expected) ** 2 / expected for expected, count in large)
        freedom += len(large) - 1
    if freedom <= 0:
        return 0.0
    return _deviate(statistic, freedom)


def joint_law(table: mx.array, settings: SamplingSettings, length: int) -> dict[tuple[int, ...], float]:
    """Return the exact probability of every continuation of [0, 1, 2] by `length` tokens in plain decoding.

    Unlike a row of transitions it holds where a token depends on the whole history, as it does under penalties.
    """
    sampler = Sampler(settings, VOCABULARY)
    law: dict[tuple[int, ...], float] = {(): 1.0}
    for _ in range(length):
        longer: dict[tuple[int, ...], float] = {}
        for drawn, probability in law.items():
            history = [0, 1, 2, *drawn]
            scores = sampler.scores(table[history[-1] : history[-1] + 1], history)
            row: list[float] = sampler.probabilities(sampler.log_probabilities(scores))[0].tolist()  # type: ignore[assignment]
            longer |= {(*drawn, token): probability * p for token, p in enumerate(row)}
        law = longer
    return law


def joint_excess(counts: Counter[tuple[int, ...]], law: dict[tuple[int, ...], float]) -> float:
    """Return how far `counts` of continuations are from `law`, in normal deviates; rare ones count as one cell."""
    total = counts.total()
    large = [(total * p, counts[key]) for key, p in law.items() if total * p >= 5.0]
    rest = total - sum(expected for expected, _ in large)
    if rest >= 5.0:
        large.append((rest, total - sum(count for _, count in large)))
    return _deviate(sum((count - expected) ** 2 / expected for expected, count in large), len(large) - 1)


def _deviate(statistic: float, freedom: int) -> float:
    """Pearson's statistic as a normal deviate, by Wilson and Hilferty's cube-root formula."""
    third = 2.0 / (9.0 * freedom)
    return (math.cbrt(statistic / freedom) - (1.0 - third)) / math.sqrt(third)
