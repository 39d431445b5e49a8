// XXH64 with seed 0, by a warp: each of four lanes has one of its four sums.
#pragma once

#include "decompress/copy.cuh"

constexpr u64 XXH_PRIME_1 = 0x9E3779B185EBCA87ull;
constexpr u64 XXH_PRIME_2 = 0xC2B2AE3D27D4EB4Full;
constexpr u64 XXH_PRIME_3 = 0x165667B19E3779F9ull;
constexpr u64 XXH_PRIME_4 = 0x85EBCA77C2B2AE63ull;
constexpr u64 XXH_PRIME_5 = 0x27D4EB2F165667C5ull;

__device__ inline u64 rotate(u64 value, u32 by) { return value << by | value >> (64 - by); }
__device__ inline u64 xxh_round(u64 sum, u64 input) { return rotate(sum + input * XXH_PRIME_2, 31) * XXH_PRIME_1; }

__device__ ONCE u64 xxh64(const u8* data, u32 len) {
  u32 lane = lane_id(), at = 0;
  u64 sum = lane == 0 ? XXH_PRIME_1 + XXH_PRIME_2 : lane == 1 ? XXH_PRIME_2 : lane == 2 ? 0 : 0 - XXH_PRIME_1;
  for (; len - at >= 32; at += 32) {
    if (lane < 4) sum = xxh_round(sum, load_unaligned<u64>(data + at + 8 * lane));
  }
  u64 hash = XXH_PRIME_5;
  if (len >= 32) {
    u64 sums[4];
    for (u32 i = 0; i < 4; i++) sums[i] = __shfl_sync(FULL_WARP, sum, i);
    hash = rotate(sums[0], 1) + rotate(sums[1], 7) + rotate(sums[2], 12) + rotate(sums[3], 18);
    for (u32 i = 0; i < 4; i++) hash = (hash ^ xxh_round(0, sums[i])) * XXH_PRIME_1 + XXH_PRIME_4;
  }
  hash += len;
  for (; len - at >= 8; at += 8) {
    hash = rotate(hash ^ xxh_round(0, load_unaligned<u64>(data + at)), 27) * XXH_PRIME_1 + XXH_PRIME_4;
  }
  if (len - at >= 4) {
    hash = rotate(hash ^ load_unaligned<u32>(data + at) * XXH_PRIME_1, 23) * XXH_PRIME_2 + XXH_PRIME_3;
    at += 4;
  }
  for (; at < len; at++) hash = rotate(hash ^ data[at] * XXH_PRIME_5, 11) * XXH_PRIME_1;
  hash = (hash ^ hash >> 33) * XXH_PRIME_2;
  hash = (hash ^ hash >> 29) * XXH_PRIME_3;
  return hash ^ hash >> 32;
}
