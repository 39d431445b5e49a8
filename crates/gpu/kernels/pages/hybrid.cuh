// Parquet's hybrid of runs and bit-packed values (parquet-format, Encodings.md, "RLE"), without the
// byte that tells the width. It accepts the same hybrids as crates/bitpack.
#pragma once
#include "pages/codes.cuh"
#include "pages/layout.cuh"
#include "pages/load.cuh"

struct Hybrid {
  const u8* bytes;
  u32 length;
  // Bits of a value, 0 to 32.
  u32 width;
};

// Reads the run with its header at byte `at` and value number `start` of `total` as its first, up
// to the last value. Returns zero, or an error code.
__device__ inline u32 hybrid_run(const Hybrid& hybrid, u32 at, u32 start, u32 total, Run& run) {
  u32 header = 0;
  u32 position = at;
  if (at >= hybrid.length) return PAGE_HYBRID_TOO_FEW;
  for (u32 index = 0;; ++index) {
    if (position >= hybrid.length) return PAGE_HYBRID_TRUNCATED;
    const u32 byte = hybrid.bytes[position++];
    // the fifth byte has only four bits
    if (index == 4 && byte > 0x0f) return PAGE_HYBRID_HEADER;
    header |= (byte & 0x7f) << (7 * index);
    if (byte < 0x80) break;
  }
  const u32 count = header >> 1;
  if (count == 0) return PAGE_HYBRID_EMPTY_RUN;
  const u32 missing = total - start;
  const u32 rest = hybrid.length - position;
  run.start = start;
  if ((header & 1) == 0) {
    const u32 size = (hybrid.width + 7) / 8;
    if (size > rest) return PAGE_HYBRID_TRUNCATED;
    u32 value = 0;
    for (u32 index = 0; index < size; ++index) value |= u32(hybrid.bytes[position + index]) << (8 * index);
    if (u64(value) >> hybrid.width != 0) return PAGE_HYBRID_VALUE;
    run.end = start + min(count, missing);
    run.data = value;
    run.next = position + size;
    return 0;
  }
  const u32 values = u32(min(u64(count) * 8, u64(missing)));
  run.end = start + values;
  if (hybrid.width == 0) {
    run.data = 0;
    run.next = position;
    return 0;
  }
  // the last packed values of a page may end with the last value, though groups have eight
  const u32 size = u32(min(u64(count) * hybrid.width, u64(rest)));
  if ((u64(values) * hybrid.width + 7) / 8 > size) return PAGE_HYBRID_TRUNCATED;
  run.data = position;
  run.next = (position + size) | RUN_PACKED;
  return 0;
}

// Returns value `index`, in the run.
__device__ inline u32 run_value(const Hybrid& hybrid, const Run& run, u32 index) {
  if ((run.next & RUN_PACKED) == 0) return run.data;
  return load_bits(hybrid.bytes + run.data, u64(index - run.start) * hybrid.width, hybrid.width);
}

// Returns the run of value `index`.
__device__ __noinline__ inline Run run_of(const Hybrid hybrid, const Run* runs, u32 total, u32 index) {
  Run run = runs[index / RUN_BLOCK];
  while (index >= run.end) {
    // the directory's kernel has checked all of them
    if (hybrid_run(hybrid, run.next & ~RUN_PACKED, run.end, total, run) != 0) return Run{0, 0, 0, 0};
  }
  return run;
}

// Returns value `index` of a hybrid of `total` values with a directory. `run` is passed from one
// call to the next; at first it is a run without values.
__device__ inline u32 hybrid_value(const Hybrid& hybrid, const Run* runs, u32 total, u32 index, Run& run) {
  if (index < run.start || index >= run.end) run = run_of(hybrid, runs, total, index);
  return index < run.end ? run_value(hybrid, run, index) : 0;
}

// A warp builds the directory of a hybrid of `total` values: `runs` has space for one in
// RUN_BLOCK of them, rounded up. Returns zero, or an error code with its detail.
__device__ inline u32 build_runs(const Hybrid& hybrid, u32 total, Run* runs, u64& detail) {
  u32 at = 0;
  u32 start = 0;
  u32 block = 0;
  while (start < total) {
    Run run;
    const u32 code = hybrid_run(hybrid, at, start, total, run);
    if (code != 0) {
      detail = code == PAGE_HYBRID_TOO_FEW ? u64(total) << 32 | start : at;
      return code;
    }
    const u32 blocks = (run.end + RUN_BLOCK - 1) / RUN_BLOCK;
    for (u32 index = block + lane_id(); index < blocks; index += 32) runs[index] = run;
    block = blocks;
    at = run.next & ~RUN_PACKED;
    start = run.end;
  }
  return 0;
}
