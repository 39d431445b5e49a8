// Canonical prefix codes of up to 15 bits, as those of DEFLATE (section 3.2.2).
//
// A code is stored as the end of its codewords of each length, as 15-bit numbers: the codewords of
// one length follow those of the shorter one. So a codeword is found by one comparison for each of
// its bits. That serves twice: to fill the tables by which most codewords are found, each lane an
// entry, and for codewords too long for the tables.
#pragma once

#include "decompress/copy.cuh"

constexpr u32 MAX_WORD = 15;

// Maximum number of symbols of a code: DEFLATE's literals and lengths.
constexpr u32 MAX_SYMBOLS = 288;

// The symbol of bits that begin no codeword.
constexpr u32 NO_SYMBOL = 0xFFFF;

struct Canonical {
  // By length: the end of its codewords, and the number of shorter codewords.
  u32 ends[MAX_WORD + 1];
  u32 shorter[MAX_WORD + 1];
  // By length, then by number.
  u16 symbols[MAX_SYMBOLS];
};

struct Word {
  u32 symbol;
  u32 length;
};

// Makes the code of `count` lengths; each half of the warp may have one of its own. Returns whether
// the lengths of this half make a code. The rule is that of zlib: the codewords have to use up all
// bits, except for a code without any, or with one codeword of one bit, if it need not be complete.
__device__ ONCE bool make_code(Canonical* code, const u8* lengths, u32 count, bool complete) {
  // Each lane of a half handles one length.
  u32 mine = lane_id() & 15;
  u32 words = 0;
  __syncwarp(FULL_WARP);
  for (u32 i = 0; mine != 0 && i < count; i++) words += lengths[i] == mine;
  code->shorter[mine] = words;
  __syncwarp(FULL_WARP);
  u32 used = 0, before = 0, end = 0, at = 0, ones = code->shorter[1];
  for (u32 length = 1; length <= MAX_WORD; length++) {
    u32 count_of = code->shorter[length];
    if (length == mine) at = before;
    used += count_of << (MAX_WORD - length);
    before += count_of;
    if (length == mine) end = used;
  }
  bool single = used == 1u << (MAX_WORD - 1) && ones == 1;
  bool sound = used == 1u << MAX_WORD || (!complete && (used == 0 || single));
  // All lanes have read the counts, which are overwritten.
  __syncwarp(FULL_WARP);
  code->ends[mine] = end;
  code->shorter[mine] = at;
  for (u32 i = 0; sound && mine != 0 && i < count; i++) {
    if (lengths[i] != mine) continue;
    code->symbols[at++] = u16(i);
  }
  __syncwarp(FULL_WARP);
  return sound;
}

// Returns the codeword at the start of `bits`; its first bit is the lowest.
__device__ ONCE Word find_word(const Canonical& code, u32 bits) {
  u32 number = __brev(bits) >> (32 - MAX_WORD);
  u32 start = 0;
  for (u32 length = 1; length <= MAX_WORD; length++) {
    u32 end = code.ends[length];
    if (number < end) {
      return Word{code.symbols[code.shorter[length] + ((number - start) >> (MAX_WORD - length))], length};
    }
    start = end;
  }
  return Word{NO_SYMBOL, 1};
}
