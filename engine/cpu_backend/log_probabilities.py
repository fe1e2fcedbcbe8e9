"""Log-probabilities and leads of greedy draws, if MLX computes on the CPU.

numpy's exponential is much faster than MLX's there, and the scores are in the host's memory anyway.
"""

from __future__ import annotations

import mlx.core as mx
import numpy as np


def likeliest_log_probabilities(scores: mx.array) -> list[float]:
    """Return the natural log-probability of each row's likeliest id, by `scores` (rows, vocabulary) in float32.

    Waits for the scores, which may be lazy.
    """
    known = np.asarray(scores)
    behind = known - np.maximum.reduce(known, axis=-1, keepdims=True)
    sums = np.add.reduce(np.exp(behind, out=behind), axis=-1)
    found: list[float] = (-np.log(sums)).tolist()
    return found


def likeliest_leads(scores: mx.array) -> list[float]:
    """Return how far each row's likeliest id leads the next best, by `scores` (rows, vocabulary) in float32."""
    known = np.array(scores)
    rows = np.arange(len(known))
    best = known.argmax(axis=-1)
    highest = known[rows, best]
    known[rows, best] = -np.inf
    found: list[float] = (highest - known.max(axis=-1)).tolist()
    return found
