// Error codes for pages, in `Status::code`. Rust has the same table (src/window/error.rs), and a
// test compares them.
#pragma once
#include "pelton/prelude.cuh"

enum PageCode : u32 {
  // The levels say that they are longer than the page.
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
  // The run at byte `detail` is of a value with more bits than values have.
  PAGE_HYBRID_VALUE = 45,
  // `detail` values are not null, and the page's header says another number.
  PAGE_NULL_COUNT = 46,
  // Codes are of `detail` bits, and the most are 32.
  PAGE_CODE_WIDTH = 47,
  // `detail` is not a code of the dictionary.
  PAGE_CODE_RANGE = 48,
  // The values end too early: `detail` of them were needed.
  PAGE_VALUES_SHORT = 49,
  // The length of value `detail` is negative, or goes beyond the page.
  PAGE_STRING_LENGTH = 50,
  // The header of DELTA_BINARY_PACKED at byte `detail` is none.
  PAGE_DELTA_HEADER = 51,
  // DELTA_BINARY_PACKED ends before value `detail`.
  PAGE_DELTA_SHORT = 52,
  // A miniblock's deltas are of `detail` bits, more than the values have.
  PAGE_DELTA_WIDTH = 53,
  // Of DELTA_BYTE_ARRAY, value `detail` shares more bytes with the one before it than that has.
  PAGE_PREFIX_LENGTH = 54,
  // Value `detail` has not the length that all values of its column have.
  PAGE_FIXED_LENGTH = 55,
  // The page's values are more than 4 GiB: `detail` bytes.
  PAGE_TOO_LARGE = 56,
  // A decimal is of `detail` bytes; 1 to 16 can be read.
  PAGE_DECIMAL_LENGTH = 57,
};
