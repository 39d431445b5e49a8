// Decoder of columns of a row group that stay in a GPU's memory. The pages become one, without
// runs, levels, deltas and streams: values or dictionary indices of whole bytes, one after the
// other, and a word for every 32 rows where some are null.
#include "pelton/prelude.cuh"

#include "pages/cursor.cuh"

struct FlatParams {
  // The column with its pages.
  const Column* column;
  // For each page the number of values in the pages before it.
  const u32* before;
  u64 rows;
  // Zeroed.
  u8* values;
  // Null if no row is null.
  NullWord* words;
  u32 form;
  // Bytes of a value or an index.
  u32 width;
};

__device__ inline void store(u8* to, u64 bits, u32 width) {
  for (u32 byte = 0; byte < width; ++byte) to[byte] = u8(bits >> (8 * byte));
}

__device__ inline void flatten(const FlatParams& p, Cursor& cursor, u64 row, u64 at) {
  if (p.form == FORM_FLAT_CODES) {
    store(p.values + at * p.width, cursor.code(row), p.width);
  } else if (p.form == FORM_BITS) {
    // the threads of a warp write to the same one or two words
    if (cursor.bool_at(row)) atomicOr(reinterpret_cast<u32*>(p.values) + at / 32, 1u << (at % 32));
  } else if (p.column->physical == TYPE_FIXED) {
    const Str value = cursor.str_at(row);
    for (u32 byte = 0; byte < value.length; ++byte) p.values[at * p.width + byte] = value.data[byte];
  } else {
    store(p.values + at * p.width, cursor.bits_at(row), p.width);
  }
}

// A thread for each row; a warp has 32 rows of one word.
PELTON_KERNEL(pages_flatten, FlatParams, p) {
  Cursor cursor(p.column);
  for (u64 first = u64(blockIdx.x) * blockDim.x; first < p.rows; first += u64(gridDim.x) * blockDim.x) {
    const u64 row = first + threadIdx.x;
    const bool valid = row < p.rows && cursor.valid(row);
    const u32 bits = __ballot_sync(FULL_WARP, valid);
    if (row >= p.rows) continue;
    const u64 at = cursor.place(row, p.before);
    if (p.words != nullptr && lane_id() == 0) p.words[row / 32] = NullWord{bits, u32(at)};
    if (valid) flatten(p, cursor, row, at);
  }
}
