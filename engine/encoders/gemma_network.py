"""EmbeddingGemma: Gemma 3's layers, of which each token also sees the tokens after it."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import mlx.core as mx
import mlx.nn as nn
from mlx_lm.models.gemma3_text import Gemma3Model, ModelArgs


class GemmaNetwork(nn.Module):  # type: ignore[misc]
    """The network of a Gemma 3 whose tokens attend in both directions, and its layers after the pooling.

    It has layers after the pooling if it `has_dense`. Published models have these layers in folders of their own,
    conversions for MLX among the other weights.

    mlx-vlm's lets all layers see the whole text. transformers, by which the model was published, lets the sliding ones
    see half the window on either side.
    """

    def __init__(self, config: Mapping[str, Any], *, has_dense: bool = False) -> None:
        super().__init__()
        self.model = Gemma3Model(ModelArgs.from_dict(config))
        self._reach = self.model.window_size // 2
        if has_dense:
            width = config["hidden_size"]
            widths = (width, 4 * width, width)
            self.dense = [nn.Linear(*sizes, bias=False) for sizes in pairwise(widths)]

    def __call__(self, ids: mx.array, seen: mx.array | None = None) -> mx.array:
        """Return the normed states (texts, tokens, width) of the last layer for `ids` (texts, tokens).

        `seen` (texts, tokens) is false where a text is padded; None if no text is.
        """
        states = self.model.embed_tokens(ids)
        states = states * mx.array(states.shape[-1] ** 0.5).astype(states.dtype)
        places = mx.arange(ids.shape[1])
        near = mx.abs(places[:, None] - places[None]) <= self._reach
        everything = None
        if seen is not None:
            # What sees nothing would be NaN; padding sees itself.
            everything = seen[:, None, None] | (places[:, None] == places[None])
            near = near & everything
        for layer in self.model.layers:
            states = layer(states, near if layer.self_attn.is_sliding else everything)
        output: mx.array = self.model.norm(states)
        return output

    def sanitize(self, weights: dict[str, mx.array]) -> dict[str, mx.array]:
        """Return the weights (any shape) by the names here: the published ones lack a part of theirs."""
        return {
            name if name.startswith(("model.", "dense.")) else f"model.{name}": array
            for name, array in weights.items()
            if not name.startswith(("lm_head.", "head."))
        }
