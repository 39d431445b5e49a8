// Hashes of join and group keys: 64 bits, mixed so that any of them can index a table of a power of
// two.
#pragma once
#include "pelton/prelude.cuh"

// The finaliser of splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number
// generators, 2014).
__device__ inline u64 hash_mix(u64 x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ull;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

__device__ inline u64 hash_combine(u64 seed, u64 hash) { return hash_mix(seed + 0x9e3779b97f4a7c15ull + hash); }

__device__ inline u64 hash_of(u64 x) { return hash_mix(x); }
__device__ inline u64 hash_of(i64 x) { return hash_mix((u64)x); }
__device__ inline u64 hash_of(i32 x) { return hash_mix((u64)(i64)x); }
__device__ inline u64 hash_of(u32 x) { return hash_mix((u64)x); }
__device__ inline u64 hash_of(i16 x) { return hash_mix((u64)(i64)x); }
__device__ inline u64 hash_of(u16 x) { return hash_mix((u64)x); }
__device__ inline u64 hash_of(i8 x) { return hash_mix((u64)(i64)x); }
__device__ inline u64 hash_of(u8 x) { return hash_mix((u64)x); }
__device__ inline u64 hash_of(bool x) { return hash_mix((u64)x); }
__device__ inline u64 hash_of(i128 x) { return hash_combine(hash_mix((u64)x), (u64)((u128)x >> 64)); }

// Hashes eight bytes at a time; the length goes in first, so that trailing zeros count.
__device__ __noinline__ inline u64 hash_of(const Str& s) {
  u64 hash = hash_mix(s.length);
  u32 i = 0;
  for (; i + 8 <= s.length; i += 8) hash = hash_combine(hash, load_unaligned<u64>(s.data + i));
  u64 rest = 0;
  for (u32 shift = 0; i < s.length; i++, shift += 8) rest |= (u64)s.data[i] << shift;
  return hash_combine(hash, rest);
}
