// Hash aggregation: groups are numbered as they appear; an open table of slots finds a group by its
// keys.
//
// A slot is zero (empty), LOCKED (its group is being written) or the group plus one. When groups
// run out, `counters` says so, and the host runs the pipeline again with more capacity.
#pragma once
#include "query/numbers.cuh"
#include "query/table.cuh"

struct Groups {
  u64 capacity;       // groups
  u64* counters;      // groups, bytes of strings, and not zero if there were too few groups
  u8* heap;
  u64 heap_capacity;
  u32* slots;
  u64 slot_mask;
  u64* hashes;        // for each group
  u32* locks;         // for each group: its version (see take_best)
  u64 parts;          // passes in which groups that do not fit are made,
  u64 part;           // and the number of this pass
};

static const u32 SLOT_LOCKED = 0xffffffffu;
static const u64 NO_GROUP = ~0ull;

__device__ inline u32 slot_load(const u32* slot) { return *(const volatile u32*)slot; }

// Returns the group with these keys. `equal(group)` compares them, `init(group)` writes the keys of
// a new one.
template <class Equal, class Init>
__device__ inline u64 group_find(const Groups& g, u64 hash, Equal equal, Init init) {
  if (!in_part(hash, g.parts, g.part)) return NO_GROUP;
  u64 i = hash & g.slot_mask;
  for (u64 probes = 0; probes <= g.slot_mask; probes++) {
    u32 slot = slot_load(&g.slots[i]);
    if (slot == 0) {
      slot = atomicCAS(&g.slots[i], 0u, SLOT_LOCKED);
      if (slot == 0) {
        u64 group = atomicAdd(&g.counters[0], 1ull);
        if (group >= g.capacity) {
          atomicExch(&g.slots[i], 0u);
          atomicExch(&g.counters[2], 1ull);
          return NO_GROUP;
        }
        g.hashes[group] = hash;
        init(group);
        __threadfence();
        atomicExch(&g.slots[i], (u32)(group + 1));
        return group;
      }
    }
    while (slot == SLOT_LOCKED) {
      pelton_relax();
      slot = slot_load(&g.slots[i]);
    }
    if (slot == 0) {
      // its writer found no capacity, and neither would this thread
      return NO_GROUP;
    }
    __threadfence();
    u64 group = slot - 1;
    if (g.hashes[group] == hash && equal(group)) return group;
    i = (i + 1) & g.slot_mask;
  }
  atomicExch(&g.counters[2], 1ull);
  return NO_GROUP;
}

__device__ inline Str group_string(const Groups& g, const Str& s) {
  return heap_copy(&g.counters[1], g.heap, g.heap_capacity, s);
}

// Groups with sums that a block keeps in shared memory until its end: with few groups, all threads
// of the GPU would wait for one another at the same few words. The sums are a small part of a
// multiprocessor's shared memory, so that it still runs all blocks.
static const u32 GROUP_CACHE = 64;
// Rows without a place after which a block stops looking for places, as it has many groups.
static const u32 GROUP_CACHE_MISSES = 4096;

struct GroupCache {
  u32 groups[GROUP_CACHE];  // the group + 1
  u32 misses;
};

// All threads of the block call it, before the first use.
__device__ inline void cache_begin(GroupCache& cache) {
  for (u32 i = threadIdx.x; i < GROUP_CACHE; i += blockDim.x) cache.groups[i] = 0;
  if (threadIdx.x == 0) cache.misses = 0;
}

// Returns the place of a group; GROUP_CACHE without one.
__device__ inline u32 cache_place(GroupCache& cache, u64 group) {
  u32 place = group % GROUP_CACHE, wanted = (u32)(group + 1);
  u32 held = slot_load(&cache.groups[place]);
  if (held == wanted) return place;
  if (slot_load(&cache.misses) >= GROUP_CACHE_MISSES) return GROUP_CACHE;
  if (held == 0) {
    held = atomicCAS(&cache.groups[place], 0u, wanted);
    if (held == 0 || held == wanted) return place;
  }
  atomicAdd(&cache.misses, 1u);
  return GROUP_CACHE;
}

// 128 bits in two parts: the addition that makes the low part overflow carries one to the high
// part, so that the parts add up in any order.
__device__ inline void add_128(i128* to, i128 x) {
  u64* parts = (u64*)to;
  u64 low = (u64)x, high = (u64)((u128)x >> 64);
  u64 before = atomicAdd(&parts[0], low);
  high += before + low < before;
  if (high != 0) atomicAdd(&parts[1], high);
}

__device__ inline void add_to(i128* to, i128 x) { add_128(to, x); }
__device__ inline void add_to(i64* to, i64 x) { atomicAdd((u64*)to, (u64)x); }
__device__ inline void add_to(u64* to, u64 x) { atomicAdd(to, x); }
__device__ inline void add_to(f64* to, f64 x) { atomicAdd(to, x); }

// Compares two values, in an order for each type: integers of all widths, floats and strings.
template <class T> __device__ inline int order_of(const T& a, const T& b) { return a < b ? -1 : a > b; }
__device__ inline int order_of(const f32& a, const f32& b) { return float_compare(a, b); }
__device__ inline int order_of(const f64& a, const f64& b) { return float_compare(a, b); }
__device__ inline int order_of(const Str& a, const Str& b) { return str_compare(a, b); }

// Returns a copy of a state that another thread may be writing. It is valid only if the group's
// version is the same before and after.
template <class T> __device__ inline T state_load(const T* from) { return *(const volatile T*)from; }
__device__ inline Str state_load(const Str* from) {
  const volatile Str* words = from;
  return Str{words->data, words->length, 0};
}

// Updates the least (SIGN = 1) or greatest (SIGN = -1) value of a group; `seen` tells whether it
// has one.
//
// The group's lock is a version: odd while a thread writes, and two higher after it (a sequence
// lock). Reads alone find that a value is no better, so threads wait for each other only where the
// state changes, about log n times for n rows in random order. If each row took the lock, the time
// would grow with the square of the contending threads.
template <int SIGN, class T, class Keep>
__device__ inline void take_best(u32* lock, T* best, u8* seen, const T& x, Keep keep) {
  for (;;) {
    const u32 version = slot_load(lock);
    if (version % 2 == 0) {
      __threadfence();
      const bool has_one = *(const volatile u8*)seen;
      const T held = state_load(best);
      __threadfence();
      if (slot_load(lock) == version) {
        if (has_one && SIGN * order_of(x, held) >= 0) return;
        if (atomicCAS(lock, version, version + 1) == version) {
          __threadfence();
          *best = keep(x);
          *(volatile u8*)seen = 1;
          __threadfence();
          atomicExch(lock, version + 2);
          return;
        }
      }
    }
    pelton_relax();
  }
}

// Sums over the threads of a warp; all must call it.
__device__ inline u64 warp_sum(u64 x) {
  for (u32 d = 16; d; d >>= 1) x += __shfl_xor_sync(FULL_WARP, x, d);
  return x;
}
__device__ inline i64 warp_sum(i64 x) { return (i64)warp_sum((u64)x); }
__device__ inline f64 warp_sum(f64 x) {
  for (u32 d = 16; d; d >>= 1) x += __shfl_xor_sync(FULL_WARP, x, d);
  return x;
}
__device__ inline i128 warp_sum(i128 x) {
  for (u32 d = 16; d; d >>= 1) {
    u64 low = __shfl_xor_sync(FULL_WARP, (u64)x, d), high = __shfl_xor_sync(FULL_WARP, (u64)((u128)x >> 64), d);
    x = (i128)((u128)x + (((u128)high << 64) | low));
  }
  return x;
}
