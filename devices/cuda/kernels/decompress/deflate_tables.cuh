// The codes of DEFLATE's blocks (RFC 1951, from section 3.2.5 on) as tables in shared memory.
//
// A table entry holds everything about a symbol, so that most symbols are one load: the length of
// the codeword, the number of extra bits, the kind, and a value. Codewords too long for the table,
// few and rare in a code of text, are found by comparing (canonical.cuh).
//
// The table sizes are a balance: larger tables would find more codewords at once, but shared memory
// would then hold fewer warps to hide the time of each look-up. `Kind::description` on the host has
// the number of warps.
#pragma once

#include "decompress/batch.cuh"
#include "decompress/bits.cuh"
#include "decompress/canonical.cuh"
#include "decompress/checksum.cuh"
#include "decompress/sequences.cuh"

constexpr u32 LITERAL_BITS = 10;
constexpr u32 DISTANCE_BITS = 8;
constexpr u32 LITERAL_SYMBOLS = 288;
constexpr u32 DISTANCE_SYMBOLS = 32;
constexpr u32 END_OF_BLOCK = 256;

// An entry, from its lowest bits: length of the codeword, extra bits, kind and value.
constexpr u32 ENTRY_WORD = 15;
constexpr u32 ENTRY_EXTRA = 4;
constexpr u32 ENTRY_KIND = 3 << 8;
constexpr u32 ENTRY_VALUE = 16;
constexpr u32 KIND_LITERAL = 0 << 8;
constexpr u32 KIND_LENGTH = 1 << 8;
constexpr u32 KIND_END = 2 << 8;
constexpr u32 KIND_LONG = 3 << 8;

struct DeflateScratch {
  u32 literal_table[1 << LITERAL_BITS];
  u32 distance_table[1 << DISTANCE_BITS];
  Canonical literals;
  Canonical distances;
  u8 lengths[LITERAL_SYMBOLS + DISTANCE_SYMBOLS];
  BitRing ring;
  Sequence sequences[BATCH_SEQUENCES];
  CrcTable crc;
};

// Numbers of the symbols that a stream may have. The fixed codes have two more of each.
constexpr u32 VALID_LITERALS = 286;
constexpr u32 VALID_DISTANCES = 30;

__device__ inline u32 literal_entry(Word word) {
  u32 symbol = word.symbol;
  if (symbol < END_OF_BLOCK) return word.length | KIND_LITERAL | symbol << ENTRY_VALUE;
  if (symbol == END_OF_BLOCK) return word.length | KIND_END;
  u32 code = symbol - 257, extra = 0, base = 3 + code;
  if (code >= 28) {
    base = 258;
  } else if (code >= 8) {
    // Four lengths with the same number of extra bits, then four with one more.
    extra = code / 4 - 1;
    base = 3 + ((4 + code % 4) << extra);
  }
  return word.length | extra << ENTRY_EXTRA | KIND_LENGTH | base << ENTRY_VALUE;
}

__device__ inline u32 distance_entry(Word word) {
  u32 code = word.symbol, extra = 0, base = 1 + code;
  if (code >= 4) {
    extra = code / 2 - 1;
    base = 1 + ((2 + code % 2) << extra);
  }
  return word.length | extra << ENTRY_EXTRA | base << ENTRY_VALUE;
}

// Builds both codes from the lengths, and their tables. The halves of the warp have a code each.
// Bits of no valid symbol have the entry of a long codeword, which is looked at more closely.
__device__ ONCE bool build_codes(DeflateScratch* s, u32 literals, u32 distances) {
  bool first = lane_id() < 16;
  bool sound = make_code(first ? &s->literals : &s->distances, first ? s->lengths : s->lengths + literals,
                         first ? literals : distances, false);
  if (!__all_sync(FULL_WARP, sound)) return false;
  for (u32 bits = lane_id(); bits < 1 << LITERAL_BITS; bits += 32) {
    Word word = find_word(s->literals, bits);
    s->literal_table[bits] = word.length > LITERAL_BITS || word.symbol >= VALID_LITERALS ? KIND_LONG : literal_entry(word);
  }
  for (u32 bits = lane_id(); bits < 1 << DISTANCE_BITS; bits += 32) {
    Word word = find_word(s->distances, bits);
    s->distance_table[bits] = word.length > DISTANCE_BITS || word.symbol >= VALID_DISTANCES ? KIND_LONG : distance_entry(word);
  }
  __syncwarp(FULL_WARP);
  return true;
}
