// What Metal's language has beyond C++, as far as the kernels of this package and of MLX use it, on one thread of the
// host.
//
// The threads of a threadgroup take turns: each runs until it waits for the others, at a barrier or for a sum, so that
// the next finds what it has written. A kernel that lacks a barrier reads what another has not written yet, or has
// overwritten already.

// Its longjmp does not jump to another stack.
#undef _FORTIFY_SOURCE
// macOS declares ucontext for the first only, and what the C++ library needs beside it for the second.
#define _XOPEN_SOURCE 700
#define _DARWIN_C_SOURCE
#include <setjmp.h>
#include <ucontext.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <vector>

#define device
#define constant
#define thread
#define threadgroup static
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
enum class mem_flags { mem_none, mem_device, mem_threadgroup };

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

struct Thread {
  ucontext_t first;
  std::vector<char> stack;
  jmp_buf place;
  int exchanges;
  bool done;
};
static jmp_buf host;
static std::vector<Thread> threads(1024);
static int current;
// Those that were run.
static long threadgroups;
static std::function<void(int, int)> body;
// What threads exchange, by turns in two places, because the first may give the next before the last has taken this.
static float given[2][1024];

static void threadgroup_barrier(mem_flags) {
  if (!_setjmp(threads[current].place)) {
    _longjmp(host, 1);
  }
}

// Gives the others of the SIMD group a value; returns theirs, which stay until the exchange after the next.
static const float* exchange(float value) {
  float* const place = given[threads[current].exchanges++ % 2];
  place[current] = value;
  threadgroup_barrier(mem_flags::mem_none);
  return place + current / 32 * 32;
}

static float simd_sum(float value) {
  // One order in which the hardware could add: all kernels that are compared have it.
  float sums[32];
  std::memcpy(sums, exchange(value), sizeof(sums));
  for (int distance = 16; distance; distance /= 2) {
    for (int i = 0; i < distance; i++) {
      sums[i] += sums[i + distance];
    }
  }
  return sums[0];
}

static float simd_shuffle_down(float value, int distance) {
  const float* const values = exchange(value);
  return current % 32 + distance < 32 ? values[current % 32 + distance] : 0.0f;
}

static void run_thread() {
  for (;;) {
    body(current / 32, current % 32);
    threads[current].done = true;
    threadgroup_barrier(mem_flags::mem_none);
  }
}

// Lets the current thread run until it waits; its first turn begins on a stack of its own.
static void take_turn() {
  Thread& one = threads[current];
  if (_setjmp(host)) {
    return;
  }
  if (!one.stack.empty()) {
    _longjmp(one.place, 1);
  }
  one.stack.resize(1 << 16);
  getcontext(&one.first);
  one.first.uc_stack.ss_sp = one.stack.data();
  one.first.uc_stack.ss_size = one.stack.size();
  makecontext(&one.first, run_thread, 0);
  setcontext(&one.first);
}

// Calls `kernel(SIMD group, thread)` for the threads of a threadgroup of so many SIMD groups.
static void run_threadgroup(int groups, std::function<void(int, int)> kernel) {
  body = kernel;
  threadgroups++;
  for (int i = 0; i < 32 * groups; i++) {
    threads[i].exchanges = threads[i].done = 0;
  }
  for (bool running = true; running;) {
    running = false;
    for (current = 0; current < 32 * groups; current++) {
      if (!threads[current].done) {
        take_turn();
        running = running || !threads[current].done;
      }
    }
  }
}

// Calls `kernel(threadgroup, SIMD group, thread)` for a grid of threadgroups of so many SIMD groups.
template <typename F>
static void run_grid(int across, int down, int groups, F kernel) {
  for (uint z = 0; z < (uint)across; z++) {
    for (uint y = 0; y < (uint)down; y++) {
      run_threadgroup(groups, [&](int group, int lane) { kernel(uint3{z, y, z}, group, lane); });
    }
  }
}

#ifdef COUNTED
// Counts the bytes that threads read from weights; what one reads repeatedly counts once.
#include <set>
#include <tuple>
#include <utility>

static std::set<std::tuple<long, int, const void*>> touched;
static long bytes_read;

template <typename I>
struct Counted {
  I value;
  Counted(int number) : value(number) {}
  operator I() const {
    if (touched.insert({threadgroups, current, this}).second) {
      bytes_read += sizeof(I);
    }
    return value;
  }
};
#define uint8_t Counted<unsigned char>
#define uint16_t Counted<unsigned short>

extern "C" long weights_read() {
  return std::exchange(bytes_read, 0);
}
#endif
