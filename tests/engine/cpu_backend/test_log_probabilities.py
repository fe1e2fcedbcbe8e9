"""The log-probabilities of greedy draws by numpy equal those by MLX."""

from __future__ import annotations

import mlx.core as mx
import pytest

from engine.cpu_backend.log_probabilities import likeliest_log_probabilities
from engine.main_model.sampling import Sampler


@pytest.mark.parametrize("scale", [1.0, 60.0])
def test_they_are_those_of_the_sampler(scale: float) -> None:
    scores = mx.random.normal((16, 300), key=mx.random.key(3)) * scale
    scores[:, 7] = -mx.inf

    assert likeliest_log_probabilities(scores) == pytest.approx(Sampler.likeliest(scores)[1].tolist(), abs=1e-5)


def test_a_row_that_allows_one_token_has_it_for_certain() -> None:
    scores = mx.full((2, 5), -mx.inf)
    scores[:, 1] = 3.0

    assert likeliest_log_probabilities(scores) == [0.0, 0.0]
