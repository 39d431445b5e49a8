// Search for the starts of elements, in byte-oriented formats.
//
// The start of an element of LZ4 or Snappy is known once the one before is read: a chain of
// dependent loads. So each of 32 lanes reads the element that would start at its own byte, all at
// once. Then the chain is followed through their results in shared memory, which takes one load for
// an element instead of four.
#pragma once

#include "decompress/batch.cuh"
#include "decompress/sequences.cuh"

struct ByteScratch {
  // For the element that starts at a lane's byte: its length, and from bit 8 the length of its
  // output. Zero: not for this path.
  u32 candidates[32];
  Sequence sequences[BATCH_SEQUENCES];
};

constexpr u32 NO_CANDIDATE = 0;

__device__ inline u32 candidate(u32 packed, u32 plain) { return packed | plain << 8; }

// The real elements among 32 candidates.
struct Chain {
  u32 count;
  // Bytes of their input and output.
  u32 packed;
  u32 plain;
  // This lane's element: whether it is real, its number and the place of its output.
  bool mine;
  u32 index;
  u32 start;
};

__device__ inline Chain follow(const u32* candidates) {
  Chain chain = {0, 0, 0, false, 0, 0};
  u32 lane = lane_id();
  while (chain.packed < 32) {
    u32 found = candidates[chain.packed];
    if (found == NO_CANDIDATE) break;
    if (chain.packed == lane) chain.mine = true, chain.index = chain.count, chain.start = chain.plain;
    chain.count += 1;
    chain.packed += found & 255;
    chain.plain += found >> 8;
  }
  return chain;
}
