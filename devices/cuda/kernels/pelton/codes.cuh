// Error codes of kernels. `src/status.rs` has the same table, and a test compares them.
//
// Codes of compressed data. Kernels of crates/gpu define others: from 40 on for pages, from 100 on
// for queries.
#pragma once

enum Code : u32 {
  CODE_OK = 0,
  // The compressed data ends too early.
  CODE_TRUNCATED = 1,
  // A header violates the format.
  CODE_BAD_HEADER = 2,
  // A block type, a token or a symbol violates the format.
  CODE_BAD_SYMBOL = 3,
  // The code lengths or weights of an entropy code make no code.
  CODE_BAD_TABLE = 4,
  // A match reaches back before the output's beginning, or its distance is zero.
  CODE_BAD_DISTANCE = 5,
  // The output would be longer than in the page's header.
  CODE_OUTPUT_TOO_LONG = 6,
  // The output is shorter than in the page's header.
  CODE_OUTPUT_TOO_SHORT = 7,
  // A checksum in the data differs from that of the output.
  CODE_BAD_CHECKSUM = 8,
  // The data goes on after its end.
  CODE_TRAILING_BYTES = 9,
  // The format allows it, and this decoder does not support it; the CPU's may.
  CODE_UNSUPPORTED = 10,
};
