"""The attention probe: which widths of a pass give a row the same bits, by the number of keys that it attends to.

MLX chooses among its kernels for attention by the number of keys. Random queries, keys and values in the shapes of a
model take milliseconds, where real texts of these lengths would have to be prefilled first.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any, NamedTuple

import mlx.core as mx
import mlx.nn as nn
from mlx_lm.models.base import scaled_dot_product_attention
from mlx_lm.models.cache import ArraysCache

from engine.files.steps import Steps
from engine.requests import MAX_DEPTH
from engine.speculation.caches.cache_rules import flatten

# Where MLX 0.32 changes its kernels on one chip or another (`scaled_dot_product_attention.cpp`): two passes over keys,
# the parts of such a pass, and a kernel for a row alone whose heads share keys. Beyond, there is one more range.
SWITCHES = (1024, 4096, 8192, 16384, 32768, 65536)
MOST_KEYS = 2 * SWITCHES[-1]
# The most bytes that keys and values take, and no more than a quarter of the free memory.
MOST_BYTES = 1 << 29
# Values to compare, and the fewest and most rows. Rounding to bfloat16 hides a difference of sums over some thousand
# keys in all but one of a thousand, and in fewer if there are more keys.
VALUES, ROWS = 30_000, (MAX_DEPTH + 1, 256)
# What the families call the heads of their queries, the scale of their scores, and sinks.
_HEADS, _SCALES = ("n_heads", "num_heads", "num_attention_heads", "n_head"), ("scale", "sm_scale")
_SINKS = ("sinks", "attention_sink_bias")


class AttentionShape(NamedTuple):
    """Attention of `heads` query heads to `kv_heads` heads of `size` numbers."""

    heads: int
    kv_heads: int
    size: int
    dtype: mx.Dtype
    sinks: bool = False

    @property
    def rows(self) -> int:
        return max(ROWS[0], min(ROWS[1], VALUES // (self.heads * self.size)))

    def most_keys(self, free: int) -> int:
        """Return the most keys that can be probed with `free` bytes of memory."""
        return min(MOST_KEYS, min(MOST_BYTES, free // 4) // (2 * self.kv_heads * self.size * self.dtype.size))


def attention_shapes(model: Any, caches: Sequence[Any]) -> list[AttentionShape] | None:
    """Return the shapes of attention in `model`, whose `caches` hold some tokens; None if not all can be found.

    They can where modules call mlx-lm's common function, which uses MLX's fast attention, with keys as they are cached.
    Quantised keys, latent ones, and those of a family with attention of its own are not of that kind.
    """
    attention = [module for module in model.modules() if _is_common(module)] if isinstance(model, nn.Module) else []
    sinks = {False, any(name in module for module in attention for name in _SINKS)}
    heads = {getattr(module, name) for module in attention for name in _HEADS if hasattr(module, name)}
    found = set()
    for cache in flatten(caches):
        if isinstance(cache, ArraysCache):
            # Recurrent state does not grow with the text.
            continue
        keys, values = getattr(cache, "keys", None), getattr(cache, "values", None)
        if not isinstance(keys, mx.array) or not isinstance(values, mx.array) or keys.shape != values.shape:
            return None
        _, kv_heads, _, size = keys.shape
        own = [count for count in heads if count % kv_heads == 0]
        if not own:
            return None
        found |= {AttentionShape(count, kv_heads, size, keys.dtype, sink) for count in own for sink in sinks}
    return sorted(found, key=str)


def _is_common(module: nn.Module) -> bool:
    own = getattr(import_module(type(module).__module__), "scaled_dot_product_attention", None)
    return own is scaled_dot_product_attention and any(hasattr(module, name) for name in _SCALES)


def rows_alike(shape: AttentionShape, keys: int, widths: Sequence[int]) -> Steps[int]:
    """Return the largest of `widths` up to which rows have the bits of single rows; 1 if none.

    The first row attends to `keys` keys.
    """
    count, most = shape.rows, 1
    made: list[mx.array] = []
    for number, (heads, tokens) in enumerate(
        ((shape.heads, count), (shape.kv_heads, keys + count), (shape.kv_heads, keys + count))
    ):
        made.append(mx.random.uniform(-1.0, 1.0, (1, heads, tokens, shape.size), shape.dtype, mx.random.key(number)))
        mx.eval(made)
        yield None
    queries, *held = made
    sinks = mx.zeros(shape.heads, shape.dtype) if shape.sinks else None

    def attend(width: int) -> Steps[mx.array]:
        """Return the outputs of passes of `width` rows; one pass a step."""
        found = []
        for start in range(0, count - width + 1, width):
            asked = queries[:, :, start : start + width]
            part = [array[:, :, : keys + start + width - 1] for array in held]
            mask = "causal" if width > 1 else None
            found.append(
                mx.fast.scaled_dot_product_attention(asked, *part, scale=shape.size**-0.5, mask=mask, sinks=sinks)
            )
            mx.eval(found)
            yield None
        return mx.concatenate(found, axis=2)

    expected = yield from attend(1)
    for width in widths:
        wide = yield from attend(width)
        if not mx.array_equal(wide, expected[:, :, : wide.shape[2]]).item():
            break
        most = width
    return most
