// The headers of DEFLATE's blocks (RFC 1951, section 3.2.3), read by all lanes alike.
#pragma once

#include "decompress/deflate_tables.cuh"

constexpr u32 LENGTH_SYMBOLS = 19;
constexpr u32 LENGTH_BITS = 7;

// Returns the index of a code length in the order in which a block gives the lengths of the code of
// lengths (section 3.2.7), five bits each.
__device__ inline u32 length_order(u32 i) {
  constexpr u64 FIRST = 16 | 17ull << 5 | 18ull << 10 | 0ull << 15 | 8ull << 20 | 7ull << 25 | 9ull << 30 | 6ull << 35 |
                        10ull << 40 | 5ull << 45 | 11ull << 50 | 4ull << 55;
  constexpr u64 SECOND = 12 | 3ull << 5 | 13ull << 10 | 2ull << 15 | 14ull << 20 | 1ull << 25 | 15ull << 30;
  return u32(i < 12 ? FIRST >> (5 * i) : SECOND >> (5 * (i - 12))) & 31;
}

// Makes the fixed codes (section 3.2.6).
__device__ inline u32 fixed_codes(DeflateScratch* s) {
  __syncwarp(FULL_WARP);
  for (u32 i = lane_id(); i < LITERAL_SYMBOLS + DISTANCE_SYMBOLS; i += 32) {
    s->lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : i < LITERAL_SYMBOLS ? 8 : 5;
  }
  return build_codes(s, LITERAL_SYMBOLS, DISTANCE_SYMBOLS) ? CODE_OK : CODE_BAD_TABLE;
}

// Reads a block's own codes (section 3.2.7).
__device__ inline u32 dynamic_codes(DeflateScratch* s, Bits* bits) {
  u32 literals = 257 + bits->take(5);
  u32 distances = 1 + bits->take(5);
  u32 explicit_lengths = 4 + bits->take(4);
  if (literals > VALID_LITERALS || distances > VALID_DISTANCES) return CODE_BAD_TABLE;
  __syncwarp(FULL_WARP);
  if (lane_id() < LENGTH_SYMBOLS) s->lengths[lane_id()] = 0;
  __syncwarp(FULL_WARP);
  for (u32 i = 0; i < explicit_lengths; i++) {
    u8 length = u8(bits->take(3));
    if (lane_id() == 0) s->lengths[length_order(i)] = length;
  }
  if (!__all_sync(FULL_WARP, make_code(&s->literals, s->lengths, LENGTH_SYMBOLS, true))) return CODE_BAD_TABLE;
  // The table of literals is not in use before its lengths are known.
  for (u32 i = lane_id(); i < 1 << LENGTH_BITS; i += 32) {
    Word word = find_word(s->literals, i);
    s->literal_table[i] = word.length | word.symbol << ENTRY_VALUE;
  }
  __syncwarp(FULL_WARP);
  u32 total = literals + distances, previous = 0;
  for (u32 done = 0; done < total;) {
    bits->need(LENGTH_BITS + 7);
    u32 entry = s->literal_table[bits->peek(LENGTH_BITS)];
    bits->drop(entry & ENTRY_WORD);
    u32 symbol = entry >> ENTRY_VALUE, count = 1;
    if (symbol < 16) {
      previous = symbol;
    } else if (symbol == 16) {
      if (done == 0) return CODE_BAD_TABLE;
      count = 3 + bits->take(2);
    } else {
      count = symbol == 17 ? 3 + bits->take(3) : 11 + bits->take(7);
      previous = 0;
    }
    if (count > total - done) return CODE_BAD_TABLE;
    for (u32 i = lane_id(); i < count; i += 32) s->lengths[done + i] = u8(previous);
    done += count;
  }
  __syncwarp(FULL_WARP);
  // The block could never end.
  if (s->lengths[END_OF_BLOCK] == 0) return CODE_BAD_TABLE;
  return build_codes(s, literals, distances) ? CODE_OK : CODE_BAD_TABLE;
}
