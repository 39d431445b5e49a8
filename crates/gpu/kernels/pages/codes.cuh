// Error codes for pages, in `Status::code`. Rust has the same table (src/window/error.rs), and a
// test compares them.
#pragma once
#include "pelton/prelude.cuh"

enum PageCode : u32 {
  // The length of the levels goes beyond the page.
  PAGE_LEVELS_LENGTH = 40,
  // A hybrid has too few values. The low half of `detail` is their number, the high half the number
  // needed.
  PAGE_HYBRID_TOO_FEW = 41,
  // A hybrid ends within the run at byte `detail`.
  PAGE_HYBRID_TRUNCATED = 42,
  // The header of the run at byte `detail` has more than 32 bits.
  PAGE_HYBRID_HEADER = 43,
  // The run at byte `detail` has no values.
  PAGE_HYBRID_EMPTY_RUN = 44,
  // The value of the run at byte `detail` has too many bits.
  PAGE_HYBRID_VALUE = 45,
  // `detail` values are not null, and the page's header has another number.
  PAGE_NULL_COUNT = 46,
  // Dictionary indices have `detail` bits, more than 32.
  PAGE_CODE_WIDTH = 47,
  // `detail` is no index into the dictionary.
  PAGE_CODE_RANGE = 48,
  // The values end too early: `detail` of them were needed.
  PAGE_VALUES_SHORT = 49,
  // The length of value `detail` is negative, or goes beyond the page.
  PAGE_STRING_LENGTH = 50,
  // There is no header of DELTA_BINARY_PACKED at byte `detail`.
  PAGE_DELTA_HEADER = 51,
  // DELTA_BINARY_PACKED ends before value `detail`.
  PAGE_DELTA_SHORT = 52,
  // A miniblock's deltas have `detail` bits, more than the values.
  PAGE_DELTA_WIDTH = 53,
  // In DELTA_BYTE_ARRAY, value `detail` shares more bytes with the one before than that one has.
  PAGE_PREFIX_LENGTH = 54,
  // Value `detail` has another length than its column's values.
  PAGE_FIXED_LENGTH = 55,
  // The page's values have `detail` bytes, more than 4 GiB.
  PAGE_TOO_LARGE = 56,
  // A decimal has `detail` bytes, none or more than 16.
  PAGE_DECIMAL_LENGTH = 57,
};
