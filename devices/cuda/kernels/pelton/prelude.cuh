// Prelude of every kernel: short names for types, the kernel macro, unaligned memory, the status of
// a launch. The same source is compiled by NVRTC for the GPU and by g++ for tests
// (docs/gpu-host-build.md).
#pragma once

#if !defined(__CUDACC__)
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#endif

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
// `long long` and not `long`: CUDA's atomics have overloads for it.
typedef unsigned long long u64;
typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long long i64;
typedef float f32;
typedef double f64;
typedef unsigned __int128 u128;
typedef __int128 i128;

#if !defined(__CUDACC__)
// In this order: each needs the ones above.
#include "pelton/sim/context.h"
#include "pelton/sim/block.h"
#include "pelton/sim/report.h"
#include "pelton/sim/barrier.h"
#include "pelton/sim/warp.h"
#include "pelton/sim/lanes.h"
#include "pelton/sim/launch.h"
#include "pelton/sim/cuda.h"
#include "pelton/sim/atomics.h"
#endif

#include "pelton/codes.cuh"

#define FULL_WARP 0xFFFFFFFFu

// Maximum number of threads in a block; registers are allotted for it.
#define PELTON_MAX_THREADS 256
// Maximum number of bytes in parameters, below CUDA's limit for older devices and drivers.
#define PELTON_MAX_PARAMS 4000

// A kernel with one struct of parameters: PELTON_KERNEL(name, Params, p) { ... p.rows ... }
#if defined(__CUDACC__)
#define PELTON_KERNEL(name, Params, p)                                                           \
  static_assert(sizeof(Params) <= PELTON_MAX_PARAMS && __is_trivially_copyable(Params), #Params); \
  extern "C" __global__ void __launch_bounds__(PELTON_MAX_THREADS) name(const Params p)
#else
#define PELTON_KERNEL(name, Params, p)                                                            \
  static_assert(sizeof(Params) <= PELTON_MAX_PARAMS && __is_trivially_copyable(Params), #Params);  \
  static void name##_body(const Params& p);                                                       \
  static void name##_thread(const void* params) { name##_body(*static_cast<const Params*>(params)); } \
  extern "C" __attribute__((visibility("default"))) int name(const void* params, u64 bytes,        \
                                                             const pelton_sim::Launch* launch) {   \
    return pelton_sim::run_with<Params>(params, bytes, launch, #name, name##_thread);              \
  }                                                                                               \
  static void name##_body([[maybe_unused]] const Params& p)
#endif

// A string or bytes in other memory.
struct Str {
  const u8* data;
  u32 length;
  u32 unused;
};

// The first error of a launch; zeroed before. `src/status.rs` has the same layout.
struct Status {
  u32 code;
  u32 column;
  u64 page;
  u64 detail;
};

// Not inlined: every check names it, and few call it.
__device__ __noinline__ inline void status_fail(Status* status, u32 code, u32 column, u64 page, u64 detail) {
  if (atomicCAS(&status->code, 0u, code) == 0u) {
    status->column = column;
    status->page = page;
    status->detail = detail;
  }
}

__device__ inline u32 lane_id() { return threadIdx.x & 31u; }
__device__ inline u32 warp_id() { return threadIdx.x >> 5; }

#if defined(__CUDACC__)
// Between two attempts at a lock. Under the host's compiler it lets another thread run.
__device__ inline void pelton_relax() { __nanosleep(20); }
#endif

// Memory at any address: the only way to read values that may not be aligned. On the GPU it reads
// exactly the aligned words that have a byte of the value in them; single bytes would take four
// times the loads.
#if defined(__CUDACC__)
typedef u32 __attribute__((may_alias)) pelton_word;
#endif

template <class T>
__device__ inline T load_unaligned(const void* address) {
  T value;
#if defined(__CUDACC__)
  u32 skip = static_cast<u32>(reinterpret_cast<u64>(address) & 3);
  const pelton_word* words = reinterpret_cast<const pelton_word*>(reinterpret_cast<u64>(address) - skip);
  u32 parts[(sizeof(T) + 3) / 4];
  u32 low = words[0];
#pragma unroll
  for (u32 i = 0; i < (sizeof(T) + 3) / 4; i++) {
    u32 high = skip + sizeof(T) > 4 * (i + 1) ? words[i + 1] : 0;
    parts[i] = __funnelshift_r(low, high, skip * 8);
    low = high;
  }
  memcpy(&value, parts, sizeof value);
#else
  __builtin_memcpy(&value, address, sizeof value);
#endif
  return value;
}

template <class T>
__device__ inline void store_unaligned(void* address, T value) {
#if defined(__CUDACC__)
  if (reinterpret_cast<u64>(address) % alignof(T) == 0) {
    *static_cast<T*>(address) = value;
    return;
  }
  u8* bytes = static_cast<u8*>(address);
  const u8* from = reinterpret_cast<const u8*>(&value);
#pragma unroll
  for (u32 i = 0; i < sizeof(T); i++) bytes[i] = from[i];
#else
  __builtin_memcpy(address, &value, sizeof value);
#endif
}
