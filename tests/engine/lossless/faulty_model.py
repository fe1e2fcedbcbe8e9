"""A model that fails in the middle of a forward pass."""

from __future__ import annotations

from typing import Any

import mlx.core as mx

from tests.engine.passed_on import PassedOn


class FaultyModel(PassedOn):
    """Calls `model`, and raises in the middle of the `fail_at`-th forward pass."""

    def __init__(self, model: Any) -> None:
        super().__init__(model)
        self.calls = 0
        self.fail_at = -1

    def __call__(self, tokens: mx.array, cache: Any) -> mx.array:
        self.calls += 1
        if self.calls == self.fail_at:
            # Half of the layers have written their rows when the fault strikes.
            rows = mx.zeros((1, 2, tokens.shape[1], 16))
            cache[0].update_and_fetch(rows, rows)
            raise RuntimeError("[metal::malloc] out of memory, says the test")
        return super().__call__(tokens, cache)
