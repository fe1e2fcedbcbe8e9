"""A model that counts the tokens it is fed, and fails when a test wants it to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mlx.core as mx

from tests.engine.passed_on import PassedOn


class CountingModel(PassedOn):
    """Calls `model` and counts the tokens it is fed; raises once `fails` is true for the shape of a pass."""

    def __init__(self, model: Any) -> None:
        super().__init__(model)
        self.tokens = 0
        self.passes: list[tuple[int, ...]] = []
        self.fails: Callable[[tuple[int, ...], Any], bool] = lambda *_: False

    @property
    def most_rows(self) -> int:
        """The most requests that shared a pass."""
        return max(rows for rows, _ in self.passes)

    def __call__(self, tokens: mx.array, cache: Any) -> mx.array:
        self.tokens += tokens.size
        self.passes.append(tokens.shape)
        if self.fails(tokens.shape, cache):
            raise RuntimeError("[metal::malloc] out of memory, says the test")
        return super().__call__(tokens, cache)
