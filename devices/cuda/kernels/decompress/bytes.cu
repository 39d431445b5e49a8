// Kernels of byte-oriented formats, and of uncompressed pages.
#include "pelton/prelude.cuh"

#include "decompress/lz4.cuh"
#include "decompress/snappy.cuh"

// Warps of a block: with four, the maximum number of blocks on a multiprocessor is no limit.
constexpr u32 BYTE_WARPS = 4;

PELTON_KERNEL(decompress_lz4, BatchParams, p) {
  __shared__ ByteScratch scratch[BYTE_WARPS];
  for (u32 i = next_page(p); i < p.count; i = next_page(p)) report(p, p.pages[i], lz4_page(p.pages[i], &scratch[warp_id()]));
}

PELTON_KERNEL(decompress_snappy, BatchParams, p) {
  __shared__ ByteScratch scratch[BYTE_WARPS];
  for (u32 i = next_page(p); i < p.count; i = next_page(p)) {
    report(p, p.pages[i], snappy_page(p.pages[i], &scratch[warp_id()]));
  }
}

PELTON_KERNEL(decompress_none, BatchParams, p) {
  for (u32 i = next_page(p); i < p.count; i = next_page(p)) {
    Page page = p.pages[i];
    bool fits = page.source_len <= page.target_len;
    if (fits) copy<false>(page.target, page.source, page.source_len);
    report(p, page, fits ? Outcome{CODE_OK, page.source_len, page.source_len} : failed(CODE_OUTPUT_TOO_LONG));
  }
}
