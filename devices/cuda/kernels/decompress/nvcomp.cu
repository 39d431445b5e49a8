// Conversion of nvCOMP's results for a batch to those of our kernels.
#include "pelton/prelude.cuh"

#include "decompress/batch.cuh"

struct NvcompParams {
  const Page* pages;
  // By page: the bytes that nvCOMP wrote, and its status.
  const u64* produced;
  const i32* statuses;
  PageResult* results;
  Status* status;
  u32 count;
  u32 unused;
};

// A thread for each page. nvCOMP does not tell the error of a page, so that is left to the CPU.
PELTON_KERNEL(adopt_nvcomp, NvcompParams, p) {
  u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= p.count) return;
  Page page = p.pages[i];
  u32 code = CODE_UNSUPPORTED;
  u32 produced = 0;
  if (p.statuses[i] == 0 && p.produced[i] <= page.target_len) {
    produced = u32(p.produced[i]);
    code = produced == page.target_len ? CODE_OK : CODE_OUTPUT_TOO_SHORT;
  }
  p.results[page.index] = PageResult{code, produced, page.source_len, 0};
  if (code != CODE_OK) status_fail(p.status, code, 0, page.index, produced);
}
