"""Log-probabilities of greedy draws, if MLX computes on the CPU.

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
    log_probabilities: list[float] = (-np.log(sums)).tolist()
    return log_probabilities
