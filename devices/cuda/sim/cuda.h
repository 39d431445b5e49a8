// CUDA's words and functions, as far as the kernels use them, for the host's compiler. A kernel
// that needs another function adds it here, with a test.
#pragma once

#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __launch_bounds__(...)
#if defined(__SANITIZE_ADDRESS__)
// AddressSanitizer guards the ends of static variables, not of thread-local ones. The runtime
// allows one launch at a time in a module with it.
#define __shared__ static
#else
#define __shared__ static thread_local
#endif

namespace pelton_sim {
struct Dim {
  unsigned int x, y, z;
};
}  // namespace pelton_sim
#define threadIdx (pelton_sim::Dim{pelton_sim::thread_index(), 0u, 0u})
#define blockIdx (pelton_sim::Dim{pelton_sim::running_block->index, 0u, 0u})
#define blockDim (pelton_sim::Dim{pelton_sim::running_block->launch->threads, 1u, 1u})
#define gridDim (pelton_sim::Dim{pelton_sim::running_block->launch->blocks, 1u, 1u})
constexpr int warpSize = 32;

inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

// --- bits
inline int __popc(unsigned int x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned int>(x)); }
inline int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x)); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline unsigned int __brev(unsigned int x) {
  x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
  x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
  x = (x >> 4 & 0x0F0F0F0Fu) | (x & 0x0F0F0F0Fu) << 4;
  return __builtin_bswap32(x);
}
inline unsigned long long __brevll(unsigned long long x) {
  return static_cast<unsigned long long>(__brev(static_cast<unsigned int>(x))) << 32 |
         __brev(static_cast<unsigned int>(x >> 32));
}
inline unsigned int __byte_perm(unsigned int low, unsigned int high, unsigned int selector) {
  unsigned long long bytes = static_cast<unsigned long long>(high) << 32 | low;
  unsigned int result = 0;
  for (int i = 0; i < 4; i++) {
    unsigned int choice = selector >> 4 * i;
    unsigned int byte = bytes >> 8 * (choice & 7) & 0xFF;
    // The fourth bit asks for the byte's sign in place of the byte.
    if (choice & 8) byte = byte & 0x80 ? 0xFF : 0;
    result |= byte << 8 * i;
  }
  return result;
}
inline unsigned int __funnelshift_r(unsigned int low, unsigned int high, unsigned int by) {
  return static_cast<unsigned int>((static_cast<unsigned long long>(high) << 32 | low) >> (by & 31));
}
inline unsigned int __funnelshift_l(unsigned int low, unsigned int high, unsigned int by) {
  return static_cast<unsigned int>((static_cast<unsigned long long>(high) << 32 | low) << (by & 31) >> 32);
}
inline unsigned int __umulhi(unsigned int a, unsigned int b) {
  return static_cast<unsigned int>(static_cast<unsigned long long>(a) * b >> 32);
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}
inline long long __mul64hi(long long a, long long b) {
  return static_cast<long long>(static_cast<__int128>(a) * b >> 64);
}
template <class T>
inline T __ldg(const T* address) {
  return *address;
}

// --- the same bits as another type
#define PELTON_SIM_BITS(name, To, From)          \
  inline To name(From value) {                   \
    To result;                                   \
    __builtin_memcpy(&result, &value, sizeof result); \
    return result;                               \
  }
PELTON_SIM_BITS(__float_as_uint, unsigned int, float)
PELTON_SIM_BITS(__float_as_int, int, float)
PELTON_SIM_BITS(__uint_as_float, float, unsigned int)
PELTON_SIM_BITS(__int_as_float, float, int)
PELTON_SIM_BITS(__double_as_longlong, long long, double)
PELTON_SIM_BITS(__longlong_as_double, double, long long)
#undef PELTON_SIM_BITS

// --- numbers. CUDA has these overloads and no template: for mixed types the unsigned or the wider
// one wins.
#define PELTON_SIM_MIN_MAX(Result, A, B)                                                                     \
  inline Result min(A a, B b) {                                                                              \
    return static_cast<Result>(a) < static_cast<Result>(b) ? static_cast<Result>(a) : static_cast<Result>(b); \
  }                                                                                                          \
  inline Result max(A a, B b) {                                                                              \
    return static_cast<Result>(a) > static_cast<Result>(b) ? static_cast<Result>(a) : static_cast<Result>(b); \
  }
PELTON_SIM_MIN_MAX(int, int, int)
PELTON_SIM_MIN_MAX(unsigned int, unsigned int, unsigned int)
PELTON_SIM_MIN_MAX(unsigned int, int, unsigned int)
PELTON_SIM_MIN_MAX(unsigned int, unsigned int, int)
PELTON_SIM_MIN_MAX(long, long, long)
PELTON_SIM_MIN_MAX(unsigned long, unsigned long, unsigned long)
PELTON_SIM_MIN_MAX(long long, long long, long long)
PELTON_SIM_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
PELTON_SIM_MIN_MAX(unsigned long long, long long, unsigned long long)
PELTON_SIM_MIN_MAX(unsigned long long, unsigned long long, long long)
#undef PELTON_SIM_MIN_MAX
inline float min(float a, float b) { return __builtin_fminf(a, b); }
inline float max(float a, float b) { return __builtin_fmaxf(a, b); }
inline double min(double a, double b) { return __builtin_fmin(a, b); }
inline double max(double a, double b) { return __builtin_fmax(a, b); }

#define PELTON_SIM_MATH(name)                                  \
  inline double name(double x) { return __builtin_##name(x); } \
  inline float name(float x) { return __builtin_##name##f(x); }
PELTON_SIM_MATH(floor)
PELTON_SIM_MATH(ceil)
PELTON_SIM_MATH(trunc)
PELTON_SIM_MATH(round)
PELTON_SIM_MATH(rint)
PELTON_SIM_MATH(fabs)
PELTON_SIM_MATH(sqrt)
PELTON_SIM_MATH(exp)
PELTON_SIM_MATH(log)
PELTON_SIM_MATH(log2)
PELTON_SIM_MATH(log10)
#undef PELTON_SIM_MATH
inline double pow(double x, double y) { return __builtin_pow(x, y); }
inline double fmod(double x, double y) { return __builtin_fmod(x, y); }
inline float fmodf(float x, float y) { return __builtin_fmodf(x, y); }
inline bool isnan(double x) { return __builtin_isnan(x); }
inline bool isnan(float x) { return __builtin_isnan(x); }
inline bool isinf(double x) { return __builtin_isinf(x) != 0; }
inline bool isinf(float x) { return __builtin_isinf(x) != 0; }
inline bool isfinite(double x) { return __builtin_isfinite(x); }
inline bool isfinite(float x) { return __builtin_isfinite(x); }
