// Literals and matches to bytes: the half of LZ77 that all formats share.
//
// A decoder collects up to 32 sequences, each some literals and then a match, and has them executed
// at once. Not sequence by sequence: those are short (around ten bytes of literals and ten of match
// in text), most lanes would be idle, and each match would wait for the one before to arrive in
// memory. Instead every lane makes one byte of 32 that follow each other, whichever sequences they
// are of:
//
// - which sequence: the beginnings in the 32 bytes are a mask (one reduction), and a count of its
//   bits the index;
// - a literal, or a byte from before the 32, is loaded;
// - a byte of a match that lies within the 32 points to the lane that makes it, which may point on.
//   Following all pointers at once, twice as far each time, takes five rounds at most, and mostly
//   none is needed.
//
// So a step is about 45 instructions and one trip to memory for 32 bytes, overlapping matches
// included.
#pragma once

#include "decompress/copy.cuh"

constexpr u32 BATCH_SEQUENCES = 32;
// Longer sequences are executed alone, with the copies of copy.cuh: from about here they need fewer
// steps.
constexpr u32 LONG_SEQUENCE = 64;

struct alignas(16) Sequence {
  // Where its bytes start, from the beginning of the batch.
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
    // All have read before any writes, and all have written before any reads on.
    __syncwarp(FULL_WARP);
    if (position < total) out[position] = u8(value);
    __syncwarp(FULL_WARP);
  }
}
