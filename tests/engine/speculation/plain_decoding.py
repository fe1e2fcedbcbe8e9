"""Plain decoding of forced tokens, the reference for speculation."""

from __future__ import annotations

from typing import Any

import mlx.core as mx
import numpy as np

from tests.engine.speculation.families import build, fresh_caches
from tests.engine.speculation.family_configs import VOCABULARY

# Relative to the largest logit or cache entry. Two logits closer than that are a tie.
TOLERANCE = 1e-4
PREFILL_CHUNK = 64


def decode_plainly(name: str, tokens: list[int], prompt: int) -> tuple[list[np.ndarray], list[Any]]:
    """Return logits (V,) after each token from the prompt's last on, and caches that hold all but the last token."""
    model, caches = build(name), fresh_caches(name)
    for start in range(0, prompt - 1, PREFILL_CHUNK):
        chunk = tokens[start : min(start + PREFILL_CHUNK, prompt - 1)]
        mx.eval(model(mx.array([chunk], mx.uint32), cache=caches))
    steps = (mx.array([[token]], mx.uint32) for token in tokens[prompt - 1 : -1])
    return [np.array(model(step, cache=caches)[0, -1]) for step in steps], caches


def assert_same_logits(
    logits: mx.array | np.ndarray, expected: np.ndarray, where: str, tolerance: float = TOLERANCE
) -> None:
    """Assert equality within `tolerance`, and the same best token unless the two best are a tie."""
    row, expected = np.array(logits)[:VOCABULARY], expected[:VOCABULARY]
    allowed = tolerance * np.abs(expected).max()
    assert np.abs(row - expected).max() <= allowed, where
    assert expected.max() - expected[row.argmax()] <= allowed, where
