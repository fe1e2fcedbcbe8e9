"""Tells whether MLX compiles in this process, which MLX itself does not say."""

from __future__ import annotations

import mlx.core as mx


def is_compiling() -> bool:
    """Whether MLX traces a function once; without compilation it runs it at every call."""
    calls: list[mx.array] = []

    def add_one(x: mx.array) -> mx.array:
        calls.append(x)
        return x + 1

    compiled = mx.compile(add_one)
    for _ in range(2):
        compiled(mx.array(1.0))
    return len(calls) == 1
