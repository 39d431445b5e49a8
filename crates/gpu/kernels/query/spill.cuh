// Spilled rows: partitioned by the hashes of their keys, so that a later pass restores exactly its
// own (exec/spill).
#pragma once
#include "query/table.cuh"

// Parts of the spilled rows: the maximum number of passes.
static const u32 SPILL_PARTS = 64;

// Place of a hash's part. Parts are in the order of their numbers' bits read backwards. The parts
// of a pass are then neighbours, for any power of two of passes, as `in_part` tells passes by the
// lowest bits.
__device__ inline u32 spill_place(u64 hash) { return __brev((u32)((hash >> 40) % SPILL_PARTS)) >> 26; }

// Rows and bytes of strings of each part, for the current rows of a block.
struct SpillTile {
  u64 rows[SPILL_PARTS];
  u64 bytes[SPILL_PARTS];
};

// Places of a row and of its strings.
struct SpillRow {
  u64 row;
  u64 byte;
};

// Takes the place of a row with `bytes` bytes of strings. All threads of the block call it, those
// without a row with SPILL_PARTS. `counters`: for each part the rows that were taken, then for each
// the bytes. A block asks once for all its rows of a part, as otherwise all rows of the GPU would
// wait for each other at a few counters.
__device__ inline SpillRow spill_take(SpillTile& tile, u32 place, u64 bytes, u64* counters) {
  for (u32 i = threadIdx.x; i < SPILL_PARTS; i += blockDim.x) tile.rows[i] = tile.bytes[i] = 0;
  __syncthreads();
  SpillRow own{0, 0};
  if (place < SPILL_PARTS) {
    own.row = atomicAdd(&tile.rows[place], 1ull);
    if (bytes != 0) own.byte = atomicAdd(&tile.bytes[place], bytes);
  }
  __syncthreads();
  for (u32 i = threadIdx.x; i < SPILL_PARTS; i += blockDim.x) {
    if (tile.rows[i] == 0) continue;
    tile.rows[i] = atomicAdd(&counters[i], tile.rows[i]);
    if (tile.bytes[i] != 0) tile.bytes[i] = atomicAdd(&counters[SPILL_PARTS + i], tile.bytes[i]);
  }
  __syncthreads();
  if (place < SPILL_PARTS) {
    own.row += tile.rows[place];
    own.byte += tile.bytes[place];
  }
  // the tile is cleared for the next rows when all threads have read it
  __syncthreads();
  return own;
}

// Copies a string to the spilled strings. Until it is restored its address is its offset there.
__device__ inline Str spill_string(u8* strings, u64& at, const Str& s) {
  Str copy = s;
  for (u32 i = 0; i < s.length; i++) strings[at + i] = s.data[i];
  copy.data = (const u8*)at;
  at += s.length;
  return copy;
}

struct SpillRebase {
  u64 rows;
  Str* strings;
  // Difference between addresses and offsets.
  u64 distance;
};

// Converts the offsets of restored strings to addresses.
__device__ inline void spill_addresses(const SpillRebase& p) {
  for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < p.rows; i += (u64)gridDim.x * blockDim.x) {
    p.strings[i].data = (const u8*)((u64)p.strings[i].data + p.distance);
  }
}
