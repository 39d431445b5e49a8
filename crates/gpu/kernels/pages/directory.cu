// The passes over pages that run before a query's kernels: few launches, each for all columns of a
// scan range.
#include "pelton/prelude.cuh"

#include "pages/directory.cuh"

constexpr u32 WARPS = 4;

struct DirectoryParams {
  Page* pages;
  Status* status;
  u32 count;
  u32 unused;
};

// A warp for each page finds its parts.
PELTON_KERNEL(pages_directory, DirectoryParams, p) {
  __shared__ u32 stages[WARPS][STAGE_WORDS + 1];
  const u32 index = blockIdx.x * WARPS + warp_id();
  if (index < p.count) build_directory(p.pages + index, stages[warp_id()], p.status);
}

struct StringsParams {
  Page* pages;
  const u32* which;
  u32 count;
  u32 unused;
};

// A warp for each page of DELTA_BYTE_ARRAY writes its values, in memory that is allocated by now.
PELTON_KERNEL(pages_strings, StringsParams, p) {
  const u32 index = blockIdx.x * WARPS + warp_id();
  if (index >= p.count) return;
  Page* page = p.pages + p.which[index];
  if (page->form == FORM_NONE) return;
  write_front_coded(page->values, page->present, page->prefixes, page->offsets, page->decoded);
  __syncwarp(FULL_WARP);
  if (lane_id() != 0) return;
  page->values = page->decoded;
  page->values_length = u32(page->decoded_length);
}
