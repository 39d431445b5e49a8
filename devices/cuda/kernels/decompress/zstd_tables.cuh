// The entropy tables of Zstandard (RFC 8878, section 4) in shared memory.
//
// An entry of an FSE table holds everything for a step: the next state's base and its bits, the
// symbol, and the number of extra bits of the symbol, so that one load tells how far to move in the
// stream. Bases are looked up by symbol apart from that. The tables of a warp bound the number of
// warps that a multiprocessor runs (`Kind::description` on the host).
#pragma once

#include "decompress/batch.cuh"
#include "decompress/sequences.cuh"

// Largest accuracies (section 3.1.1.3.2.1.1) and longest Huffman codeword (section 4.2.1), as
// base-2 logarithms.
constexpr u32 LITERAL_LENGTH_LOG = 9;
constexpr u32 OFFSET_LOG = 8;
constexpr u32 MATCH_LENGTH_LOG = 9;
constexpr u32 WEIGHT_LOG = 6;
constexpr u32 HUFFMAN_LOG = 11;

constexpr u32 LITERAL_LENGTHS = 36;
constexpr u32 OFFSETS = 32;
constexpr u32 MATCH_LENGTHS = 53;
// Weights: zero for symbols without a codeword, then up to one above the largest, to tell that one
// from weights that no decoder takes.
constexpr u32 WEIGHTS = HUFFMAN_LOG + 2;

// An entry, from its lowest bits: base of the next state, its extra bits, symbol, the symbol's
// extra bits.
constexpr u32 FSE_BITS = 10;
constexpr u32 FSE_SYMBOL = 14;
constexpr u32 FSE_EXTRA = 20;

template <u32 LOG>
struct FseTable {
  u32 entries[1 << LOG];
};

struct ZstdScratch {
  FseTable<LITERAL_LENGTH_LOG> literal_lengths;
  FseTable<OFFSET_LOG> offsets;
  FseTable<MATCH_LENGTH_LOG> match_lengths;
  FseTable<WEIGHT_LOG> weight_table;
  // Symbol and, from bit 8, the length of its codeword.
  u16 huffman[1 << HUFFMAN_LOG];
  u32 literal_length_bases[LITERAL_LENGTHS];
  u32 match_length_bases[MATCH_LENGTHS];
  // Frequencies of symbols, -1 for less than one; later the number of their numbered states.
  i32 counts[64];
  u32 numbered[64];
  // Symbols by state, weights by literal, and literals by weight.
  u8 spread[1 << LITERAL_LENGTH_LOG];
  u8 weights[256];
  u8 by_weight[256];
  // Number of literals of each weight.
  u32 of_weight[16];
  Sequence sequences[BATCH_SEQUENCES];
};

// Base and extra bits of a literal length's code (section 3.1.1.3.2.1.1).
__device__ inline u32 literal_length_extra(u32 code) {
  if (code < 16) return 0;
  return code < 20 ? 1 : code < 22 ? 2 : code < 24 ? 3 : code == 24 ? 4 : code - 19;
}

__device__ inline u32 literal_length_base(u32 code) {
  if (code < 20) return code < 16 ? code : 2 * code - 16;
  if (code < 24) return code < 22 ? 24 + 4 * (code - 20) : 32 + 8 * (code - 22);
  return code == 24 ? 48 : 1u << (code - 19);
}

__device__ inline u32 match_length_extra(u32 code) {
  if (code < 32) return 0;
  return code < 36 ? 1 : code < 38 ? 2 : code < 40 ? 3 : code < 42 ? 4 : code == 42 ? 5 : code - 36;
}

__device__ inline u32 match_length_base(u32 code) {
  if (code < 36) return code < 32 ? 3 + code : 35 + 2 * (code - 32);
  if (code < 40) return code < 38 ? 43 + 4 * (code - 36) : 51 + 8 * (code - 38);
  return code < 42 ? 67 + 16 * (code - 40) : code == 42 ? 99 : 3 + (1u << (code - 36));
}

__device__ inline void make_bases(ZstdScratch* s) {
  for (u32 i = lane_id(); i < LITERAL_LENGTHS; i += 32) s->literal_length_bases[i] = literal_length_base(i);
  for (u32 i = lane_id(); i < MATCH_LENGTHS; i += 32) s->match_length_bases[i] = match_length_base(i);
  __syncwarp(FULL_WARP);
}

// The three codes of a sequence, and the weights of a Huffman code.
enum Coded : u32 { OF_LITERAL_LENGTHS, OF_OFFSETS, OF_MATCH_LENGTHS, OF_WEIGHTS };

__device__ inline u32 extra_of(Coded coded, u32 symbol) {
  if (coded == OF_LITERAL_LENGTHS) return literal_length_extra(symbol);
  if (coded == OF_MATCH_LENGTHS) return match_length_extra(symbol);
  return coded == OF_OFFSETS ? symbol : 0;
}
