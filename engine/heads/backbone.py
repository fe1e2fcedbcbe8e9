"""The layers that all heads of the DFlash family share (arXiv:2602.06036).

A block of rows, the anchor's embedding and masks, attends to itself and to the context: projections of the main
model's hidden states, which every layer makes keys and values of with its own weights. Attribute names are those of
the published tensors.
"""

from __future__ import annotations

from typing import Any

import mlx.core as mx
import mlx.nn as nn
from mlx_lm.models.activations import swiglu
from mlx_lm.models.rope_utils import initialize_rope

from engine.heads.config import HeadConfig, LayerConfig, SelectorConfig
from engine.heads.context import BlockContext, LayerRows, Rows


class BlockAttention(nn.Module):  # type: ignore[misc]
    """Attention of a block's rows to the context rows and to each other."""

    def __init__(self, config: HeadConfig, layer: LayerConfig) -> None:
        super().__init__()
        width, size = config.width, config.head_dim
        self._heads, self._kv_heads, self._size = config.heads, config.kv_heads, size
        self._layer, self._from_anchor = layer, config.window_before_anchor
        self._scale = 1.0 if config.sandwich else size**-0.5
        self.q_proj = nn.Linear(width, config.heads * size, bias=config.bias)
        self.k_proj = nn.Linear(width, config.kv_heads * size, bias=config.bias)
        if not config.keys_are_values:
            self.v_proj = nn.Linear(width, config.kv_heads * size, bias=config.bias)
        self.o_proj = nn.Linear(config.heads * size, width, bias=config.bias)
        self.q_norm = nn.RMSNorm(size, eps=config.eps)
        self.k_norm = nn.RMSNorm(size, eps=config.eps)
        if config.gated:
            self.g_proj = nn.Linear(width, config.heads, bias=False)
        if config.sinks:
            self.attention_sink_bias = mx.zeros((config.heads,))
        self._value_scale = config.value_scale
        self._rope = _rope(config, layer)

    def keys_and_values(self, rows: mx.array, position: int) -> Rows:
        """Keys and values (1, kv heads, n, size) of rows (1, n, width) that begin at `position`."""
        split = (1, rows.shape[1], self._kv_heads, self._size)
        if "kv_proj" in self:
            keys, values = mx.split(self.kv_proj(rows), 2, axis=-1)
        else:
            keys = self.k_proj(rows)
            values = self.v_proj(rows) if "v_proj" in self else keys
        if self._value_scale != 1.0:
            # In 16 bits the factor itself would be rounded.
            values = (values.astype(mx.float32) * self._value_scale).astype(values.dtype)
        keys = self.k_norm(keys.reshape(split)).transpose(0, 2, 1, 3)
        return self._rope(keys, offset=position), values.reshape(split).transpose(0, 2, 1, 3)

    def __call__(self, rows: mx.array, context: LayerRows, skip: int = 0) -> mx.array:
        """The block's rows (1, b, width), which follow the context, without the first `skip`; none of them is kept."""
        position = context.end
        seen = self._seen(context.end - context.first)
        keys, values = context.with_block(*self.keys_and_values(rows, position), seen)
        mask = self._mask(rows.shape[1], seen)
        if skip:
            rows = rows[:, skip:]
            mask = mask[skip:] if isinstance(mask, mx.array) else mask
        count = rows.shape[1]
        queries = self.q_norm(self.q_proj(rows).reshape(1, count, self._heads, self._size)).transpose(0, 2, 1, 3)
        queries = self._rope(queries, offset=position + skip)
        output = mx.fast.scaled_dot_product_attention(
            queries,
            keys,
            values,
            scale=self._scale,
            mask=mask,
            sinks=self.attention_sink_bias if "attention_sink_bias" in self else None,
        )
        output = output.transpose(0, 2, 1, 3)
        if "g_proj" in self:
            # Laguna (mlx-vlm, laguna_dflash): one gate a head, of the block's own rows.
            output = output * nn.softplus(self.g_proj(rows).astype(mx.float32)).astype(output.dtype)[..., None]
        projected: mx.array = self.o_proj(output.reshape(1, count, -1))
        return projected

    def join_products(self) -> None:
        """Make one product of keys and values, where their weights are alike."""
        if "v_proj" in self and (joined := joined_layer(self.k_proj, self.v_proj)) is not None:
            self.kv_proj = joined
            del self.k_proj, self.v_proj

    def _seen(self, held: int) -> int:
        """How many context rows the first row of a block sees."""
        window = self._layer.window
        return held if window is None else min(held, window if self._from_anchor else window - 1)

    def _mask(self, count: int, seen: int) -> mx.array | str | None:
        """What each row of a block sees of `seen` context rows and of the block; None for everything.

        A window reaches back from each row by its length, the row itself counted, so that later rows see fewer.
        """
        window, causal = self._layer.window, self._layer.causal
        if window is None or self._from_anchor or seen + count <= window:
            return "causal" if causal else None
        query = mx.arange(seen, seen + count)[:, None]
        key = mx.arange(seen + count)[None]
        visible = query - key < window
        return visible & (key <= query) if causal else visible & (key - query < window)


class FeedForward(nn.Module):  # type: ignore[misc]
    """The gated layer of Llama and Qwen models; with `gelu` that of Gemma."""

    def __init__(self, width: int, inner: int, *, gelu: bool = False) -> None:
        super().__init__()
        self._gelu = gelu
        self.gate_proj = nn.Linear(width, inner, bias=False)
        self.up_proj = nn.Linear(width, inner, bias=False)
        self.down_proj = nn.Linear(inner, width, bias=False)

    def __call__(self, rows: mx.array) -> mx.array:
        if "gate_up_proj" in self:
            gate, up = mx.split(self.gate_up_proj(rows), 2, axis=-1)
        else:
            gate, up = self.gate_proj(rows), self.up_proj(rows)
        output: mx.array = self.down_proj(nn.gelu_approx(gate) * up if self._gelu else swiglu(gate, up))
        return output

    def join_products(self) -> None:
        """Make one product of both halves, where their weights are alike."""
        if (joined := joined_layer(self.gate_proj, self.up_proj)) is not None:
            self.gate_up_proj = joined
            del self.gate_proj, self.up_proj


class BlockConvolution(nn.Module):  # type: ignore[misc]
    """DFlash2: a causal convolution inside the block, before a sublayer and, with another kernel, after it.

    Each row has a kernel of its own for every group of channels, added to one that all share.
    """

    def __init__(self, width: int, kernel: int, group: int) -> None:
        super().__init__()
        self._kernel, self._group = kernel, group
        self.base_kernel = mx.zeros((2, kernel, width))
        self.kernel_projection = nn.Linear(width, 2 * kernel * (width // group), bias=False)

    def prepare(self, rows: mx.array) -> tuple[mx.array, mx.array]:
        """The convolved rows, and the kernels (1, b, kernel, groups) that `finish` takes."""
        kernels = self.kernel_projection(rows).reshape(1, rows.shape[1], 2, self._kernel, -1)
        return self._convolved(rows, kernels[:, :, 0], self.base_kernel[0]), kernels[:, :, 1]

    def finish(self, rows: mx.array, kernels: mx.array) -> mx.array:
        """The convolved output of the sublayer."""
        return self._convolved(rows, kernels, self.base_kernel[1])

    def _convolved(self, rows: mx.array, kernels: mx.array, base: mx.array) -> mx.array:
        _, count, width = rows.shape
        grouped = rows.reshape(1, count, -1, self._group)
        shared = base.reshape(self._kernel, 1, 1, -1, self._group).astype(rows.dtype)
        total = (shared[0] + kernels[:, :, 0, :, None]) * grouped
        for offset in range(1, min(self._kernel, count)):
            shifted = mx.pad(grouped[:, :-offset], [(0, 0), (offset, 0), (0, 0), (0, 0)])
            total = total + (shared[offset] + kernels[:, :, offset, :, None]) * shifted
        return total.reshape(1, count, width)


class BlockLayer(nn.Module):  # type: ignore[misc]
    """One layer: attention and feed-forward with their norms, within convolutions in DFlash2.

    Gemma 4's has norms behind both as well, and a factor.
    """

    def __init__(self, config: HeadConfig, layer: LayerConfig) -> None:
        super().__init__()
        self.self_attn = BlockAttention(config, layer)
        self.mlp = FeedForward(config.width, config.inner, gelu=config.sandwich)
        self.input_layernorm = nn.RMSNorm(config.width, eps=config.eps)
        self.post_attention_layernorm = nn.RMSNorm(config.width, eps=config.eps)
        if config.sandwich:
            self.pre_feedforward_layernorm = nn.RMSNorm(config.width, eps=config.eps)
            self.post_feedforward_layernorm = nn.RMSNorm(config.width, eps=config.eps)
            self.layer_scalar = mx.ones((1,))
        if isinstance(config.refiner, SelectorConfig):
            self.attention_conv = BlockConvolution(config.width, config.refiner.kernel, config.refiner.group)
            self.mlp_conv = BlockConvolution(config.width, config.refiner.kernel, config.refiner.group)

    def __call__(self, rows: mx.array, context: LayerRows, skip: int = 0) -> mx.array:
        """The block's rows (1, b, width) to the next layer's, without the first `skip`."""
        if "layer_scalar" in self:
            attended = self.self_attn(self.input_layernorm(rows), context, skip)
            rows = rows[:, skip:] + self.post_attention_layernorm(attended)
            rows = rows + self.post_feedforward_layernorm(self.mlp(self.pre_feedforward_layernorm(rows)))
            return rows * self.layer_scalar
        if "attention_conv" not in self:
            rows = rows[:, skip:] + self.self_attn(self.input_layernorm(rows), context, skip)
            return rows + self.mlp(self.post_attention_layernorm(rows))
        prepared, kernels = self.attention_conv.prepare(self.input_layernorm(rows))
        rows = rows + self.attention_conv.finish(self.self_attn(prepared, context), kernels)
        prepared, kernels = self.mlp_conv.prepare(self.post_attention_layernorm(rows))
        # A convolution reads the rows before.
        return (rows + self.mlp_conv.finish(self.mlp(prepared), kernels))[:, skip:]


class Backbone(nn.Module):  # type: ignore[misc]
    """All layers, and what turns taps into context rows."""

    def __init__(self, config: HeadConfig) -> None:
        super().__init__()
        width = config.width
        self.fc = nn.Linear(len(config.taps) * config.tap_width, width, bias=False)
        self.hidden_norm = nn.RMSNorm(width, eps=config.eps)
        self.norm = nn.RMSNorm(width, eps=config.eps)
        self.layers = [BlockLayer(config, layer) for layer in config.layers]
        if config.tap_norms:
            self.aux_hidden_norms = [nn.RMSNorm(config.tap_width, eps=config.eps) for _ in config.taps]

    def join_products(self) -> None:
        """Make fewer, larger products: a small head's time goes by their number."""
        for layer in self.layers:
            layer.self_attn.join_products()
            layer.mlp.join_products()

    def extend(self, context: BlockContext, taps: mx.array) -> None:
        """Append the rows of taps (1, S, taps * width) to the context of every layer."""
        if "aux_hidden_norms" in self:
            parts = mx.split(taps, len(self.aux_hidden_norms), axis=-1)
            taps = mx.concatenate([norm(part) for norm, part in zip(self.aux_hidden_norms, parts, strict=True)], -1)
        rows = self.hidden_norm(self.fc(taps))
        position = context.length
        for layer, kept in zip(self.layers, context.layers, strict=True):
            kept.append(*layer.self_attn.keys_and_values(rows, position))

    def __call__(self, rows: mx.array, context: BlockContext, skip: int = 0) -> mx.array:
        """The embeddings (1, b, width) of a block that follows the context, to hidden states (1, b - skip, width)."""
        last = len(self.layers) - 1
        for index, (layer, kept) in enumerate(zip(self.layers, context.layers, strict=True)):
            rows = layer(rows, kept, skip if index == last else 0)
        normed: mx.array = self.norm(rows)
        return normed


def joined_layer(first: nn.Module, second: nn.Module) -> nn.Module | None:
    """A layer with the outputs of both, one after the other; None where they are not alike. Nothing is evaluated."""
    if type(first) is not type(second) or ("bias" in first) != ("bias" in second):
        return None
    if type(first) is nn.Linear:
        names: tuple[str, ...] = ("weight", "bias")
        joined: nn.Module = nn.Linear(1, 1, bias="bias" in first)
    elif type(first) is nn.QuantizedLinear:
        if (first.bits, first.group_size, first.mode) != (second.bits, second.group_size, second.mode):
            return None
        names = ("weight", "scales", "biases", "bias")
        joined = nn.QuantizedLinear(32, 1, bias="bias" in first, group_size=32, bits=8)
        joined.bits, joined.group_size, joined.mode = first.bits, first.group_size, first.mode
    else:
        return None
    for name in names:
        if first.get(name) is not None:
            joined[name] = mx.concatenate([first[name], second[name]], axis=0)
        elif name in joined:
            # Modes other than the affine one have no offsets.
            del joined[name]
    return joined


def _rope(config: HeadConfig, layer: LayerConfig) -> Any:
    rope = layer.rope
    return initialize_rope(
        config.rotated or config.head_dim,
        rope.base,
        rope.traditional,
        None if rope.scaling is None else dict(rope.scaling),
        rope.max_positions,
    )
