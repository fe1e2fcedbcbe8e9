"""What an assistant of Gemma 4 keeps of a conversation: the main model's keys and values, and its newest state.

They are made of the tapped inputs of the main model's layers again, not taken from its caches: those may be quantised,
cut, or rows of a batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import mlx.core as mx

from engine.heads.context import BlockContext, LayerRows


class AssistantContext(BlockContext):
    """Keys and values of the main model's last layer of each kind, and its state (1, 1, width) at the last position.

    After `rewind` that state is gone, and the next row has to come first (`ready`).
    """

    def __init__(self, windows: Sequence[int | None], start: int = 0) -> None:
        super().__init__(windows, start)
        self.newest: mx.array | None = None

    @property
    def ready(self) -> bool:
        return self.newest is not None

    def kept_arrays(self) -> list[mx.array]:
        arrays = super().kept_arrays()
        return arrays if self.newest is None else [*arrays, self.newest]

    def rewind(self, length: int) -> None:
        if length < self.length:
            self.newest = None
        super().rewind(length)

    def copy(self) -> AssistantContext:
        copied = AssistantContext([])
        copied.layers, copied.newest = [layer.copy() for layer in self.layers], self.newest
        return copied

    @property
    def state(self) -> dict[str, mx.array]:
        return super().state | ({} if self.newest is None else {"newest": self.newest})

    @classmethod
    def restored_for(
        cls, state: dict[str, mx.array], windows: Sequence[int | None], shapes: Sequence[tuple[int, int]], width: int
    ) -> AssistantContext:
        """The context that `state` was taken of; raises ValueError where it was not one of this form.

        `shapes` are heads and size of keys and values of each kind, `width` is that of a state.
        """
        spans, newest = state.get("spans"), state.get("newest")
        if spans is None or spans.shape != (len(windows), 2):
            raise ValueError("spans")
        if newest is not None and newest.shape != (1, 1, width):
            raise ValueError("newest")
        context = cls(windows)
        pairs = cast("list[list[int]]", spans.tolist())
        for index, ((first, end), (heads, size)) in enumerate(zip(pairs, shapes, strict=True)):
            if not 0 <= first <= end or end != pairs[0][1]:
                raise ValueError("spans")
            layer = LayerRows(windows[index], first)
            context.layers[index] = layer
            keys, values = state.get(f"{index}.keys"), state.get(f"{index}.values")
            if end == first:
                continue
            expected = (1, heads, end - first, size)
            if keys is None or values is None or keys.shape != expected or values.shape != expected:
                raise ValueError(f"{index}.keys")
            layer.append(keys, values)
        context.newest = newest
        return context
