// The kernel of Zstandard.
#include "pelton/prelude.cuh"

#include "decompress/zstd.cuh"

// Blocks of one warp: nothing is shared between warps, and a block's memory is free as soon as its
// warp is done.
PELTON_KERNEL(decompress_zstd, BatchParams, p) {
  __shared__ ZstdScratch scratch;
  make_bases(&scratch);
  for (u32 i = next_page(p); i < p.count; i = next_page(p)) report(p, p.pages[i], zstd_page(p.pages[i], &scratch));
}
