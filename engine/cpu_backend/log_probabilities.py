"""Log-probabilities of greedy draws on the CPU, where numpy's exponential is much faster than MLX's."""

from __future__ import annotations

import mlx.core as mx
import numpy as np


def likeliest_log_probabilities(scores: mx.array) -> list[float]:
    """Wait for float32 `scores` (rows, vocabulary); return the natural log-probability of each row's likeliest id."""
    known = np.asarray(scores)
    behind = known - np.maximum.reduce(known, axis=-1, keepdims=True)
    sums = np.add.reduce(np.exp(behind, out=behind), axis=-1)
    return (-np.log(sums)).tolist()
