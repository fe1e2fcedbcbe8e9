// What Metal's language has beyond C++, as far as the kernels of this package and of MLX use it, on one thread of the
// host.
//
// Each thread of a threadgroup is a coroutine that runs until it has to wait for its SIMD group, or at a barrier for all,
// so that the next finds what it has written. A kernel that lacks a barrier reads what another has not written yet, or
// has overwritten already.

// Its longjmp does not jump to another stack.
#undef _FORTIFY_SOURCE
// macOS declares ucontext for the first only, and what the C++ library needs beside it for the second.
#define _XOPEN_SOURCE 700
#define _DARWIN_C_SOURCE
#include <setjmp.h>
#include <ucontext.h>

// All that the C++ library is needed for, also below: libc++ itself has friends that are classes called thread.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <set>
#include <tuple>
#include <utility>

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

using std::size_t;
namespace fast {
static inline float exp(float x) {
  return std::exp(x);
}
}

template <typename T>
struct Limits;
template <>
struct Limits<float> {
  static constexpr float finite_min = -3.402823466e38f;
};
template <>
struct Limits<half> {
  static constexpr float finite_min = -65504.0f;
};
template <>
struct Limits<bfloat16_t> {
  static constexpr float finite_min = -3.3895313892515355e38f;
};

// A number in 16 bits that counts how often those between `counted_from` and `counted_to` are read.
static const char *counted_from[2], *counted_to[2];
static int64_t counted;
struct Counted : bfloat16_t {
  Counted() = default;
  Counted(float value) : bfloat16_t(value) {}
  Counted(const Counted& other) : bfloat16_t(other) { other.count(); }
  Counted& operator=(const Counted& other) {
    bits = other.bits;
    other.count();
    return *this;
  }
  operator float() const {
    count();
    return bfloat16_t::operator float();
  }
  void count() const {
    for (int i = 0; i < 2; i++) {
      counted += (const char*)this >= counted_from[i] && (const char*)this < counted_to[i];
    }
  }
};
template <>
struct Limits<Counted> : Limits<bfloat16_t> {};

struct Meeting {
  int size, arrived = 0;
  unsigned rounds = 0;
};

struct Group {
  Meeting meeting{32};
  float given[2][32], sum[2], most[2];
};

struct Thread {
  ucontext_t start;
  jmp_buf at;
  bool started, ended;
  char stack[1 << 16];
};

static Thread* const threads = new Thread[1024];
static Group groups[32];
static Meeting all_meet;
static int count, current, running;
// Those that were run.
static long threadgroups;
static ucontext_t outside;
static void (*run_thread)(void* kernel, uint3 threadgroup_, int thread_);
static void* run_kernel;
static uint3 run_at;

static void resume_next() {
  do {
    current = current + 1 == count ? 0 : current + 1;
  } while (threads[current].ended);
  Thread& next = threads[current];
  if (next.started) {
    _longjmp(next.at, 1);
  }
  next.started = true;
  setcontext(&next.start);
}

static void enter() {
  run_thread(run_kernel, run_at, current);
  threads[current].ended = true;
  if (--running == 0) {
    setcontext(&outside);
  }
  resume_next();
}

static void wait_for(Meeting& meeting) {
  const unsigned round = meeting.rounds;
  if (++meeting.arrived == meeting.size) {
    meeting.arrived = 0;
    meeting.rounds++;
    return;
  }
  while (meeting.rounds == round) {
    if (_setjmp(threads[current].at) == 0) {
      resume_next();
    }
  }
}

static inline void threadgroup_barrier(mem_flags) {
  wait_for(all_meet);
}

// Two rounds are kept apart, because a thread can be one ahead of others.
static Group& exchange(float value, unsigned& round) {
  Group& group = groups[current / 32];
  round = group.meeting.rounds & 1;
  group.given[round][current % 32] = value;
  if (group.meeting.arrived == 31) {
    // One order in which the hardware could add: all kernels that are compared have it.
    float sums[32], most = group.given[round][0];
    std::memcpy(sums, group.given[round], sizeof(sums));
    for (float one : sums) {
      most = std::max(most, one);
    }
    for (int distance = 16; distance; distance /= 2) {
      for (int i = 0; i < distance; i++) {
        sums[i] += sums[i + distance];
      }
    }
    group.sum[round] = sums[0];
    group.most[round] = most;
  }
  wait_for(group.meeting);
  return group;
}

static float simd_sum(float value) {
  unsigned round;
  Group& group = exchange(value, round);
  return group.sum[round];
}

static float simd_shuffle_down(float value, int distance) {
  unsigned round;
  const int from = current % 32 + distance;
  Group& group = exchange(value, round);
  return from < 32 ? group.given[round][from] : 0.0f;
}

static float simd_max(float value) {
  unsigned round;
  Group& group = exchange(value, round);
  return group.most[round];
}

// Calls `kernel(threadgroup, thread)` for every thread of a grid of threadgroups with `size` threads each.
template <typename F>
static void run_threadgroups(uint3 grid, int size, F kernel) {
  count = size;
  run_kernel = &kernel;
  run_thread = [](void* called, uint3 at, int number) { (*(F*)called)(at, number); };
  for (uint number = 0; number < grid.x * grid.y * grid.z; number++) {
    run_at = {number % grid.x, number / grid.x % grid.y, number / grid.x / grid.y};
    std::fill(groups, groups + size / 32, Group());
    all_meet = {size};
    for (Thread* one = threads; one < threads + size; one++) {
      one->started = one->ended = false;
      getcontext(&one->start);
      one->start.uc_stack.ss_sp = one->stack;
      one->start.uc_stack.ss_size = sizeof(one->stack);
      one->start.uc_link = nullptr;
      makecontext(&one->start, enter, 0);
    }
    running = size;
    threadgroups++;
    current = size - 1;
    volatile bool begun = false;
    getcontext(&outside);
    if (!begun) {
      begun = true;
      resume_next();
    }
  }
}

#ifdef COUNTED
// Counts the bytes that threads read from weights; what one reads repeatedly counts once.
static std::set<std::tuple<long, int, const void*>> touched;
static long bytes_read;

template <typename I>
struct Touched {
  I value;
  Touched(int number) : value(number) {}
  operator I() const {
    if (touched.insert({threadgroups, current, this}).second) {
      bytes_read += sizeof(I);
    }
    return value;
  }
};
#define uint8_t Touched<unsigned char>
#define uint16_t Touched<unsigned short>

extern "C" long weights_read() {
  return std::exchange(bytes_read, 0);
}
#endif
