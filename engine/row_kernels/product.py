"""Products of a few rows with quantised weights, in the order of MLX's kernels for one row, `qmv_fast` and `qmv`.

Each of the 32 threads of a SIMD group adds up every 32nd run of inputs, and `simd_sum` adds up the threads
(mlx/backend/metal/kernels/quantized.h and fp_quantized.h). Each SIMD group computes four outputs of all rows of its
tile. Registers hold the sums and the weights of a run, which are numbers that a half has exactly. The SIMD groups of a
threadgroup share the inputs, which would otherwise be read more often than the weights.
"""

from __future__ import annotations

import mlx.core as mx

from engine.row_kernels.row_kernel import row_kernel

# The most rows whose sums the registers of a GPU hold. More are computed in tiles, each of which reads the weights.
TILE = 8
# The SIMD groups of a threadgroup.
SIMDS = 4
# A pack is the least number of weights that fills whole bytes and a 32-bit word, or 24 or 40 bits: 32 / bits, or these.
PACKS = {3: 8, 5: 8, 6: 4}
# Where the inputs are a multiple of this many packs, MLX's one-row kernel gives each of its 32 threads two packs of
# weights at a time instead of one (mlx#3965).
_TWO_PACKS = 64

# Affine weights stay at their bits in the word or byte; inputs are divided by the power of two there.
PRODUCT_HEADER = """
// Reads a thread's inputs and returns their sum; SUMMED of them are added to each other first.
template <typename T, int BITS, bool AFFINE, int VALUES>
inline float read_inputs(const device T* x, thread float* inputs) {
  constexpr int SUMMED = BITS == 8 ? 1 : BITS == 3 || BITS == 5 ? 8 : 4;
  float sum = 0;
  for (int i = 0; i < VALUES; i += SUMMED) {
    float part = float(x[i]);
    for (int j = 1; j < SUMMED; j++) {
      part += float(x[i + j]);
    }
    sum += part;
  }
  for (int i = 0; i < VALUES; i++) {
    const int place = !AFFINE || BITS == 8 ? 0 : BITS == 4 ? i % 4 * 4 : i * BITS % 8;
    inputs[i] = float(x[i]) / float(1 << place);
  }
  return sum;
}

// The bits of float4_e2m1 and float8_e4m3 are a half whose exponent is too small.
inline half e2m1(uint8_t code) {
  return as_type<half>(uint16_t((code & 8) << 12 | (code & 7) << 9)) * half(16384.0f);
}

inline half e4m3(uint8_t code) {
  return as_type<half>(uint16_t((code & 128) << 8 | (code & 127) << 7)) * half(256.0f);
}

inline float e8m0(uint8_t code) {
  return as_type<float>(code == 0 ? 0x400000u : uint(code) << 23);
}

template <int GROUP>
inline float scale_of(uint8_t code) {
  return GROUP == 16 ? float(e4m3(code)) : e8m0(code);
}

template <int GROUP, typename S>
inline float scale_of(S scale) {
  return float(scale);
}

// Reads a thread's weights; `rests` are those bits of a weight that are in the next byte.
template <int BITS, bool AFFINE, int VALUES>
inline void read_weights(const device uint8_t* w, thread half* weights, thread half* rests) {
  for (int i = 0; i < VALUES; i++) {
    const int byte = i * BITS / 8, shift = i * BITS % 8;
    if (BITS == 8) {
      weights[i] = AFFINE ? half(w[i]) : e4m3(w[i]);
    } else if (BITS == 4) {
      const int place = i % 4 * 4;
      const int word = ((const device uint16_t*)w)[i / 4];
      weights[i] = AFFINE ? half(word & (15 << place)) : e2m1(word >> place);
    } else {
      weights[i] = half(w[byte] & ((1 << BITS) - 1) << shift);
      if (shift + BITS > 8) {
        rests[i] = half(w[byte + 1] & ((1 << BITS) - 1) >> (8 - shift));
      }
    }
  }
}

// Returns the sum of a thread's products.
template <int BITS, int VALUES>
inline float dot_of(const thread half* weights, const thread half* rests, const thread float* inputs) {
  float sum = 0;
  if (BITS == 4) {
    for (int i = 0; i < VALUES; i += 4) {
      sum += inputs[i] * float(weights[i]) + inputs[i + 1] * float(weights[i + 1]) +
          inputs[i + 2] * float(weights[i + 2]) + inputs[i + 3] * float(weights[i + 3]);
    }
  } else {
    for (int i = 0; i < VALUES; i++) {
      sum += float(weights[i]) * inputs[i];
      if (BITS != 8 && i * BITS % 8 + BITS > 8) {
        sum += float(rests[i]) * (inputs[i] * 256.0f);
      }
    }
  }
  return sum;
}

// Returns what a thread adds to a result. MLX's kernels have a function for it, too: a compiler that fuses a product
// and a sum in one statement only would otherwise fuse here what it does not fuse there.
template <bool AFFINE>
inline float scaled(float sum, float scale, float total, float bias) {
  return AFFINE ? scale * sum + total * bias : scale * sum;
}
"""

# Each SIMD group prepares the inputs of every SIMDS-th row for all, in fours, so that what the threads of a SIMD group
# read at once lies side by side.
SOURCE = """
  constexpr int OUTPUTS = 4;
  threadgroup float shared[ROWS][VALUES / 4][32][4], totals[ROWS][32];
  const int lane = thread_index_in_simdgroup, group = simdgroup_index_in_threadgroup;
  const int rows = x_shape[0], size = x_shape[1], outputs = w_shape[0];
  const int first_row = threadgroup_position_in_grid.x * ROWS;
  const int first_output = (threadgroup_position_in_grid.y * SIMDS + group) * OUTPUTS;
  float results[ROWS][OUTPUTS] = {};
  for (int start = 0; start < size; start += 32 * VALUES) {
    const int k = start + lane * VALUES;
    const bool inside = k < size;
    float inputs[VALUES];
    for (int r = group; r < ROWS && inside; r += SIMDS) {
      const device T* row = x + long(min(first_row + r, rows - 1)) * size + k;
      totals[r][lane] = read_inputs<T, BITS, AFFINE, VALUES>(row, inputs);
      for (int i = 0; i < VALUES; i++) {
        shared[r][i / 4][lane][i % 4] = inputs[i];
      }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (inside) {
      half weights[OUTPUTS][VALUES], rests[OUTPUTS][VALUES];
      float scale[OUTPUTS], bias[OUTPUTS];
      for (int o = 0; o < OUTPUTS; o++) {
        const long at = long(min(first_output + o, outputs - 1)) * size + k;
        read_weights<BITS, AFFINE, VALUES>((const device uint8_t*)w + at * BITS / 8, weights[o], rests[o]);
        scale[o] = scale_of<GROUP>(scales[at / GROUP]);
        bias[o] = AFFINE ? float(biases[at / GROUP]) : 0;
      }
#pragma unroll
      for (int r = 0; r < ROWS; r++) {
        for (int i = 0; i < VALUES; i++) {
          inputs[i] = shared[r][i / 4][lane][i % 4];
        }
        for (int o = 0; o < OUTPUTS; o++) {
          const float sum = dot_of<BITS, VALUES>(weights[o], rests[o], inputs);
          results[r][o] += scaled<AFFINE>(sum, scale[o], totals[r][lane], bias[o]);
        }
      }
    }
    // All have read before the next inputs are written.
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
#pragma unroll
  for (int r = 0; r < ROWS; r++) {
    for (int o = 0; o < OUTPUTS; o++) {
      const float result = simd_sum(results[r][o]);
      if (lane == 0 && first_row + r < rows && first_output + o < outputs) {
        y[long(first_row + r) * outputs + first_output + o] = T(result);
      }
    }
  }
"""


def template_of(rows: int, inputs: int, bits: int, group_size: int, *, affine: bool) -> dict[str, int]:
    """Return the numbers that the kernel for `rows` rows is compiled with.

    `ROWS` is the size of a tile: 11 rows are computed in two tiles of 6, not of 8. `VALUES` is how many inputs a
    thread reads at a time.
    """
    pack = PACKS.get(bits, 32 // bits)
    tiles = -(-rows // TILE)
    tile = -(-rows // tiles)
    values = 2 * pack if inputs % (_TWO_PACKS * pack) == 0 else pack
    return {"ROWS": tile, "BITS": bits, "GROUP": group_size, "VALUES": values, "AFFINE": affine, "SIMDS": SIMDS}


def product_of_rows(
    x: mx.array, weight: mx.array, scales: mx.array, biases: mx.array | None, *, group_size: int, bits: int
) -> mx.array:
    """Return `x` (..., inputs) times the transposed quantised matrix, as `mx.quantized_matmul` does.

    `weight` (outputs, inputs * bits / 32) is uint32. `scales` and `biases` (outputs, inputs / group_size) have the type
    of `x`, bfloat16 or float16; without biases, `scales` are uint8 of mxfp4, mxfp8 or nvfp4. Metal compiles the kernel
    when the result is evaluated; MLX raises RuntimeError there if that fails, and here without a GPU.
    """
    inputs = x.shape[-1]
    outputs = len(weight)
    rows = x.size // inputs
    template = template_of(rows, inputs, bits, group_size, affine=biases is not None)
    kernel = row_kernel("rows_product", SOURCE, "w scales biases x", "y", PRODUCT_HEADER)
    products: list[mx.array] = kernel(
        # Without biases, the kernel does not read its third input.
        inputs=[weight, scales, scales if biases is None else biases, x.reshape(rows, inputs)],
        template=[("T", x.dtype), *template.items()],
        # Threadgroups that read the same weights follow each other, so that a cache has them.
        grid=(32 * -(-rows // template["ROWS"]), SIMDS * -(-outputs // (4 * SIMDS)), 1),
        threadgroup=(32, SIMDS, 1),
        output_shapes=[(*x.shape[:-1], outputs)],
        output_dtypes=[x.dtype],
    )
    return products[0]
