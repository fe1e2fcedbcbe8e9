"""The pair with random weights writes one long walk, and the draft's second choice is right where its first is not."""

from __future__ import annotations

from pathlib import Path

import mlx.core as mx
import numpy as np

from engine import starter_pair
from engine.main_model.loading import load
from tests.benchmarks.agreeing_pair import FIRST_TOKEN, write_pair

TOKENS = 400


def choices(folder: Path) -> np.ndarray:
    """Return the two likeliest successors of each of some tokens of the walk, the likeliest last: (tokens, 2)."""
    model = load(folder).model
    # Each is a text of its own: none sees another token.
    ranked = mx.argsort(model(mx.arange(FIRST_TOKEN, FIRST_TOKEN + TOKENS)[:, None])[:, 0], axis=-1)
    return np.array(ranked[:, -2:])


def test_the_main_model_walks_through_all_tokens_and_the_draft_knows_the_way(tmp_path: Path) -> None:
    write_pair(tmp_path, ("20M", "20M"), 0.8, starter_pair()[0])
    right = choices(tmp_path / "main")[:, 1]
    first, second = choices(tmp_path / "draft").T[::-1]
    assert len(set(right.tolist())) == len(right)
    agrees = first == right
    assert 0.75 < agrees.mean() < 0.85
    assert (second[~agrees] == right[~agrees]).mean() > 0.95
