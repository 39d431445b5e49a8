// What a kernel can find wrong. `src/codes.rs` has the same table, and a test compares them.
//
// Below 100: pages and what is compressed in them. From 100 on: queries, whose codes the query
// engine gives out.
#pragma once

enum Code : u32 {
  CODE_OK = 0,
  // The compressed data ends too early.
  CODE_TRUNCATED = 1,
  // A header is not what the format allows.
  CODE_BAD_HEADER = 2,
  // A block type, a token or a symbol is not what the format allows.
  CODE_BAD_SYMBOL = 3,
  // The code lengths or weights of an entropy code make none.
  CODE_BAD_TABLE = 4,
  // A match reaches back before the output's beginning, or its distance is zero.
  CODE_BAD_DISTANCE = 5,
  // More would come out than the page's header says.
  CODE_OUTPUT_TOO_LONG = 6,
  // Less came out than the page's header says.
  CODE_OUTPUT_TOO_SHORT = 7,
  // A checksum in the data is not that of what came out.
  CODE_BAD_CHECKSUM = 8,
  // The data goes on after its end.
  CODE_TRAILING_BYTES = 9,
  // Something that the format allows and this decoder does not do; the CPU's may.
  CODE_UNSUPPORTED = 10,
  // A page's levels are not what their encoding allows, or end too early.
  CODE_BAD_LEVELS = 20,
  // A page's values end too early.
  CODE_VALUES_TRUNCATED = 21,
  // A page's encoding has a header that it does not allow.
  CODE_BAD_ENCODING = 22,
  // A code is not in the dictionary.
  CODE_BAD_CODE = 23,
  // The length of a string is negative, or reaches over the page's end.
  CODE_BAD_LENGTH = 24,
  // The number of values or nulls is not the header's.
  CODE_BAD_COUNT = 25,
};
