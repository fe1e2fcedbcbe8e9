"""The attention probe: which widths of a pass give a row the same bits, by the number of keys that it attends to.

MLX chooses among its kernels for attention by the number of keys. Random queries, keys and values in the shapes of a
model take milliseconds, where real texts of these lengths would have to be prefilled first.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence, Set
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple

import mlx.core as mx
import mlx.nn as nn
from mlx_lm.models.base import scaled_dot_product_attention
from mlx_lm.models.cache import ArraysCache, KVCache

from engine.errors import is_device_failure
from engine.files.steps import Steps
from engine.main_model.loaded_model import LoadedModel
from engine.requests import MAX_DEPTH
from engine.row_kernels.attention import CONTEXTS, DIGEST, NAME, WIDTHS, attend, attention_of_rows, suits, used
from engine.row_kernels.row_kernel import Alike, RowKernel
from engine.speculation.caches.cache_rules import flatten
from engine.tuning import PassSize

log = logging.getLogger(__name__)

# Where MLX 0.32 changes its kernels on one chip or another; beyond, there is one more range.
SWITCHES = CONTEXTS[1:]
MOST_KEYS = 2 * SWITCHES[-1]
# The most bytes that keys and values take, and no more than a quarter of the free memory.
MOST_BYTES = 1 << 29
# Values to compare, and the fewest and most rows. Rounding to bfloat16 hides a difference of sums over some thousand
# keys in all but one of a thousand, and in fewer if there are more keys.
VALUES, ROWS = 30_000, (MAX_DEPTH + 1, 256)
# MLX's attention, and that of models, which may be ours.
_mlx_attention, _model_attention = partial(scaled_dot_product_attention, cache=None), partial(attend, cache=None)
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
    attention = _common_attention(model)
    sinks = {False, any(name in module for module in attention for name in _SINKS)}
    heads = _query_heads(attention)
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


def _common_attention(model: Any) -> list[nn.Module]:
    """Return the modules of `model` that call mlx-lm's common function for attention."""
    return [module for module in model.modules() if _is_common(module)] if isinstance(model, nn.Module) else []


def _query_heads(attention: Sequence[nn.Module]) -> set[int]:
    return {getattr(module, name) for module in attention for name in _HEADS if hasattr(module, name)}


def _is_common(module: nn.Module) -> bool:
    own = getattr(import_module(type(module).__module__), NAME, None)
    return own in (scaled_dot_product_attention, attend) and any(hasattr(module, name) for name in _SCALES)


def rows_alike(
    shape: AttentionShape, keys: int, widths: Sequence[int], attention: Callable[..., mx.array] = _model_attention
) -> Steps[int]:
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
            use, mask = (attention, "causal") if width > 1 else (_mlx_attention, None)
            found.append(use(asked, *part, scale=shape.size**-0.5, mask=mask, sinks=sinks))
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


def _compare(main: LoadedModel, free: int, try_ours: bool) -> Steps[Mapping[PassSize, Alike]]:
    """Compare attention in all shapes of the model, and with as many keys as its caches can hold."""
    if not try_ours:
        return {}
    caches = _caches(main, 1)
    shapes = attention_shapes(main.model, caches) or []
    ours = [shape for shape in shapes if suits(*shape[:4])]
    if not (ours and (yield from _ours_alike(ours, free))):
        return {}
    bytes_a_key = sum(
        sum(array.nbytes // array.shape[2] for array in (one.keys, one.values)) for one in _growing(caches)
    )
    most = min(main.info.context_length, free // 2 // max(1, bytes_a_key))
    most = min(most, *(shape.most_keys(free) - shape.rows for shape in shapes))
    found: dict[PassSize, Alike] = {}
    for keys in (keys for keys in CONTEXTS if keys <= most):
        rows = WIDTHS[-1]
        for shape in shapes:
            rows = min(rows, (yield from rows_alike(shape, keys, WIDTHS, _mlx_attention)))
        found |= {PassSize(width, keys): Alike(mlx=width <= rows, ours=True) for width in WIDTHS}
    return found


def _ours_alike(shapes: Sequence[AttentionShape], free: int) -> Steps[bool]:
    """Compare bits on both sides of all of MLX's switches."""
    try:
        for shape in shapes:
            for keys in (1, *(end - shape.rows // 2 for end in SWITCHES if end < shape.most_keys(free))):
                if (yield from rows_alike(shape, keys, WIDTHS, attention_of_rows)) < WIDTHS[-1]:
                    log.info("attention of several rows stays MLX's: other bits after %d keys", keys)
                    return False
    # MLX raises them where a kernel is compiled or needs too many registers, and without Metal.
    except (RuntimeError, ValueError) as error:
        if is_device_failure(error):
            raise
        log.info("attention of several rows stays MLX's: %s", " ".join(str(error).split())[:200])
        return False
    return True


def _use(model: nn.Module, sizes: Set[PassSize]) -> None:
    """Let attention of `model` be ours in passes of these sizes, and otherwise MLX's.

    Modules of mlx-lm look their function up by its name when they are called.
    """
    modules = _common_attention(model)
    used.update(dict.fromkeys(_query_heads(modules), frozenset(sizes)))
    for module in modules if sizes else ():
        setattr(import_module(type(module).__module__), NAME, attend)


def _caches(main: LoadedModel, keys: int) -> list[Any]:
    """Return caches with `keys` keys, all but one of zeros."""
    caches = main.new_caches()
    mx.eval(main.model(mx.zeros((1, 1), mx.uint32), cache=caches))
    for cache in _growing(caches):
        cache.update_and_fetch(
            *(
                mx.zeros((*array.shape[:2], keys - 1, array.shape[3]), array.dtype)
                for array in (cache.keys, cache.values)
            )
        )
    return caches


def _growing(caches: Sequence[Any]) -> list[KVCache]:
    return [cache for cache in flatten(caches) if isinstance(cache, KVCache) and cache.keys is not None]


ATTENTION = RowKernel("attention", DIGEST, _compare, _use, _caches)
