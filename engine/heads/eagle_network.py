"""EAGLE-3 heads: a layer that reads a token's embedding beside the state before it, and drafts a chain of tokens.

Attribute names are those of the tensors that speculators publishes.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import mlx.core as mx
import mlx.nn as nn
from mlx_lm.models.rope_utils import initialize_rope

from engine.errors import ModelNotUsable
from engine.heads.backbone import FeedForward, joined_layer
from engine.heads.chain_context import CacheRows
from engine.heads.chain_head import ChainHead
from engine.heads.eagle_config import EagleConfig, default_taps
from engine.heads.head import MainPorts


class ChainAttention(nn.Module):  # type: ignore[misc]
    """Causal attention to all pairs so far, and to the steps chained behind them."""

    def __init__(self, config: EagleConfig, inputs: int, window: int | None) -> None:
        super().__init__()
        size = config.head_dim
        self._heads, self._kv_heads, self._size, self._window = config.heads, config.kv_heads, size, window
        self.q_proj = nn.Linear(inputs, config.heads * size, bias=config.bias)
        self.k_proj = nn.Linear(inputs, config.kv_heads * size, bias=config.bias)
        self.v_proj = nn.Linear(inputs, config.kv_heads * size, bias=config.bias)
        self.o_proj = nn.Linear(config.heads * size, config.width, bias=config.bias)
        if config.head_norms:
            self.q_norm = nn.RMSNorm(size, eps=config.eps)
            self.k_norm = nn.RMSNorm(size, eps=config.eps)
        rope = config.rope
        scaling = None if rope.scaling is None else dict(rope.scaling)
        self._rope = initialize_rope(size, rope.base, rope.traditional, scaling, rope.max_positions)

    def __call__(self, rows: mx.array, cache: CacheRows, depth: int) -> mx.array:
        """Rows (1, n, inputs) that follow those of `cache`, of which the last `depth` are draft tokens."""
        _, count, _ = rows.shape
        offset = cache.offset
        queries = self.q_proj(rows).reshape(1, count, self._heads, self._size)
        if "kv_proj" in self:
            keys, values = mx.split(self.kv_proj(rows), 2, axis=-1)
        else:
            keys, values = self.k_proj(rows), self.v_proj(rows)
        keys, values = (part.reshape(1, count, self._kv_heads, self._size) for part in (keys, values))
        if "q_norm" in self:
            queries, keys = self.q_norm(queries), self.k_norm(keys)
        queries = self._rope(queries.transpose(0, 2, 1, 3), offset=offset)
        keys = self._rope(keys.transpose(0, 2, 1, 3), offset=offset)
        keys, values = cache.update_and_fetch(keys, values.transpose(0, 2, 1, 3))
        first = 0 if self._window is None else max(0, offset - depth - self._window + 1)
        output = mx.fast.scaled_dot_product_attention(
            queries,
            keys[:, :, first:],
            values[:, :, first:],
            scale=self._size**-0.5,
            mask=self._mask(count, offset, first, depth),
        )
        projected: mx.array = self.o_proj(output.transpose(0, 2, 1, 3).reshape(1, count, -1))
        return projected

    def join_products(self) -> None:
        """Make one product of keys and values, where their weights are alike."""
        if (joined := joined_layer(self.k_proj, self.v_proj)) is not None:
            self.kv_proj = joined
            del self.k_proj, self.v_proj

    def _mask(self, count: int, offset: int, first: int, depth: int) -> mx.array | str | None:
        """What rows at `offset` and on see of the rows from `first` on; None for everything.

        A window does not move along the steps of a chain (speculators, eagle3/attention.py).
        """
        if self._window is None or offset + count <= self._window:
            return "causal" if count > 1 else None
        query = mx.arange(offset, offset + count)[:, None]
        key = mx.arange(first, offset + count)[None]
        return (key <= query) & (key > query - depth - self._window)


class FirstLayer(nn.Module):  # type: ignore[misc]
    """Reads an embedding and a state, each with its norm, side by side."""

    def __init__(self, config: EagleConfig) -> None:
        super().__init__()
        width = config.width
        self._norm_before_residual = config.norm_before_residual
        self.input_layernorm = nn.RMSNorm(width, eps=config.eps)
        self.hidden_norm = nn.RMSNorm(width, eps=config.eps)
        self.self_attn = ChainAttention(config, 2 * width, config.windows[0])
        self.post_attention_layernorm = nn.RMSNorm(width, eps=config.eps)
        self.mlp = FeedForward(width, config.inner)

    def __call__(self, embedded: mx.array, states: mx.array, cache: CacheRows, depth: int) -> mx.array:
        normed = self.hidden_norm(states)
        both = mx.concatenate([self.input_layernorm(embedded), normed], axis=-1)
        rows = (normed if self._norm_before_residual else states) + self.self_attn(both, cache, depth)
        made: mx.array = rows + self.mlp(self.post_attention_layernorm(rows))
        return made


class PlainLayer(nn.Module):  # type: ignore[misc]
    """A further layer, as in Llama and Qwen models."""

    def __init__(self, config: EagleConfig, window: int | None) -> None:
        super().__init__()
        width = config.width
        self.input_layernorm = nn.RMSNorm(width, eps=config.eps)
        self.self_attn = ChainAttention(config, width, window)
        self.post_attention_layernorm = nn.RMSNorm(width, eps=config.eps)
        self.mlp = FeedForward(width, config.inner)

    def __call__(self, rows: mx.array, cache: CacheRows, depth: int) -> mx.array:
        rows = rows + self.self_attn(self.input_layernorm(rows), cache, depth)
        made: mx.array = rows + self.mlp(self.post_attention_layernorm(rows))
        return made


class EagleNetwork(nn.Module):  # type: ignore[misc]
    """All weights of an EAGLE-3 head."""

    def __init__(self, config: EagleConfig) -> None:
        super().__init__()
        width, taps = config.width, config.tap_count * config.tap_width
        self._output_norm = config.output_norm
        self.fc = nn.Linear(taps, width, bias=False)
        if config.input_norm:
            self.input_norm = nn.RMSNorm(taps, eps=config.eps)
        if config.tap_norms:
            self.fc_norm = [nn.RMSNorm(config.tap_width, eps=config.eps) for _ in range(config.tap_count)]
        plain = [PlainLayer(config, window) for window in config.windows[1:]]
        self.layers: list[Any] = [FirstLayer(config), *plain]
        self.norm = nn.RMSNorm(width, eps=config.eps)
        if config.own_embedding:
            self.embed_tokens = nn.Embedding(config.vocabulary, width)
        if config.own_output:
            self.lm_head = nn.Linear(width, config.draft_vocabulary, bias=False)
        if config.draft_vocabulary != config.vocabulary:
            self.d2t = mx.zeros((config.draft_vocabulary,), mx.int32)

    def join_products(self) -> None:
        """Make fewer, larger products: a small head's time goes by their number."""
        for layer in self.layers:
            layer.self_attn.join_products()
            layer.mlp.join_products()

    def states_of(self, taps: mx.array) -> mx.array:
        """The states (1, S, width) of tapped rows (1, S, taps * tap width)."""
        if "input_norm" in self:
            taps = self.input_norm(taps)
        if "fc_norm" in self:
            parts = mx.split(taps, len(self.fc_norm), axis=-1)
            taps = mx.concatenate([norm(part) for norm, part in zip(self.fc_norm, parts, strict=True)], axis=-1)
        states: mx.array = self.fc(taps)
        return states

    def __call__(self, embedded: mx.array, states: mx.array, caches: Sequence[CacheRows], depth: int) -> mx.array:
        """The next states (1, n, width) from embeddings and states (1, n, width); appends n rows to `caches`."""
        first, *others = self.layers
        rows: mx.array = first(embedded, states, caches[0], depth)
        for layer, cache in zip(others, caches[1:], strict=True):
            rows = layer(rows, cache, depth)
        return self.norm(rows) if self._output_norm == "state" else rows

    def before_output(self, states: mx.array) -> mx.array:
        """What the output matrix is given."""
        return self.norm(states) if self._output_norm == "output" else states


class EagleHead(ChainHead):
    """An EAGLE-3 head, for the main model that it is bound to."""

    network: EagleNetwork

    def __init__(self, path: Path, config: EagleConfig, network: EagleNetwork, identity: str) -> None:
        super().__init__(path, config, network, identity)
        self.config, self._identity = config, identity
        if "d2t" in network:
            self.targets = mx.arange(config.draft_vocabulary, dtype=mx.int32) + network.d2t.astype(mx.int32)

    def bind(self, ports: MainPorts) -> None:
        super().bind(ports)
        count = ports.layer_count
        fitting = [taps for taps in (self.taps, *self.config.tap_choices) if taps and taps[-1] < count]
        self.taps = fitting[0] if fitting else default_taps(count)
        if not -1 < self.taps[0] < self.taps[-1] < count:
            raise ModelNotUsable(self._path, "wrong-main", f"layers: {count}")

    @property
    def readings(self) -> tuple[tuple[int, ...], ...]:
        """Which layers the ids of the configuration can mean."""
        return self.config.tap_choices

    def use(self, reading: tuple[int, ...]) -> None:
        self.identity = self._identity
        if reading != self.config.taps:
            self.identity += f"-{'-'.join(map(str, reading))}"
        self.taps = reading

    @property
    def dtype(self) -> mx.Dtype:
        found: mx.Dtype = self.network.norm.weight.dtype
        return found

    @property
    def cache_shapes(self) -> list[tuple[tuple[int, int], tuple[int, int]]]:
        shape = (self.config.kv_heads, self.config.head_dim)
        return [(shape, shape)] * len(self.config.windows)

    @property
    def state_width(self) -> int:
        return self.config.width

    def states_of(self, taps: mx.array) -> mx.array:
        return self.network.states_of(taps.astype(self.dtype))

    def step(self, embedded: mx.array, states: mx.array, caches: list[CacheRows], depth: int) -> mx.array:
        return self.network(embedded, states, caches, depth)

    def logits(self, states: mx.array) -> mx.array:
        rows = self.network.before_output(states)
        if "lm_head" in self.network:
            own: mx.array = self.network.lm_head(rows)
            return own
        return self.ports.logits(rows.astype(self.main_dtype))

    def embed(self, ids: mx.array) -> mx.array:
        if "embed_tokens" in self.network:
            own: mx.array = self.network.embed_tokens(ids)
            return own
        return super().embed(ids)
