// A batch of pages, and its distribution to warps.
//
// One warp decodes one page. Warps take the next page from a counter: after a short page a warp
// takes another, and none waits for the longest; the host puts the longest first. A grid is as
// large as the GPU holds at a time, a few thousand warps. Their waits for memory and tables hide
// each other.
#pragma once

#include "pelton/prelude.cuh"

// `src/decompress/layout.rs` has the same.
struct Page {
  const u8* source;
  u8* target;
  u32 source_len;
  u32 target_len;
  // Place of its result, in the caller's order.
  u32 index;
  u32 container;
};

struct PageResult {
  u32 code;
  // Bytes of the target that were written, and bytes of the source that were used.
  u32 produced;
  u32 consumed;
  u32 unused;
};

struct BatchParams {
  const Page* pages;
  PageResult* results;
  Status* status;
  // The next page that no warp has taken.
  u32* next;
  u32 count;
  u32 unused;
};

// Result of a page, or of a part of one. All lanes have the same.
struct Outcome {
  u32 code;
  u32 produced;
  u32 consumed;
};

__device__ inline Outcome failed(u32 code) { return Outcome{code, 0, 0}; }

// Returns the index of the next page for this warp, which may be past the last.
__device__ inline u32 next_page(const BatchParams& p) {
  u32 index = 0;
  if (lane_id() == 0) index = atomicAdd(p.next, 1u);
  return __shfl_sync(FULL_WARP, index, 0);
}

// A target that is not filled is an error of the batch, but the result has the number of its bytes,
// for a caller that only knows a bound. Bytes behind the compressed data are an error: a page has
// none.
__device__ inline void report(const BatchParams& p, const Page& page, Outcome outcome) {
  u32 code = outcome.code;
  if (code == CODE_OK && outcome.produced != page.target_len) code = CODE_OUTPUT_TOO_SHORT;
  if (code == CODE_OK && outcome.consumed != page.source_len) code = CODE_TRAILING_BYTES;
  if (lane_id() == 0) {
    p.results[page.index] = PageResult{code, outcome.produced, outcome.consumed, 0};
    if (code != CODE_OK) status_fail(p.status, code, 0, page.index, outcome.produced);
  }
}
