// Conversion of one-bit definition levels to words with the nulls and the number of values in front
// of them.
#pragma once
#include "pages/hybrid.cuh"

// Returns the bits from `from` to `to`, moved to the place of row `from` in its word.
__device__ inline u32 level_bits(const Hybrid& levels, const Run& run, u32 from, u32 to) {
  const u32 count = to - from;
  const u32 ones = count == 32 ? 0xffffffffu : (1u << count) - 1;
  if (run.next & RUN_PACKED) {
    return (load_bits(levels.bytes + run.data, from - run.start, 32) & ones) << (from & 31);
  }
  return run.data == 0 ? 0 : ones << (from & 31);
}

// Adds up the ranks of the words, and returns the number of values.
__device__ inline u32 rank_words(NullWord* words, u32 count) {
  u32 before = 0;
  for (u32 base = 0; base < count; base += 32) {
    const u32 index = base + lane_id();
    const u32 own = index < count ? __popc(words[index].bits) : 0;
    u32 sum = own;
    for (u32 step = 1; step < 32; step *= 2) {
      const u32 other = __shfl_up_sync(FULL_WARP, sum, step);
      if (lane_id() >= step) sum += other;
    }
    if (index < count) words[index].rank = before + sum - own;
    before += __shfl_sync(FULL_WARP, sum, 31);
  }
  return before;
}

// A warp makes the words of `rows` rows, and counts the values. `has_nulls` is false, and
// there are no words, if a single run says that no row is null. Returns zero, or an error code with
// its detail.
__device__ inline u32 build_nulls(
  const Hybrid& levels, u32 rows, NullWord* words, u32& present, bool& has_nulls, u64& detail
) {
  const u32 count = (rows + 31) / 32;
  u32 at = 0;
  u32 start = 0;
  has_nulls = true;
  while (start < rows) {
    Run run;
    const u32 code = hybrid_run(levels, at, start, rows, run);
    if (code != 0) {
      detail = code == PAGE_HYBRID_TOO_FEW ? u64(rows) << 32 | start : at;
      return code;
    }
    if (start == 0) {
      if (run.end == rows && (run.next & RUN_PACKED) == 0 && run.data == 1) {
        has_nulls = false;
        present = rows;
        return 0;
      }
      for (u32 index = lane_id(); index < count; index += 32) words[index] = NullWord{0, 0};
      __syncwarp(FULL_WARP);
    }
    for (u32 index = run.start / 32 + lane_id(); index * 32 < run.end; index += 32) {
      const u32 from = max(run.start, index * 32);
      const u32 to = min(run.end, index * 32 + 32);
      words[index].bits |= level_bits(levels, run, from, to);
    }
    // the next run may begin in the last word of this one
    __syncwarp(FULL_WARP);
    at = run.next & ~RUN_PACKED;
    start = run.end;
  }
  present = rank_words(words, count);
  return 0;
}

// Converts levels that are packed without runs, from the high bit of each byte.
__device__ inline u32 build_packed_nulls(const u8* levels, u32 rows, NullWord* words) {
  const u32 count = (rows + 31) / 32;
  for (u32 index = lane_id(); index < count; index += 32) {
    const u32 bits = u32(swap_bytes(u64(__brev(load_bits(levels, u64(index) * 32, 32))) << 32));
    const u32 own = min(rows - index * 32, 32u);
    words[index] = NullWord{own == 32 ? bits : bits & ((1u << own) - 1), 0};
  }
  __syncwarp(FULL_WARP);
  return rank_words(words, count);
}
