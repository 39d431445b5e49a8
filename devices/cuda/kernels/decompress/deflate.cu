// The kernel of DEFLATE and its containers.
#include "pelton/prelude.cuh"

#include "decompress/containers.cuh"

// Blocks of one warp: nothing is shared between warps, and a block's memory is free as soon as its
// warp is done.
PELTON_KERNEL(decompress_deflate, BatchParams, p) {
  __shared__ DeflateScratch scratch;
  make_crc_table(&scratch.crc);
  for (u32 i = next_page(p); i < p.count; i = next_page(p)) report(p, p.pages[i], deflate_page(p.pages[i], &scratch));
}
