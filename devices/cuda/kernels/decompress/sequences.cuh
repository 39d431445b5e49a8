// Literals and matches to bytes: the half of LZ77 that all formats share.
//
// A decoder collects up to a warp's number of sequences, each some literals and then a match, and
// has them executed at once. One by one, most lanes would be idle, as sequences of text are short,
// and each match would wait for the one before to arrive in memory. Instead each lane makes one of
// 32 consecutive bytes, which may belong to several sequences:
//
// - The beginnings of sequences among these bytes are a mask (one reduction). The count of its bits
//   up to a lane is the index of the lane's sequence.
// - A literal is loaded, and so is a byte of a match from before these bytes.
// - A byte of a match with its source among these bytes points to the lane that makes it, which may
//   point on. All pointers are followed at once, twice as far each time: five rounds at most, and
//   mostly none.
//
// So a step takes one trip to memory for 32 bytes, overlapping matches included.
#pragma once

#include "decompress/copy.cuh"

constexpr u32 BATCH_SEQUENCES = 32;
// Longer sequences are executed alone, with the copies of copy.cuh: from about here they need fewer
// steps.
constexpr u32 LONG_SEQUENCE = 64;

struct alignas(16) Sequence {
  // Place of its output, from the beginning of the batch.
  u32 start;
  u32 literals;
  // Place of its literals, as the format defines it.
  u32 from;
  u32 distance;
};

// Executes `count` sequences (at least one, each of at least one byte) of `total` bytes together;
// `literal(from + k)` returns their literals. The caller has checked that `total` bytes fit at
// `out` and that no match reaches before the output. All lanes call it alike. Literals may lie in
// the target behind the bytes that the batch writes up to them.
template <class Literal>
__device__ inline void execute(const Sequence* sequences, u32 count, u32 total, u8* out, Literal literal) {
  u32 lane = lane_id();
  // The sequences were written by other lanes.
  __syncwarp(FULL_WARP);
  u32 my_start = lane < count ? sequences[lane].start : ~0u;
  u32 before = 0;
  for (u32 window = 0; window < total; window += 32) {
    u32 starts = __reduce_add_sync(FULL_WARP, my_start - window < 32 ? 1u << (my_start - window) : 0u);
    u32 position = window + lane;
    u32 value = 0, made_by = lane;
    if (position < total) {
      const Sequence& sequence = sequences[before + __popc(starts & ((2u << lane) - 1)) - 1];
      u32 k = position - sequence.start;
      if (k < sequence.literals) {
        value = literal(sequence.from + k);
      } else if (sequence.distance > lane) {
        value = out[i64(position) - i64(sequence.distance)];
      } else {
        made_by = lane - sequence.distance;
      }
    }
    if (__any_sync(FULL_WARP, made_by != lane)) {
      for (;;) {
        u32 further = __shfl_sync(FULL_WARP, made_by, made_by);
        if (!__any_sync(FULL_WARP, further != made_by)) break;
        made_by = further;
      }
      value = __shfl_sync(FULL_WARP, value, made_by);
    }
    before += __popc(starts);
    // All lanes have read before any writes, and all have written before any reads on.
    __syncwarp(FULL_WARP);
    if (position < total) out[position] = u8(value);
    __syncwarp(FULL_WARP);
  }
}
