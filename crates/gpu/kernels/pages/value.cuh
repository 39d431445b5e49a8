// One value of a page, by its number among the page's values that are not null.
#pragma once
#include "pages/hybrid.cuh"

// Returns the bytes of a value of BYTE_STREAM_SPLIT, one in each of the page's streams.
__device__ __noinline__ inline u64 split_bits(const Page& page, u32 width, u32 index) {
  u64 value = 0;
  for (u32 byte = 0; byte < width; ++byte) {
    value |= u64(page.values[u64(byte) * page.stride + index]) << (8 * byte);
  }
  return value;
}

// Returns the lowest `width` stored bytes of value `index`, up to 8.
__device__ inline u64 stored_bits(const Page& page, u32 width, u32 index) {
  if (page.form == FORM_SPLIT) return split_bits(page, width, index);
  if (page.form != FORM_FIXED) return 0;
  const u8* at = page.values + u64(index) * width;
  return width == 8 ? load_u64(at) : load_u32(at);
}

// Returns value `index` of byte arrays, of any length or of one.
__device__ inline Str stored_bytes(const Page& page, u32 width, u32 index) {
  if (page.form == FORM_FIXED) return Str{page.values + u64(index) * width, width, 0};
  if (page.form != FORM_STRINGS) return Str{nullptr, 0, 0};
  const u32 start = page.offsets[index];
  return Str{page.values + start, page.offsets[index + 1] - page.gap - start, 0};
}

// Dictionary index `index` of a decoded column.
__device__ inline u32 flat_code(const Page& page, u32 index) {
  switch (page.code_width) {
    case 8: return page.values[index];
    case 16: return reinterpret_cast<const u16*>(page.values)[index];
    default: return reinterpret_cast<const u32*>(page.values)[index];
  }
}

// Returns an integer of fewer bits than its stored bits, with or without a sign.
__device__ inline i64 as_integer(const Column& column, u64 bits) {
  const u32 unused = 64 - column.integer_bits;
  bits <<= unused;
  return column.is_signed ? i64(bits) >> unused : i64(bits >> unused);
}

// Returns a decimal in bytes.
__device__ __noinline__ inline i128 decimal_of_bytes(const Column& column, const Page& page, u32 index) {
  const Str bytes = stored_bytes(page, column.value_width, index);
  if (bytes.length == 0 || bytes.length > 16) {
    if (page.form != FORM_NONE) {
      status_fail(column.status, PAGE_DECIMAL_LENGTH, column.number, page.number, bytes.length);
    }
    return 0;
  }
  return load_decimal(bytes.data, bytes.length);
}

// Returns a stored decimal, of any physical type.
__device__ inline i128 stored_decimal(const Column& column, const Page& page, u32 index) {
  if (column.physical == TYPE_INT32 || column.physical == TYPE_INT64) {
    return as_integer(column, stored_bits(page, column.value_width, index));
  }
  return decimal_of_bytes(column, page, index);
}
