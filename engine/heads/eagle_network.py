"""EAGLE-3 heads: a layer reads a token's embedding and the previous state, and drafts a chain of tokens.

Attributes have the names of the tensors that speculators publishes.
"""

from __future__ import annotations

from collections.abc import Container, Sequence

import mlx.core as mx
import mlx.nn as nn
from mlx_lm.models.base import create_causal_mask

from engine.errors import ModelNotUsable
from engine.heads.chain_head import ChainHead
from engine.heads.context import LayerRows
from engine.heads.eagle_config import EagleConfig, default_taps
from engine.heads.head import MainPorts
from engine.heads.layers import ATTENTION, FeedForward, HeadAttention, TapNetwork, normed_taps
from engine.heads.weights import Weights


class ChainAttention(HeadAttention):
    """Causal attention to all pairs so far and to the chained steps after them."""

    def __init__(self, config: EagleConfig, tensors: Container[str], inputs: int, window: int) -> None:
        super().__init__(config, tensors, inputs, config.rope, norms=f"{ATTENTION}.q_norm.weight" in tensors)
        self._window = window
        self._scale = config.head_dim**-0.5

    def __call__(self, rows: mx.array, cache: LayerRows, depth: int) -> mx.array:
        """Return the output of rows (1, n, inputs) that follow `cache`, whose last `depth` rows are draft tokens."""
        count = rows.shape[1]
        position = cache.offset
        # A chain's steps do not move a window (speculators, eagle3/attention.py).
        window = self._window + depth
        seen = min(cache.count, window - 1)
        keys, values = cache.extended(*self.keys_and_values(rows, position), seen)
        output = mx.fast.scaled_dot_product_attention(
            self.queries(rows, position), keys, values, scale=self._scale, mask=_mask(count, seen, window)
        )
        return self.projected(output.transpose(0, 2, 1, 3))


def _mask(count: int, seen: int, window: int) -> mx.array | str | None:
    """Return the mask of `count` rows over `seen` others and themselves: bool (count, seen + count), or "causal".

    None means that every row sees everything.
    """
    if seen + count <= window:
        return "causal" if count > 1 else None
    mask: mx.array = create_causal_mask(count, seen, window)
    return mask


class EagleLayer(nn.Module):  # type: ignore[misc]
    """A layer as in Llama and Qwen models. The `first` reads an embedding and a state, each with its norm."""

    def __init__(self, config: EagleConfig, tensors: Container[str], window: int, *, first: bool) -> None:
        super().__init__()
        width = config.width
        self._norm_before_residual = config.norm_before_residual
        self.input_layernorm = nn.RMSNorm(width, eps=config.eps)
        if first:
            self.hidden_norm = nn.RMSNorm(width, eps=config.eps)
        self.self_attn = ChainAttention(config, tensors, 2 * width if first else width, window)
        self.post_attention_layernorm = nn.RMSNorm(width, eps=config.eps)
        self.mlp = FeedForward(width, config.inner)

    def __call__(self, rows: mx.array, embedded: mx.array, cache: LayerRows, depth: int) -> mx.array:
        if "hidden_norm" in self:
            normed = self.hidden_norm(rows)
            read = mx.concatenate([self.input_layernorm(embedded), normed], axis=-1)
            rows = normed if self._norm_before_residual else rows
        else:
            read = self.input_layernorm(rows)
        rows = rows + self.self_attn(read, cache, depth)
        return rows + self.mlp(self.post_attention_layernorm(rows))


class EagleNetwork(TapNetwork):
    """All weights of an EAGLE-3 head. `tensors` decide whether all taps are normed at once, each (3.1), or none."""

    def __init__(self, config: EagleConfig, tensors: Container[str] = ()) -> None:
        super().__init__(config, config.tap_count)
        self._output_norm = config.output_norm
        if "input_norm.weight" in tensors:
            self.input_norm = nn.RMSNorm(config.tap_count * config.tap_width, eps=config.eps)
        if "fc_norm.0.weight" in tensors:
            self.fc_norm = [nn.RMSNorm(config.tap_width, eps=config.eps) for _ in range(config.tap_count)]
        self.layers = [
            EagleLayer(config, tensors, window, first=not index) for index, window in enumerate(config.row_windows)
        ]

    def states_of(self, taps: mx.array) -> mx.array:
        """Return the states (1, S, width) of tapped rows (1, S, taps * tap width)."""
        if "input_norm" in self:
            taps = self.input_norm(taps)
        if "fc_norm" in self:
            taps = normed_taps(taps, self.fc_norm)
        fused: mx.array = self.fc(taps)
        return fused

    def __call__(self, embedded: mx.array, states: mx.array, caches: Sequence[LayerRows], depth: int) -> mx.array:
        """Return the next states (1, n, width) from embeddings and states (1, n, width); append n rows to `caches`."""
        rows = states
        for layer, cache in zip(self.layers, caches, strict=True):
            rows = layer(rows, embedded, cache, depth)
        return self.norm(rows) if self._output_norm == "state" else rows

    def before_output(self, states: mx.array) -> mx.array:
        """Return the input (1, n, width) of the output matrix, which is the `states` (1, n, width), perhaps normed."""
        return self.norm(states) if self._output_norm == "output" else states


class EagleHead(ChainHead):
    """An EAGLE-3 head, for the main model that it is bound to."""

    config: EagleConfig
    network: EagleNetwork

    @staticmethod
    def build(config: EagleConfig, weights: Weights) -> tuple[nn.Module, Weights]:
        return EagleNetwork(config, weights), weights

    def bind(self, ports: MainPorts) -> None:
        """Choose the taps that the main model has. Raises `ModelNotUsable` (wrong-main) if it has too few layers."""
        super().bind(ports)
        count = ports.layer_count
        fitting = [taps for taps in (self.taps, *self.config.tap_choices) if taps and taps[-1] < count]
        self.taps = fitting[0] if fitting else default_taps(count)
        if not -1 < self.taps[0] < self.taps[-1] < count:
            raise ModelNotUsable(self._path, "wrong-main", f"layers: {count}")

    @property
    def readings(self) -> tuple[tuple[int, ...], ...]:
        """The possible meanings of the layer ids in the configuration."""
        return self.config.tap_choices

    def use(self, reading: tuple[int, ...]) -> None:
        super().use(reading)
        self.taps = reading

    def states_of(self, taps: mx.array) -> mx.array:
        """Return the states (1, S, width) of tapped rows (1, S, taps * tap width), in the head's precision."""
        return self.network.states_of(taps.astype(self.dtype))

    def step(self, embedded: mx.array, states: mx.array, caches: list[LayerRows], depth: int) -> mx.array:
        """Return the next states (1, n, width); the last `depth` rows of each cache are draft tokens."""
        return self.network(embedded, states, caches, depth)

    def scores(self, states: mx.array, depth: int) -> mx.array:
        """Return logits (1, n, m) of states (1, n, width), the same at every depth."""
        del depth
        return self.logits(self.network.before_output(states))
