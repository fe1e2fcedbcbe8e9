"""The layers that all heads of the DFlash family share (arXiv:2602.06036).

A block of rows, the embeddings of anchor and masks, attends to itself and to the context. The context holds projections
of the main model's hidden states, from which every layer makes keys and values with its own weights. Attribute names
are those of the published tensors.
"""

from __future__ import annotations

from collections.abc import Container

import mlx.core as mx
import mlx.nn as nn

from engine.heads.block_config import BlockConfig, LayerConfig, SelectorConfig
from engine.heads.context import HeadContext, LayerRows, Rows
from engine.heads.layers import ATTENTION, FeedForward, HeadAttention, TapNetwork, normed_taps
from engine.heads.tensors import MASK


class BlockAttention(HeadAttention):
    """Attention of a block's rows to the context rows and to each other."""

    def __init__(self, config: BlockConfig, tensors: Container[str], layer: LayerConfig) -> None:
        super().__init__(config, tensors, config.width, layer.rope, norms=True, rotated=config.rotated)
        # Rows that configurations do not limit are limited for the whole block, which sees itself as a whole.
        self._from_anchor = config.window_before_anchor or layer.window is None
        self._window = layer.window or config.context_rows
        self._causal = layer.causal
        self._scale = 1.0 if config.sandwich else config.head_dim**-0.5
        self._value_scale = config.value_scale
        if config.sandwich and f"{ATTENTION}.v_proj.weight" not in tensors:
            # Values are the keys before their norm and rotary positions.
            del self.v_proj
        if f"{ATTENTION}.g_proj.weight" in tensors:
            self.g_proj = nn.Linear(config.width, config.heads, bias=False)
        if f"{ATTENTION}.attention_sink_bias" in tensors:
            self.attention_sink_bias = mx.zeros((config.heads,))

    def keys_and_values(self, rows: mx.array, position: int) -> Rows:
        """Return keys and values (1, kv heads, n, size) of rows (1, n, width) that begin at `position`."""
        keys, values = super().keys_and_values(rows, position)
        if self._value_scale != 1.0:
            # In 16 bits the factor would be rounded.
            values = (values.astype(mx.float32) * self._value_scale).astype(values.dtype)
        return keys, values

    def __call__(self, rows: mx.array, context: LayerRows) -> mx.array:
        """Return the output (1, b, width) of the block's rows, which follow the context and are not added to it."""
        position = context.offset
        count = rows.shape[1]
        seen = min(context.count, self._window if self._from_anchor else self._window - 1)
        keys, values = context.with_block(*self.keys_and_values(rows, position), seen)
        output = mx.fast.scaled_dot_product_attention(
            self.queries(rows, position),
            keys,
            values,
            scale=self._scale,
            mask=self._mask(count, seen),
            sinks=self.attention_sink_bias if "attention_sink_bias" in self else None,
        ).transpose(0, 2, 1, 3)
        if "g_proj" in self:
            # Laguna (mlx-vlm, laguna_dflash): one gate for each attention head, from the block's own rows.
            output = output * nn.softplus(self.g_proj(rows).astype(mx.float32)).astype(output.dtype)[..., None]
        return self.projected(output)

    def _mask(self, count: int, seen: int) -> mx.array | str | None:
        """Return the mask of a block's rows over `seen` context rows and the block; None if they see everything.

        A window counts the row itself, so later rows see fewer context rows.
        """
        if self._from_anchor or seen + count <= self._window:
            return "causal" if self._causal else None
        query = mx.arange(seen, seen + count)[:, None]
        key = mx.arange(seen + count)[None]
        visible = query - key < self._window
        return visible & (key <= query) if self._causal else visible & (key - query < self._window)


class BlockConvolution(nn.Module):  # type: ignore[misc]
    """DFlash2: a causal convolution inside the block, before a sublayer and, with another kernel, after it.

    Each row has its own kernel for every group of channels, which is added to a shared one.
    """

    def __init__(self, width: int, kernel: int, group: int) -> None:
        super().__init__()
        self._kernel = kernel
        self._group = group
        self.base_kernel = mx.zeros((2, kernel, width))
        self.kernel_projection = nn.Linear(width, 2 * kernel * (width // group), bias=False)

    def prepare(self, rows: mx.array) -> tuple[mx.array, mx.array]:
        """Return the convolved `rows` (1, b, width), and the kernels (1, b, kernel, groups) that `finish` takes."""
        kernels = self.kernel_projection(rows).reshape(1, rows.shape[1], 2, self._kernel, -1)
        return self._convolved(rows, kernels[:, :, 0], self.base_kernel[0]), kernels[:, :, 1]

    def finish(self, rows: mx.array, kernels: mx.array) -> mx.array:
        """Return the convolved output of the sublayer, `rows` (1, b, width), with the `kernels` from `prepare`."""
        return self._convolved(rows, kernels, self.base_kernel[1])

    def _convolved(self, rows: mx.array, kernels: mx.array, base: mx.array) -> mx.array:
        """Return the convolved `rows` (1, b, width).

        Each is the sum of itself and the rows before it, weighted by `kernels` plus `base`.
        """
        _, count, width = rows.shape
        grouped = rows.reshape(1, count, -1, self._group)
        shared = base.reshape(self._kernel, 1, 1, -1, self._group).astype(rows.dtype)
        total = (shared[0] + kernels[:, :, 0, :, None]) * grouped
        for offset in range(1, min(self._kernel, count)):
            shifted = mx.pad(grouped[:, :-offset], [(0, 0), (offset, 0), (0, 0), (0, 0)])
            total = total + (shared[offset] + kernels[:, :, offset, :, None]) * shifted
        return total.reshape(1, count, width)


class BlockLayer(nn.Module):  # type: ignore[misc]
    """One layer: attention and feed-forward with their norms, between convolutions in DFlash2.

    Gemma 4's layers have norms after both as well, and a factor.
    """

    def __init__(self, config: BlockConfig, tensors: Container[str], layer: LayerConfig) -> None:
        super().__init__()
        self.self_attn = BlockAttention(config, tensors, layer)
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

    def __call__(self, rows: mx.array, context: LayerRows) -> mx.array:
        """Return the rows of the next layer for the block's `rows` (1, b, width)."""
        if "layer_scalar" in self:
            attended = self.self_attn(self.input_layernorm(rows), context)
            rows = rows + self.post_attention_layernorm(attended)
            rows = rows + self.post_feedforward_layernorm(self.mlp(self.pre_feedforward_layernorm(rows)))
            return rows * self.layer_scalar
        if "attention_conv" not in self:
            rows = rows + self.self_attn(self.input_layernorm(rows), context)
            return rows + self.mlp(self.post_attention_layernorm(rows))
        prepared, kernels = self.attention_conv.prepare(self.input_layernorm(rows))
        rows = rows + self.attention_conv.finish(self.self_attn(prepared, context), kernels)
        prepared, kernels = self.mlp_conv.prepare(self.post_attention_layernorm(rows))
        return rows + self.mlp_conv.finish(self.mlp(prepared), kernels)


class BlockNetwork(TapNetwork):
    """All layers, and the projection of taps to context rows.

    `tensors` show which optional parts a head has. MiMo's heads have their own embedding of the mask token, because the
    main model's was never trained.
    """

    def __init__(self, config: BlockConfig, tensors: Container[str]) -> None:
        super().__init__(config, len(config.taps))
        self.hidden_norm = nn.RMSNorm(config.width, eps=config.eps)
        self.layers = [BlockLayer(config, tensors, layer) for layer in config.layers]
        if "aux_hidden_norms.0.weight" in tensors:
            self.aux_hidden_norms = [nn.RMSNorm(config.tap_width, eps=config.eps) for _ in config.taps]
        if MASK in tensors:
            self.mask_embedding = mx.zeros((config.width,))

    def extend(self, context: HeadContext, taps: mx.array) -> None:
        """Project `taps` (1, n, number of taps * tap width) to rows.

        Append their keys and values to every layer of `context`.
        """
        if "aux_hidden_norms" in self:
            taps = normed_taps(taps, self.aux_hidden_norms)
        rows = self.hidden_norm(self.fc(taps))
        position = context.length
        for layer, layer_rows in zip(self.layers, context.layers, strict=True):
            layer_rows.append(*layer.self_attn.keys_and_values(rows, position))

    def __call__(self, rows: mx.array, context: HeadContext) -> mx.array:
        """Return the hidden states of a block that follows the context, from its embeddings (1, b, width)."""
        for layer, layer_rows in zip(self.layers, context.layers, strict=True):
            rows = layer(rows, layer_rows)
        normed: mx.array = self.norm(rows)
        return normed
