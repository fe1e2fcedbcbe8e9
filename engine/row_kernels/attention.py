"""Attention of a few rows, in the order of MLX's kernels for one row (mlx/backend/metal/kernels/sdpa_vector.h).

Keys are dealt out to blocks, each block sums its keys one after the other, and the blocks are added up. Where MLX sums
blocks in parts, from 8,192 keys on with some numbers of heads in big models, attention stays MLX's.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import groupby
from typing import Any, TypeAlias

import mlx.core as mx
from mlx_lm.models.base import scaled_dot_product_attention

from engine.requests import MAX_DEPTH
from engine.row_kernels.row_kernel import HALF, row_kernel
from engine.tuning import PassSize

# Timed widths (rows) of passes; each also covers the widths down to the previous one.
ATTENTION_ROWS = (2, 4, 6, 8, 12, 17, MAX_DEPTH + 1)
# Numbers of keys from which on MLX 0.32 changes its kernels on one chip or another
# (`scaled_dot_product_attention.cpp`): two passes over keys, the parts of such a pass, and a kernel for a row alone
# whose heads share keys. Each is timed, and covers the numbers up to the next one.
CONTEXTS = (1, 1024, 4096, 8192, 16384, 32768, 65536)
# The name under which mlx-lm's modules look up their function for attention.
NAME = "scaled_dot_product_attention"
# The sizes of heads for which MLX has a kernel for one row, and uses it whatever the number of keys.
SIZES = frozenset({64, 96, 128, 256})
# From MANY_KEYS keys on, MLX sums each block in parts for these pairs of (query heads that share keys, size of a head).
MANY_KEYS = 8192
PARTS = frozenset({(8, 64), (8, 128), (12, 128), (16, 128)})

ATTENTION_HEADER = '#define UNROLLED(i, count) _Pragma("clang loop unroll(full)") for (int i = 0; i < count; i++)\n'

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
  float q[QUERIES][EACH], greatest[QUERIES], whole[QUERIES], sums[QUERIES][EACH] = {};
  UNROLLED(p, QUERIES) {
    const int query = min(first + p, many - 1);
    head[p] = kv_head * (heads / kv_heads) + query / rows;
    row[p] = query % rows;
    const long at = batch * queries_strides[0] + head[p] * queries_strides[1] + row[p] * queries_strides[2];
    UNROLLED(j, EACH) q[p][j] = scale * static_cast<float>(queries[at + (lane * EACH + j) * queries_strides[3]]);
    const bool sunk = SINKS && block == 0;
    greatest[p] = sunk ? static_cast<float>(sinks[head[p]]) : Limits<float>::finite_min;
    whole[p] = sunk ? 1.0f : 0.0f;
  }
  for (int from = block; from < count; from += TILE * blocks) {
    const int tile = min(TILE, (count - from + blocks - 1) / blocks);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (int i = simd * 32 + lane; i < tile * D; i += simds * 32) {
      const long key = from + i / D * blocks;
      key_tile[i] = own_keys[key * keys_strides[2] + i % D * keys_strides[3]];
      value_tile[i] = own_values[key * values_strides[2] + i % D * values_strides[3]];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (int t = 0; t < tile; t++) {
      const int at = t * D + lane * EACH;
      float scores[QUERIES];
      UNROLLED(p, QUERIES) {
        float score = 0;
        UNROLLED(j, EACH) score += q[p][j] * static_cast<float>(key_tile[at + j]);
        scores[p] = simd_sum(score);
      }
      UNROLLED(p, QUERIES) {
        if (!CAUSAL || from + t * blocks <= count - rows + row[p]) {
          const float most = max(greatest[p], scores[p]);
          const float factor = fast::exp(greatest[p] - most), weight = fast::exp(scores[p] - most);
          greatest[p] = most;
          whole[p] = whole[p] * factor + weight;
          UNROLLED(j, EACH) sums[p][j] = sums[p][j] * factor + weight * static_cast<float>(value_tile[at + j]);
        }
      }
    }
  }
  UNROLLED(p, QUERIES) {
    if (first + p < many) {
      const long at = (long(batch * heads + head[p]) * rows + row[p]) * blocks + block;
      UNROLLED(j, EACH) outputs[at * D + lane * EACH + j] = static_cast<O>(sums[p][j]);
      weights[at] = whole[p], most[at] = greatest[p];
    }
  }
"""

# 32 SIMD groups add up the blocks of one row and head; each adds some of its outputs, and each thread every 32nd block.
# They share nothing, so it does not matter how many of them a threadgroup has.
ADDING = """
  constexpr int EACH = D / 32;
  const int lane = thread_index_in_simdgroup, blocks = most_shape[3];
  const int simds = threads_per_threadgroup.x / 32;
  const long place = long(threadgroup_position_in_grid.x) * simds + simdgroup_index_in_threadgroup;
  const long query = place / 32, first = query * blocks;
  const int simd = place % 32;
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

# One SIMD group computes this many of the rows and heads that share keys: their sums fit in its registers.
_QUERIES_EACH = 4
# The threads of a threadgroup that adds blocks. With 1,024, a thread has too few registers for heads of 256 on some
# chips: kernels like it have been refused on an M1 Max and an M2 Ultra (mlx#3099, mlx-vlm#1799).
_ADDING_THREADS = 512

# float (query heads,): a logit for each head that takes part in its softmax without a key; None for none.
Sinks: TypeAlias = mx.array | None
# The sizes of passes in which the project's kernels compute attention, by the model's number of query heads. Two models
# in memory with the same number of heads share an entry: what was chosen last holds for both.
used: dict[int, frozenset[PassSize]] = {}


@lru_cache(maxsize=256)
def key_blocks(keys: int, share: int, chip: str) -> tuple[int, bool]:
    """Return in how many blocks MLX 0.32 sums a row alone over `keys` keys, and whether their sums are rounded.

    `share` query heads share each head of keys. `chip` is the last letter of the chip's architecture: "d" for an Ultra,
    "s" for a Max. Rounded sums have the type of the queries, others are float32. These numbers are copied from MLX's
    source: with others, rows in a pass would be summed in another order than a row alone.
    """
    is_large_chip = chip in "ds"
    one_pass_below = 1024 if is_large_chip else 4096
    if keys < one_pass_below or (not is_large_chip and share == 1):
        return 32, False
    if chip == "s":
        return _blocks_of_max(keys, share), True
    if chip == "d":
        return _blocks_of_ultra(keys, share), True
    blocks = 64 if share >= 4 else 32
    return blocks, True


def _blocks_of_max(keys: int, share: int) -> int:
    """Return the blocks of `key_blocks` on a Max."""
    if keys <= 1024 or share <= 4:
        return 64
    steps = ((8192, 128), (32768, 256), (65536, 512))
    return next((blocks for most_keys, blocks in steps if keys <= most_keys), 1024)


def _blocks_of_ultra(keys: int, share: int) -> int:
    """Return the blocks of `key_blocks` on an Ultra."""
    if share >= 6 and keys >= 16384:
        return 512 if keys < 65536 else 1024
    return 256 if share <= 2 and keys > 8192 else 128


def attention_of_rows(
    queries: mx.array, keys: mx.array, values: mx.array, *, scale: float, mask: str | None = None, sinks: Sinks = None
) -> mx.array:
    """Compute attention by the project's kernels, as `mx.fast.scaled_dot_product_attention` does for single rows.

    `queries` are (batch, heads, rows, size), `keys` and `values` (batch, kv_heads, keys, size), all of one type:
    bfloat16 or float16. `mask` is "causal" (the rows are the last tokens) or None. Returns (batch, heads, rows, size)
    of that type, lazily.

    Metal compiles the kernels when the result is evaluated; MLX raises RuntimeError or ValueError there if that fails,
    and RuntimeError here without a GPU.
    """
    rows = queries.shape[2]
    share = queries.shape[1] // keys.shape[1]
    chip = str(mx.device_info()["architecture"])[-1]
    # How many keys each row attends to: a causal mask hides the keys of later rows, which are at the end.
    hidden = [rows - 1 - row if mask else 0 for row in range(rows)]
    visible = [keys.shape[2] - count for count in hidden]
    outputs = []
    # Rows are computed together as long as MLX would sum each of them alone in the same blocks: mostly all of them.
    for blocks, group in groupby(range(rows), lambda row: key_blocks(visible[row], share, chip)):
        run = [*group]
        first = run[0]
        last = run[-1]
        run_queries = queries[:, :, first : last + 1]
        run_keys = keys[:, :, : visible[last]]
        run_values = values[:, :, : visible[last]]
        outputs.append(_in_blocks(blocks, run_queries, run_keys, run_values, scale, mask, sinks))
    return outputs[0] if len(outputs) == 1 else mx.concatenate(outputs, axis=2)


def _in_blocks(
    blocks: tuple[int, bool], queries: mx.array, keys: mx.array, values: mx.array, scale: float, mask: Any, sinks: Any
) -> mx.array:
    """Compute `attention_of_rows` for rows that are all summed in the same `blocks`, the result of `key_blocks`.

    The last row attends to all of `keys`. One kernel sums each block of keys, (batch, heads, rows, blocks, size); the
    other adds up the blocks of each row and head.
    """
    block_count, rounded = blocks
    dtype = queries.dtype
    kv_heads = keys.shape[1]
    batch, heads, rows, size = queries.shape
    # The most SIMD groups of a threadgroup; more rows and heads are divided into tiles.
    most_simds = 12 if size == 256 else 16
    sharing = rows * heads // kv_heads
    tiles = -(-sharing // (_QUERIES_EACH * most_simds))
    simds = -(-sharing // (_QUERIES_EACH * tiles))
    shape = (batch, heads, rows, block_count)
    sum_dtype = dtype if rounded else mx.float32
    summing = row_kernel(
        "rows_attention",
        SUMMING,
        "queries keys values scale sinks",
        "outputs weights most",
        ATTENTION_HEADER,
        strided=True,
    )
    adding = row_kernel("rows_attention_added", ADDING, "outputs weights most", "out", ATTENTION_HEADER)
    template = {"T": dtype, "O": sum_dtype, "D": size, "QUERIES": _QUERIES_EACH}
    template |= {"CAUSAL": mask is not None, "SINKS": sinks is not None}
    summed = summing(
        # Without sinks, the kernel does not read its last input.
        inputs=[queries, keys, values, scale, queries if sinks is None else sinks.astype(dtype)],
        template=[*template.items()],
        # Threadgroups that read the same keys follow each other.
        grid=(32 * tiles, simds * batch * kv_heads, block_count),
        threadgroup=(32, simds, 1),
        output_shapes=[(*shape, size), shape, shape],
        output_dtypes=[sum_dtype, mx.float32, mx.float32],
    )
    added: list[mx.array] = adding(
        inputs=summed,
        template=[("T", dtype), ("D", size)],
        grid=(1024 * batch * heads * rows, 1, 1),
        threadgroup=(_ADDING_THREADS, 1, 1),
        output_shapes=[queries.shape],
        output_dtypes=[dtype],
    )
    return added[0]


def attend(
    queries: mx.array, keys: Any, values: Any, cache: Any, scale: float, mask: Any, sinks: Sinks = None
) -> mx.array:
    """Compute attention in place of mlx-lm's `scaled_dot_product_attention`, whose parameters and result it has.

    `attention_probe` puts this function into the modules of models that are to use the project's kernels. `queries` are
    (batch, heads, rows, size), `keys` and `values` (batch, kv_heads, keys, size), or tuples if `cache` is quantised;
    `mask` is "causal", an array or None. Returns (batch, heads, rows, size).

    The project's kernels compute passes whose size was chosen (`used`). MLX's compute all others, and always the passes
    of one row, with quantised keys (`cache.bits`), with an array as mask, or with keys unlike values. If a kernel
    fails, MLX raises that when the result is evaluated.
    """
    _, heads, rows, size = queries.shape
    sizes = used.get(heads, frozenset())
    is_special = hasattr(cache, "bits") or isinstance(mask, mx.array) or keys.shape != values.shape
    is_suitable = bool(sizes) and not is_special and suits(heads, keys.shape[1], size, queries.dtype)
    if is_suitable and _timed_size(rows, keys.shape[2]) in sizes:
        return attention_of_rows(queries, keys, values, scale=scale, mask=mask, sinks=sinks)
    attended: mx.array = scaled_dot_product_attention(queries, keys, values, cache, scale, mask, sinks)
    return attended


def _timed_size(rows: int, keys: int) -> PassSize | None:
    """Return the size that was timed for passes of `rows` rows over `keys` keys; None if no timed size covers them.

    Three rows over 5,000 keys are covered by the size of 4 rows from 4,096 keys on.
    """
    if not 1 < rows <= min(ATTENTION_ROWS[-1], keys):
        return None
    width = min(width for width in ATTENTION_ROWS if width >= rows)
    context = max(context for context in CONTEXTS if context <= keys)
    return PassSize(width, context)


def suits(heads: int, kv_heads: int, size: int, dtype: mx.Dtype) -> bool:
    """Return whether MLX has a kernel for one row whose order of sums the project's kernels follow.

    `heads` query heads share `kv_heads` heads of `size` numbers of this type.
    """
    return size in SIZES and heads <= 32 * kv_heads and dtype in HALF
