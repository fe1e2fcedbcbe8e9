"""Attention of a few rows: keys and values are read once for all rows, and each row is summed as if it were alone.

MLX has kernels for one row (mlx/backend/metal/kernels/sdpa_vector.h), and others for several, which read the keys again
for each row or sum in another order. The kernels here sum in the order of those for one row: keys are dealt out to
blocks, each block sums its keys one after the other, and the blocks are added up. tests/engine/row_kernels compiles
both and compares bits.
"""

from __future__ import annotations

import hashlib
from functools import cache, lru_cache
from itertools import groupby
from typing import Any, NamedTuple, TypeAlias

import mlx.core as mx
from mlx_lm.models.base import scaled_dot_product_attention
from mlx_lm.models.cache import KVCache

from engine.requests import MAX_DEPTH
from engine.row_kernels.layers import HALF
from engine.tuning import PassSize

# The widths of passes that are timed, of which each stands for those between it and the one before.
WIDTHS = (2, 4, 6, 8, 12, 17, MAX_DEPTH + 1)
# From so many keys on, MLX 0.32 changes its kernels on one chip or another (`scaled_dot_product_attention.cpp`): two
# passes over keys, the parts of such a pass, and a kernel for a row alone whose heads share keys. Each is timed.
CONTEXTS = (1, 1024, 4096, 8192, 16384, 32768, 65536)
NAME = "scaled_dot_product_attention"
# The sizes of heads for which MLX has a kernel for one row, and uses it whatever the number of keys.
SIZES = frozenset({64, 96, 128, 256})
# From so many keys on, MLX sums each block in parts where so many query heads, of this size, share keys.
_MANY_KEYS, _PARTS = 8192, {(8, 64): 8, (8, 128): 4, (12, 128): 4, (16, 128): 2}

HEADER = """
#define UNROLLED(i, count) _Pragma("clang loop unroll(full)") for (int i = 0; i < count; i++)

// What a thread has summed of one row and head: the greatest score, all weights, and some of the outputs.
template <int EACH>
struct Sum {
  float most, weights, outputs[EACH];
};
"""

# A SIMD group sums a block of keys for QUERIES rows and heads; all of a threadgroup share tiles of keys and values.
SUMMING = """
  constexpr int EACH = D / 32, TILE = D > 128 ? 8 : 16;
  threadgroup T key_tile[TILE * D], value_tile[TILE * D];
  const int rows = queries_shape[2], heads = queries_shape[1], count = keys_shape[2], kv_heads = keys_shape[1];
  const int lane = thread_index_in_simdgroup, simd = simdgroup_index_in_threadgroup, simds = threads_per_threadgroup.y;
  const int batch = threadgroup_position_in_grid.y / kv_heads, kv_head = threadgroup_position_in_grid.y % kv_heads;
  const int block = threadgroup_position_in_grid.z, blocks = threadgroups_per_grid.z;
  const int first = (threadgroup_position_in_grid.x * simds + simd) * QUERIES, many = rows * (heads / kv_heads);
  const device T* own_keys = keys + batch * keys_strides[0] + kv_head * keys_strides[1];
  const device T* own_values = values + batch * values_strides[0] + kv_head * values_strides[1];
  int head[QUERIES], row[QUERIES];
  float q[QUERIES][EACH];
  Sum<EACH> sums[QUERIES], parts[PARTS][QUERIES];
  UNROLLED(p, QUERIES) {
    const int query = min(first + p, many - 1);
    head[p] = kv_head * (heads / kv_heads) + query / rows;
    row[p] = query % rows;
    const long at = batch * queries_strides[0] + head[p] * queries_strides[1] + row[p] * queries_strides[2];
    UNROLLED(j, EACH) q[p][j] = scale * static_cast<float>(queries[at + (lane * EACH + j) * queries_strides[3]]);
  }
  // Blocks take turns at the keys; one with parts has a run of keys, and so has each part.
  const int chunk = (count + blocks - 1) / blocks, size = (chunk + PARTS - 1) / PARTS, step = PARTS > 1 ? 1 : blocks;
  for (int part = 0; part < PARTS; part++) {
    const int start = PARTS > 1 ? block * chunk + part * size : block;
    const int end = PARTS > 1 ? min(min(count, (block + 1) * chunk), start + size) : count;
    UNROLLED(p, QUERIES) {
      const bool sunk = SINKS && block == 0;
      sums[p] = {sunk ? static_cast<float>(sinks[head[p]]) : Limits<float>::finite_min, sunk ? 1.0f : 0.0f, {}};
    }
    for (int from = start; from < end; from += TILE * step) {
      const int tile = min(TILE, (end - from + step - 1) / step);
      threadgroup_barrier(mem_flags::mem_threadgroup);
      for (int i = simd * 32 + lane; i < tile * D; i += simds * 32) {
        const long key = from + i / D * step;
        key_tile[i] = own_keys[key * keys_strides[2] + i % D * keys_strides[3]];
        value_tile[i] = own_values[key * values_strides[2] + i % D * values_strides[3]];
      }
      threadgroup_barrier(mem_flags::mem_threadgroup);
      for (int t = 0; t < tile; t++) {
        const int key = from + t * step, at = t * D + lane * EACH;
        float scores[QUERIES];
        UNROLLED(p, QUERIES) {
          float score = 0;
          UNROLLED(j, EACH) score += q[p][j] * static_cast<float>(key_tile[at + j]);
          scores[p] = simd_sum(score);
        }
        UNROLLED(p, QUERIES) {
          bool seen = !CAUSAL || key <= count - rows + row[p];
          if (MASK) {
            const long place = head[p] * mask_strides[1] + row[p] * mask_strides[2] + key * mask_strides[3];
            const float masked = static_cast<float>(mask[batch * mask_strides[0] + place]);
            seen = MASK == 1 ? masked != 0 : masked >= static_cast<float>(Limits<T>::finite_min);
            scores[p] += MASK == 1 ? 0 : masked;
          }
          if (seen) {
            const float most = max(sums[p].most, scores[p]);
            const float factor = fast::exp(sums[p].most - most), weight = fast::exp(scores[p] - most);
            sums[p].most = most;
            sums[p].weights = sums[p].weights * factor + weight;
            UNROLLED(j, EACH) {
              sums[p].outputs[j] = sums[p].outputs[j] * factor + weight * static_cast<float>(value_tile[at + j]);
            }
          }
        }
      }
    }
    // All parts move down by one, because registers have no index.
    UNROLLED(p, QUERIES) {
      UNROLLED(s, PARTS - 1) parts[s][p] = parts[s + 1][p];
      const float inverse = sums[p].weights > 0 ? 1 / sums[p].weights : 0;
      parts[PARTS - 1][p] = sums[p];
      UNROLLED(j, EACH) parts[PARTS - 1][p].outputs[j] *= inverse;
    }
  }
  UNROLLED(p, QUERIES) {
    if (PARTS > 1) {
      sums[p] = {Limits<float>::finite_min, 0, {}};
      UNROLLED(s, PARTS) sums[p].most = max(sums[p].most, parts[s][p].most);
      UNROLLED(s, PARTS) {
        const float weight = parts[s][p].weights * fast::exp(parts[s][p].most - sums[p].most);
        sums[p].weights += weight;
        UNROLLED(j, EACH) sums[p].outputs[j] += weight * parts[s][p].outputs[j];
      }
    }
    if (first + p < many) {
      const long at = (long(batch * heads + head[p]) * rows + row[p]) * blocks + block;
      UNROLLED(j, EACH) outputs[at * D + lane * EACH + j] = static_cast<O>(sums[p].outputs[j]);
      weights[at] = sums[p].weights, most[at] = sums[p].most;
    }
  }
"""

# 32 SIMD groups add up the blocks of one row and head; each adds some of its outputs, and each thread every 32nd block.
ADDING = """
  constexpr int EACH = D / 32;
  const int lane = thread_index_in_simdgroup, simd = simdgroup_index_in_threadgroup, blocks = most_shape[3];
  const long query = threadgroup_position_in_grid.x, first = query * blocks;
  float greatest = Limits<float>::finite_min, sum = 0, added[EACH] = {};
  for (int block = lane; block < blocks; block += 32) greatest = max(greatest, most[first + block]);
  greatest = simd_max(greatest);
  for (int block = lane; block < blocks; block += 32) {
    const float factor = fast::exp(most[first + block] - greatest);
    sum += factor * weights[first + block];
    UNROLLED(j, EACH) added[j] += factor * static_cast<float>(outputs[(first + block) * D + simd * EACH + j]);
  }
  sum = simd_sum(sum);
  UNROLLED(j, EACH) {
    const float output = simd_sum(added[j]);
    if (lane == 0) out[query * D + simd * EACH + j] = static_cast<T>(sum == 0 ? output : output / sum);
  }
"""

# Tells kernels apart whose results on a machine were kept.
DIGEST = hashlib.sha256(f"{HEADER}{SUMMING}{ADDING}".encode()).hexdigest()[:8]

Mask: TypeAlias = mx.array | str | None
Sinks: TypeAlias = mx.array | None
# The passes in which attention is ours, by the number of query heads, which tells the models in memory apart.
used: dict[int, frozenset[PassSize]] = {}


class KeyBlocks(NamedTuple):
    """How MLX sums a row alone: in `number` blocks, whose sums are `rounded`, each in `parts`, then of `run` keys."""

    number: int
    rounded: bool = True
    parts: int = 1
    run: int = 0


def key_blocks(keys: int, share: int, size: int, chip: str, *, plain: bool) -> KeyBlocks:
    """Return how MLX 0.32 sums a row alone over `keys` keys (`scaled_dot_product_attention.cpp`).

    `share` query heads share keys. `chip` is the last letter of its architecture: "d" for an Ultra, "s" for a Max.
    `plain` rows have neither a mask nor sinks.
    """
    if keys < (1024 if chip in "ds" else 4096) or (chip not in "ds" and share == 1):
        return KeyBlocks(32, rounded=False)
    blocks = 64 if share >= 4 else 32
    if chip == "s":
        steps = ((8192, 128), (32768, 256), (65536, 512), (keys, 1024))
        blocks = next(some for most, some in steps if keys <= most) if keys > 1024 and share > 4 else 64
    elif chip == "d":
        blocks = 256 if share <= 2 and keys > 8192 else 128
        if share >= 6 and keys >= 16384:
            blocks = 512 if keys < 65536 else 1024
    parts = _PARTS.get((share, size), 1) if plain and keys >= _MANY_KEYS else 1
    return KeyBlocks(blocks, parts=parts, run=-(-keys // blocks) if parts > 1 else 0)


@lru_cache(maxsize=16)
def _runs(
    count: int, rows: int, share: int, size: int, *, causal: bool, plain: bool
) -> list[tuple[int, int, KeyBlocks]]:
    """Return where runs of rows that are summed in the same blocks start and end; most passes are one run.

    The last row attends to `count` keys; each one before to a key less, if `causal`. All layers ask the same.
    """
    chip, found, end = str(mx.device_info()["architecture"])[-1], [], 0
    own = range(count - rows + 1, count + 1) if causal else [count] * rows
    for blocks, same in groupby(key_blocks(keys, share, size, chip, plain=plain) for keys in own):
        start, end = end, end + len(list(same))
        found.append((start, end, blocks))
    return found


def attention_of_rows(
    queries: mx.array, keys: mx.array, values: mx.array, *, scale: float, mask: Mask = None, sinks: Sinks = None
) -> mx.array:
    """Return (batch, heads, rows, size), as `mx.fast.scaled_dot_product_attention` does; types are those of `queries`.

    With a mask, each row is summed as if the keys of later rows were not there yet. Metal compiles the kernels when the
    result is evaluated; MLX raises RuntimeError or ValueError there if that fails, and here without a GPU.
    """
    (_, heads, rows, size), (_, kv_heads, count, _) = queries.shape, keys.shape
    if isinstance(mask, mx.array):
        mask = mask if mask.dtype == mx.bool_ else mask.astype(queries.dtype)
        mask = mx.broadcast_to(mask, (*queries.shape[:3], count))
    plain, found = sinks is None and not isinstance(mask, mx.array), []
    for start, end, blocks in _runs(count, rows, heads // kv_heads, size, causal=mask is not None, plain=plain):
        seen = count - rows + end if isinstance(mask, str) else count
        part = mask[:, :, start:end] if isinstance(mask, mx.array) else mask
        of_run = queries[:, :, start:end], keys[:, :, :seen], values[:, :, :seen]
        found.append(_in_blocks(blocks, *of_run, scale, part, sinks))
    return found[0] if len(found) == 1 else mx.concatenate(found, axis=2)


def _in_blocks(
    blocks: KeyBlocks, queries: mx.array, keys: mx.array, values: mx.array, scale: float, mask: Mask, sinks: Sinks
) -> mx.array:
    (batch, heads, rows, size), kv_heads, dtype = queries.shape, keys.shape[1], queries.dtype
    # So many of the rows and heads that share keys fit in a thread's registers, and so many SIMD groups in all.
    each, most = 2 if blocks.parts > 1 else 4, 12 if size == 256 else 16
    tiles = -(-rows * heads // kv_heads // (each * most))
    simds = -(-rows * heads // kv_heads // (each * tiles))
    shape, partial = (batch, heads, rows, blocks.number), dtype if blocks.rounded else mx.float32
    # What is not there is not read.
    masks = mask if isinstance(mask, mx.array) else queries
    kind = 0 if masks is queries else 1 if masks.dtype == mx.bool_ else 2
    summed = _kernel("rows_attention", SUMMING, "queries keys values scale mask sinks", "outputs weights most")(
        inputs=[queries, keys, values, scale, masks, queries if sinks is None else sinks.astype(dtype)],
        template=[
            ("T", dtype), ("O", partial), ("D", size), ("QUERIES", each), ("PARTS", blocks.parts),
            ("MASK", kind), ("CAUSAL", isinstance(mask, str)), ("SINKS", sinks is not None),
        ],
        # Threadgroups that read the same keys follow each other.
        grid=(32 * tiles, simds * batch * kv_heads, blocks.number),
        threadgroup=(32, simds, 1),
        output_shapes=[(*shape, size), shape, shape],
        output_dtypes=[partial, mx.float32, mx.float32],
    )  # fmt: skip
    added: list[mx.array] = _kernel("rows_attention_added", ADDING, "outputs weights most", "out")(
        inputs=summed,
        template=[("T", dtype), ("D", size)],
        grid=(1024 * batch * heads * rows, 1, 1),
        threadgroup=(1024, 1, 1),
        output_shapes=[queries.shape],
        output_dtypes=[dtype],
    )
    return added[0]


@cache
def _kernel(name: str, source: str, inputs: str, outputs: str) -> Any:
    return mx.fast.metal_kernel(name, inputs.split(), outputs.split(), source, HEADER, ensure_row_contiguous=False)


def attend(
    queries: mx.array, keys: Any, values: Any, cache: Any, scale: float, mask: Mask, sinks: Sinks = None
) -> mx.array:
    """Return what mlx-lm's function for attention returns; quantised keys, and masks of windows, stay MLX's."""
    _, heads, rows, size = queries.shape
    sizes = used.get(heads)
    plain = isinstance(cache, KVCache) or not (hasattr(cache, "bits") or isinstance(mask, mx.array))
    if sizes and plain and keys.shape == values.shape and suits(heads, keys.shape[1], size, queries.dtype):
        count = keys.shape[2]
        width = next((width for width in WIDTHS if 1 < rows <= min(width, count)), 0)
        if PassSize(width, max(start for start in CONTEXTS if start <= count)) in sizes:
            return attention_of_rows(queries, keys, values, scale=scale, mask=mask, sinks=sinks)
    found: mx.array = scaled_dot_product_attention(queries, keys, values, cache, scale, mask, sinks)
    return found


def suits(heads: int, kv_heads: int, size: int, dtype: mx.Dtype) -> bool:
    """Return whether MLX has a kernel for one row that ours follow."""
    return size in SIZES and heads <= 32 * kv_heads and dtype in HALF
