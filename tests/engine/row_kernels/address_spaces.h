// What Metal's language has beyond C++, as far as the kernels of engine/row_kernels use it, declared for a compiler that
// only looks at types: Clang, whose pointers to two address spaces do not convert into each other, as Metal's do not.
// Memory of a thread is where C++ has its variables.
//
// For ARM, which has both types of 16 bits, with integers of Metal's sizes. Nothing is included.

#define device __attribute__((address_space(1)))
#define constant __attribute__((address_space(2)))
#define threadgroup __attribute__((address_space(3)))
#define thread

typedef unsigned int uint;
typedef __UINT8_TYPE__ uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __INT64_TYPE__ int64_t;

typedef _Float16 half;
typedef half float16_t;
// Another type than half, of the same size; both convert to float and back, as bfloat does.
typedef __fp16 bfloat16_t;

struct uint3 {
  uint x, y, z;
};

template <typename T, typename S>
T as_type(S value) {
  static_assert(sizeof(T) == sizeof(S));
  return __builtin_bit_cast(T, value);
}

enum class mem_flags { mem_none, mem_device, mem_threadgroup };
void threadgroup_barrier(mem_flags flags);

float simd_sum(float value);
float simd_max(float value);
int min(int a, int b);
int max(int a, int b);
float min(float a, float b);
float max(float a, float b);
namespace fast {
float exp(float x);
}

// Of MLX: mlx/backend/metal/kernels/utils.h.
template <typename T>
struct Limits;
template <>
struct Limits<float> {
  static constexpr float finite_min = -3.402823466e38f;
};
