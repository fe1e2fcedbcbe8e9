"""Layers that several kinds of heads share. Attributes have the names of the published tensors."""

from __future__ import annotations

from collections.abc import Container, Sequence

import mlx.core as mx
import mlx.nn as nn
from mlx_lm.models.activations import swiglu
from mlx_lm.models.rope_utils import initialize_rope

from engine.heads.config import NetworkConfig, RopeConfig
from engine.heads.context import Rows

# The tensors of this layer show which parts all layers have.
ATTENTION = "layers.0.self_attn"


class TapNetwork(nn.Module):  # type: ignore[misc]
    """The projection of `taps` taps to rows of the head, its last norm, and its own tables if it has any."""

    def __init__(self, config: NetworkConfig, taps: int) -> None:
        super().__init__()
        self.fc = nn.Linear(taps * config.tap_width, config.width, bias=False)
        self.norm = nn.RMSNorm(config.width, eps=config.eps)
        if config.own_embedding:
            self.embed_tokens = nn.Embedding(config.vocabulary, config.width)
        if config.own_output:
            self.lm_head = nn.Linear(config.width, config.draft_vocabulary, bias=False)
        if config.draft_vocabulary != config.vocabulary:
            self.d2t = mx.zeros((config.draft_vocabulary,), mx.int32)


class HeadAttention(nn.Module):  # type: ignore[misc]
    """The projections of attention from rows of `inputs` numbers, rotary positions and, if in `tensors`, biases."""

    def __init__(
        self,
        config: NetworkConfig,
        tensors: Container[str],
        inputs: int,
        rope: RopeConfig,
        *,
        norms: bool,
        rotated: int | None = None,
    ) -> None:
        super().__init__()
        bias = f"{ATTENTION}.q_proj.bias" in tensors
        size = config.head_dim
        scaling = rope.scaling
        self._heads = config.heads
        self._kv_heads = config.kv_heads
        self._size = size
        self.q_proj = nn.Linear(inputs, config.heads * size, bias=bias)
        self.k_proj = nn.Linear(inputs, config.kv_heads * size, bias=bias)
        self.v_proj = nn.Linear(inputs, config.kv_heads * size, bias=bias)
        self.o_proj = nn.Linear(config.heads * size, config.width, bias=bias)
        if norms:
            self.q_norm = nn.RMSNorm(size, eps=config.eps)
            self.k_norm = nn.RMSNorm(size, eps=config.eps)
        rotary_dims = rotated or size
        scales = None if scaling is None else dict(scaling)
        self.rope = initialize_rope(rotary_dims, rope.base, rope.traditional, scales, rope.max_positions)

    def queries(self, rows: mx.array, position: int) -> mx.array:
        """Return queries (1, heads, n, size) of rows (1, n, inputs) that begin at `position`."""
        queries = self.q_proj(rows).reshape(1, rows.shape[1], self._heads, self._size)
        if "q_norm" in self:
            queries = self.q_norm(queries)
        rotated: mx.array = self.rope(queries.transpose(0, 2, 1, 3), offset=position)
        return rotated

    def keys_and_values(self, rows: mx.array, position: int) -> Rows:
        """Return keys and values (1, kv heads, n, size) of rows (1, n, inputs) that begin at `position`."""
        split = (1, rows.shape[1], self._kv_heads, self._size)
        keys = self.k_proj(rows).reshape(split)
        values = self.v_proj(rows).reshape(split) if "v_proj" in self else keys
        if "k_norm" in self:
            keys = self.k_norm(keys)
        return self.rope(keys.transpose(0, 2, 1, 3), offset=position), values.transpose(0, 2, 1, 3)

    def projected(self, attended: mx.array) -> mx.array:
        """Return the output (1, n, width) of attention (1, n, heads, size)."""
        output: mx.array = self.o_proj(attended.reshape(1, attended.shape[1], -1))
        return output


class FeedForward(nn.Module):  # type: ignore[misc]
    """The gated feed-forward layer of Llama and Qwen models, or with `gelu` of Gemma models."""

    def __init__(self, width: int, inner: int, *, gelu: bool = False) -> None:
        super().__init__()
        self._gelu = gelu
        self.gate_proj = nn.Linear(width, inner, bias=False)
        self.up_proj = nn.Linear(width, inner, bias=False)
        self.down_proj = nn.Linear(inner, width, bias=False)

    def __call__(self, rows: mx.array) -> mx.array:
        gate = self.gate_proj(rows)
        up = self.up_proj(rows)
        activated = nn.gelu_approx(gate) * up if self._gelu else swiglu(gate, up)
        output: mx.array = self.down_proj(activated)
        return output


def normed_taps(taps: mx.array, norms: Sequence[nn.Module]) -> mx.array:
    """Return taps (1, n, taps * width), each normed by its own norm."""
    parts = mx.split(taps, len(norms), axis=-1)
    return mx.concatenate([norm(part) for norm, part in zip(norms, parts, strict=True)], axis=-1)
