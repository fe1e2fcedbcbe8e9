// What Metal's language has beyond C++, as far as the kernels of quantised products use it, for one thread of the host.
//
// A SIMD group runs its 32 threads one after the other. What they exchange is taken from the run before, so a group is
// run until nothing that is exchanged changes any more.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#define device
#define constant
#define thread
#define METAL_FUNC static inline
#define MLX_MTL_CONST static constexpr const

using std::clamp, std::max, std::min;
typedef unsigned int uint;
typedef unsigned short ushort;
typedef _Float16 half;
typedef half float16_t;
struct uint3 {
  uint x, y, z;
};

template <typename T, typename S>
static inline T as_type(S value) {
  static_assert(sizeof(T) == sizeof(S));
  T found;
  std::memcpy(&found, &value, sizeof(T));
  return found;
}

// Rounds to the nearest, to even where two are as near.
struct bfloat16_t {
  uint16_t bits;
  bfloat16_t() = default;
  bfloat16_t(float value) {
    const uint32_t whole = as_type<uint32_t>(value);
    bits = (whole + 0x7fff + (whole >> 16 & 1)) >> 16;
  }
  operator float() const {
    return as_type<float>(uint32_t(bits) << 16);
  }
};

namespace metal {
using std::abs, std::isfinite, std::isnan, std::log2, std::round, std::signbit;
}

template <typename T>
static inline T select(T no, T yes, bool condition) {
  return condition ? yes : no;
}

static int lane, exchanges;
static float given[64][32], taken[64][32];

static float simd_sum(float value) {
  const int at = exchanges++;
  given[at][lane] = value;
  // One order in which the hardware could add: all kernels that are compared have it.
  float sums[32];
  std::memcpy(sums, taken[at], sizeof(sums));
  for (int distance = 16; distance; distance /= 2) {
    for (int i = 0; i < distance; i++) {
      sums[i] += sums[i + distance];
    }
  }
  return sums[0];
}

static float simd_shuffle_down(float value, int distance) {
  const int at = exchanges++;
  given[at][lane] = value;
  return lane + distance < 32 ? taken[at][lane + distance] : 0.0f;
}

template <typename F>
static void run_simd_group(F kernel) {
  do {
    std::memcpy(taken, given, sizeof(taken));
    for (lane = 0; lane < 32; lane++) {
      exchanges = 0;
      kernel(lane);
    }
  } while (std::memcmp(given, taken, sizeof(given)));
}

// Calls `kernel(threadgroup, SIMD group, thread)` for a grid of threadgroups with two SIMD groups each.
template <typename F>
static void run_grid(int across, int down, F kernel) {
  for (uint z = 0; z < (uint)across; z++) {
    for (uint y = 0; y < (uint)down; y++) {
      for (int group = 0; group < 2; group++) {
        run_simd_group([&](int thread_of_group) { kernel(uint3{z, y, z}, group, thread_of_group); });
      }
    }
  }
}
