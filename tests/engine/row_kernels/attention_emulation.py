"""MLX's Metal kernels for attention of one row, and ours for several, compiled for the processor.

`EmulatedKernel` stands for `mx.fast.metal_kernel`: it compiles the same source, and hands over shapes and strides in
the same way.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from math import prod
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np

from tests.engine.row_kernels.emulation import METAL, compiled

HEADER = Path(mx.__file__).parent / "include/mlx/backend/metal/kernels/sdpa_vector.h"
TYPES = {mx.bfloat16: "bfloat16_t", mx.float16: "half", mx.float32: "float", mx.bool_: "bool"}
# By the size of heads, how many threads of a threadgroup have had enough registers in kernels like ours, on an M1 Max
# and an M2 Ultra (mlx#3099, mlx-vlm#1799). MLX raises ValueError for more, and Metal allows 1,024 at most.
MOST_THREADS = {256: 896}
# What a model gives to a kernel; all else is contiguous.
STRIDED = ("queries", "keys", "values")


class EmulatedKernel:
    """A kernel of `mx.fast.metal_kernel`, compiled in `folder`; `counted` is whether `reads` counts those of keys."""

    def __init__(
        self, inputs: Sequence[str], outputs: Sequence[str], source: str, header: str, folder: Path, *, counted: bool
    ) -> None:
        self._inputs, self._outputs, self._source, self._header = inputs, outputs, source, header
        self._folder, self._counted = folder, counted
        self.reads = 0

    def __call__(
        self,
        *,
        inputs: Sequence[Any],
        template: Sequence[tuple[str, Any]],
        grid: tuple[int, int, int],
        threadgroup: tuple[int, int, int],
        output_shapes: Sequence[tuple[int, ...]],
        output_dtypes: Sequence[mx.Dtype],
    ) -> list[mx.array]:
        assert all(whole % part == 0 for whole, part in zip(grid, threadgroup, strict=True))
        allowed = MOST_THREADS.get(dict(template)["D"], 1024)
        if prod(threadgroup) > allowed:
            raise ValueError(
                f"Thread group size ({prod(threadgroup)}) is greater than the maximum allowed ({allowed})."
            )
        dtypes = [one.dtype if isinstance(one, mx.array) else mx.float32 for one in inputs]
        library = compiled(self._text(dtypes, output_dtypes, template), self._folder)
        held = [_padded(one) if name in STRIDED else _raw(one) for name, one in zip(self._inputs, inputs, strict=True)]
        found = [
            np.zeros((*shape, dtype.size), np.uint8) for shape, dtype in zip(output_shapes, output_dtypes, strict=True)
        ]
        pointers = (ctypes.c_void_p * (len(held) + len(found)))(*(array.ctypes.data for array in (*held, *found)))
        shapes = np.zeros((len(held), 8), np.int32)
        strides = np.zeros((len(held), 8), np.int64)
        for number, (array, given, dtype) in enumerate(zip(held, inputs, dtypes, strict=True)):
            if isinstance(given, mx.array):
                shapes[number, : given.ndim] = given.shape
                strides[number, : given.ndim] = [stride // dtype.size for stride in array.strides[:-1]]
        ends = np.array([array.nbytes for array in held], np.int64)
        groups = np.array([whole // part for whole, part in zip(grid, threadgroup, strict=True)], np.int32)
        size = np.array(threadgroup, np.int32)
        given = [array.ctypes.data_as(ctypes.c_void_p) for array in (shapes, strides, ends, groups, size)]
        library.run.restype = ctypes.c_int64
        self.reads += library.run(pointers, *given)
        return [
            mx.array(array).view(dtype).reshape(shape)
            for array, dtype, shape in zip(found, output_dtypes, output_shapes, strict=True)
        ]

    def _text(
        self, dtypes: Sequence[mx.Dtype], output_dtypes: Sequence[mx.Dtype], template: Sequence[tuple[str, Any]]
    ) -> str:
        lines = [METAL, "using namespace metal;"]
        types = TYPES | {mx.bfloat16: "Counted"} if self._counted else TYPES
        for name, value in template:
            if isinstance(value, mx.Dtype):
                lines.append(f"typedef {types[value]} {name};")
            else:
                lines.append(f"static constexpr {'bool' if isinstance(value, bool) else 'int'} {name} = {int(value)};")
        lines.append(self._header)
        parameters, given = [], []
        for number, (name, dtype) in enumerate(zip(self._inputs, dtypes, strict=True)):
            if name == "scale":
                parameters.append("const float& scale")
                given.append(f"*(const float*)pointers[{number}]")
                continue
            parameters.append(f"const {types[dtype]}* {name}")
            given.append(f"(const {types[dtype]}*)pointers[{number}]")
            if f"{name}_shape" in self._source:
                parameters.append(f"const int* {name}_shape")
                given.append(f"shapes + {8 * number}")
            if f"{name}_strides" in self._source:
                parameters.append(f"const int64_t* {name}_strides")
                given.append(f"strides + {8 * number}")
        for number, (name, dtype) in enumerate(zip(self._outputs, output_dtypes, strict=True), len(dtypes)):
            parameters.append(f"{types[dtype]}* {name}")
            given.append(f"({types[dtype]}*)pointers[{number}]")
        places = ("threadgroup_position_in_grid", "threads_per_threadgroup", "threadgroups_per_grid")
        parameters += [f"uint3 {place}" for place in places]
        parameters += ["uint simdgroup_index_in_threadgroup", "uint thread_index_in_simdgroup"]
        counted = [self._inputs.index(name) for name in ("keys", "values") if name in self._inputs]
        watch = "".join(
            f"counted_from[{place}] = (char*)pointers[{number}];\n"
            f"counted_to[{place}] = counted_from[{place}] + ends[{number}];\n"
            for place, number in enumerate(counted)
        )
        lines.append(f"static void body({', '.join(parameters)}) {{\n{self._source}\n}}")
        lines.append(
            'extern "C" int64_t run(void** pointers, const int* shapes, const int64_t* strides, const int64_t* ends,\n'
            "    const int* grid, const int* size) {\n"
            f"counted = 0;\n{watch}"
            "const uint3 groups = {(uint)grid[0], (uint)grid[1], (uint)grid[2]};\n"
            "const uint3 threads_ = {(uint)size[0], (uint)size[1], (uint)size[2]};\n"
            "run_threadgroups(groups, size[0] * size[1] * size[2], [&](uint3 at, int thread_) {\n"
            f"  body({', '.join(given)}, at, threads_, groups, thread_ / 32, thread_ % 32);\n"
            "});\nreturn counted;\n}"
        )
        return "\n".join(lines)


def _padded(array: mx.array) -> np.ndarray:
    """Return the bytes of an array (a, b, c, d), with gaps after the rows of each b, as a cache has them."""
    plain = _raw(array)
    whole = np.full((*plain.shape[:2], plain.shape[2] + 3, *plain.shape[3:]), 0x7F, np.uint8)
    whole[:, :, : plain.shape[2]] = plain
    return whole


def _raw(value: Any) -> np.ndarray:
    """Return the bytes of an array in one more dimension; numbers are float32."""
    if not isinstance(value, mx.array):
        return np.array([value], np.float32).view(np.uint8)
    if value.dtype == mx.bool_:
        return np.ascontiguousarray(np.array(value))[..., None].view(np.uint8)
    return np.ascontiguousarray(np.array(mx.contiguous(value)[..., None].view(mx.uint8)))


ENTRY = """
extern "C" int64_t alone(T* q, T* k, T* v, T* sinks, T* out, T* part, float* sums, float* maxs, const int* sizes,
    float scale) {
  const int rows = sizes[0], heads = sizes[1], kv_heads = sizes[2], N = sizes[3], batch = sizes[4], two = sizes[5];
  const int share = heads / kv_heads;
  blocks = sizes[6];
  has_mask = bool_mask = float_mask = query_transposed = false;
  has_sinks = sinks != nullptr, do_causal = sizes[7];
  const size_t head_stride = size_t(N) * D, stride = D;
  counted = 0;
  counted_from[0] = (char*)k, counted_to[0] = (char*)(k + batch * kv_heads * head_stride);
  counted_from[1] = (char*)v, counted_to[1] = (char*)(v + batch * kv_heads * head_stride);
  const uint3 of_queries = {uint(batch * heads), uint(rows), 1};
  if (!two) {
    run_threadgroups(of_queries, 1024, [&](uint3 at, int i) {
      sdpa_vector<T, D>(q, k, v, out, share, N, head_stride, stride, head_stride, stride, scale, nullptr, nullptr, 0, 0,
          0, sinks, heads, at, of_queries, i / 32, i % 32);
    });
    return counted;
  }
  const uint3 grid = {uint(kv_heads), uint(batch), uint(blocks)}, group = {32, uint(share), uint(rows)};
  run_threadgroups(grid, 32 * share * rows, [&](uint3 at, int i) {
    const uint3 of_group = {uint(i % 32), uint(i / 32 % share), uint(i / 32 / share)};
    sdpa_vector_2pass_1<T, D>(q, k, v, part, sums, maxs, N, head_stride, stride, head_stride, stride, scale, nullptr,
        nullptr, 0, 0, 0, sinks, group, of_group, at, grid, i % 32);
  });
  run_threadgroups(of_queries, 1024, [&](uint3 at, int i) {
    sdpa_vector_2pass_2<T, D>(part, sums, maxs, out, blocks, at, of_queries, i / 32, i % 32);
  });
  return counted;
}
"""


def choice(chip: str, keys: int, share: int, rows: int) -> tuple[bool, int]:
    """Return whether MLX makes two passes, and in how many blocks, as its host's C++ does."""
    simds = share * rows
    two = (chip in "ds" and keys >= 1024) or (share > 1 and keys >= 4096)
    if chip == "s":
        blocks = 64
        if keys > 1024 and simds > 4:
            blocks = 128 if keys <= 8192 else 256 if keys <= 32768 else 512 if keys <= 65536 else 1024
    elif chip == "d":
        blocks = 128
        if simds <= 2 and keys > 8192:
            blocks = 256
        elif simds >= 6:
            blocks = 512 if 16384 <= keys < 65536 else 1024 if keys >= 65536 else 128
    else:
        blocks = 64 if simds >= 4 else 32
    return two, blocks


class OneRow:
    """MLX's kernels for one row of heads of `size` numbers, on a chip with that letter."""

    def __init__(self, dtype: mx.Dtype, size: int, chip: str, folder: Path, *, counted: bool = False) -> None:
        self._size, self._chip = size, chip
        self.reads = 0
        header = HEADER.read_text().replace("#include <metal_simdgroup>", "")
        kind = "Counted" if counted else TYPES[dtype]
        types = f"typedef {kind} T;\nstatic constexpr int D = {size};\n"
        self._library = compiled(f"{METAL}\n{header}\n{types}{ENTRY}", folder)
        self._library.alone.restype = ctypes.c_int64

    def __call__(
        self, q: mx.array, k: mx.array, v: mx.array, *, scale: float, mask: Any = None, sinks: mx.array | None = None
    ) -> mx.array:
        (batch, heads, rows, _), (_, kv_heads, keys, _) = q.shape, k.shape
        two, blocks = choice(self._chip, keys, heads // kv_heads, rows)
        arrays = [*map(_raw, (q, k, v)), None if sinks is None else _raw(sinks)]
        out = np.zeros((*q.shape, q.itemsize), np.uint8)
        part = np.zeros((batch * heads * rows * blocks * self._size, q.itemsize), np.uint8)
        sums, maxs = (np.zeros(batch * heads * rows * blocks, np.float32) for _ in range(2))
        sizes = np.array([rows, heads, kv_heads, keys, batch, two, blocks, mask is not None and rows > 1], np.int32)
        pointers = [
            None if array is None else array.ctypes.data_as(ctypes.c_void_p)
            for array in (*arrays, out, part, sums, maxs, sizes)
        ]
        self.reads += self._library.alone(*pointers, ctypes.c_float(scale))
        return mx.array(out).view(q.dtype).reshape(q.shape)
