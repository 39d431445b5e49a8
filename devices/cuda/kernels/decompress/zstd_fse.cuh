// FSE tables: their description in a block and their construction (RFC 8878, section 4.1).
#pragma once

#include "decompress/zstd_tables.cuh"

// The remaining bytes of a source.
struct Span {
  const u8* data;
  u32 len;
};

__device__ inline Span after(Span span, u32 bytes) { return Span{span.data + bytes, span.len - bytes}; }

// Reads `count` bits (16 at most) from bit `at` on, least significant first; zeros after the end.
__device__ inline u32 bits_at(Span span, u32 at, u32 count) {
  u32 value = 0;
  for (u32 i = 0; i < 3; i++) {
    u32 byte = at / 8 + i;
    if (byte < span.len) value |= u32(span.data[byte]) << (8 * i);
  }
  return value >> (at % 8) & ((1u << count) - 1);
}

// Fields of a description apart from the counts: the table's accuracy, and the number of its bytes.
struct Description {
  u32 code;
  u32 log;
  u32 taken;
};

// Reads the frequencies of symbols (section 4.1.1), all lanes alike.
__device__ ONCE Description read_counts(ZstdScratch* s, Span span, u32 symbols, u32 max_log) {
  Description none = {CODE_BAD_TABLE, 0, 0};
  __syncwarp(FULL_WARP);
  for (u32 i = lane_id(); i < 64; i += 32) s->counts[i] = 0;
  __syncwarp(FULL_WARP);
  u32 log = 5 + bits_at(span, 0, 4);
  if (log > max_log) return none;
  u32 at = 4, symbol = 0;
  // Number of states that are left, plus one.
  i32 left = (1 << log) + 1;
  while (left > 1) {
    if (symbol >= symbols || at > 8 * span.len) return none;
    u32 width = 32 - __clz(u32(left));
    u32 wide = bits_at(span, at, width), narrow = wide & ((1u << (width - 1)) - 1);
    // Number of values that need one bit less.
    u32 short_ones = (1u << width) - 1 - u32(left);
    u32 value = narrow;
    if (narrow < short_ones) {
      at += width - 1;
    } else {
      value = wide >= 1u << (width - 1) ? wide - short_ones : wide;
      at += width;
    }
    i32 count = i32(value) - 1;
    left -= count < 0 ? -count : count;
    if (lane_id() == 0) s->counts[symbol] = count;
    symbol += 1;
    // After a symbol that does not occur, pairs of bits count the following ones that do not.
    for (u32 more = 3; count == 0 && more == 3;) {
      more = bits_at(span, at, 2);
      at += 2, symbol += more;
      if (at > 8 * span.len) return none;
    }
  }
  __syncwarp(FULL_WARP);
  u32 taken = (at + 7) / 8;
  return left == 1 && symbol <= symbols && taken <= span.len ? Description{CODE_OK, log, taken} : none;
}

// Gives the symbols their states (section 4.1.1): the last states to symbols of a probability below
// one, the others by steps through the table that meet each place once. The place of a step is
// known without walking, so the lanes take a step each.
__device__ inline void spread_symbols(ZstdScratch* s, u32 symbols, u32 log) {
  u32 size = 1u << log, end = size;
  for (u32 symbol = 0; symbol < symbols; symbol++) {
    if (s->counts[symbol] != -1) continue;
    end -= 1;
    if (lane_id() == 0) s->spread[end] = u8(symbol);
  }
  u32 step = (size >> 1) + (size >> 3) + 3, given = 0;
  // The symbol of the next place, and the first place of the symbol after it.
  u32 symbol = 0, until = s->counts[0] > 0 ? u32(s->counts[0]) : 0;
  for (u32 base = 0; base < size; base += 32) {
    u32 place = (base + lane_id()) * step & (size - 1);
    bool free = base + lane_id() < size && place < end;
    u32 taken = __ballot_sync(FULL_WARP, free);
    u32 number = given + __popc(taken & ((1u << lane_id()) - 1));
    if (free) {
      while (number >= until) {
        symbol += 1;
        until += s->counts[symbol] > 0 ? u32(s->counts[symbol]) : 0;
      }
      s->spread[place] = u8(symbol);
    }
    given += __popc(taken);
  }
  __syncwarp(FULL_WARP);
}

// Builds the table from the counts. States of one symbol are numbered from its count on, in the
// table's order.
__device__ ONCE void build_fse(ZstdScratch* s, u32* entries, Coded coded, u32 symbols, u32 log) {
  spread_symbols(s, symbols, log);
  for (u32 i = lane_id(); i < 64; i += 32) {
    i32 count = i < symbols ? s->counts[i] : 0;
    s->numbered[i] = u32(count < 0 ? -count : count);
  }
  __syncwarp(FULL_WARP);
  u32 size = 1u << log;
  for (u32 base = 0; base < size; base += 32) {
    // The smallest tables have 32 states, so every lane has one.
    u32 symbol = s->spread[base + lane_id()];
    u32 same = __match_any_sync(FULL_WARP, symbol);
    u32 number = s->numbered[symbol] + __popc(same & ((1u << lane_id()) - 1));
    __syncwarp(FULL_WARP);
    if (__ffs(same) == i32(lane_id()) + 1) s->numbered[symbol] += __popc(same);
    __syncwarp(FULL_WARP);
    u32 bits = log - (31 - __clz(number));
    u32 next = (number << bits) - size;
    entries[base + lane_id()] = next | bits << FSE_BITS | symbol << FSE_SYMBOL | extra_of(coded, symbol) << FSE_EXTRA;
  }
  __syncwarp(FULL_WARP);
}

// Makes the table of one symbol, which takes no bits.
__device__ inline void build_single(u32* entries, Coded coded, u32 symbol) {
  __syncwarp(FULL_WARP);
  if (lane_id() == 0) entries[0] = symbol << FSE_SYMBOL | extra_of(coded, symbol) << FSE_EXTRA;
  __syncwarp(FULL_WARP);
}

// Sets the predefined distributions (section 3.1.1.3.2.2).
__device__ inline void default_counts(ZstdScratch* s, Coded coded) {
  for (u32 i = lane_id(); i < 64; i += 32) {
    i32 count = 0;
    if (coded == OF_LITERAL_LENGTHS && i < 36) {
      count = i == 0 ? 4 : i == 1 || i == 25 ? 3 : i < 13 || (i >= 16 && i < 27) ? 2 : i < 32 ? 1 : -1;
    } else if (coded == OF_OFFSETS && i < 29) {
      count = i >= 6 && i < 9 ? 2 : i < 24 ? 1 : -1;
    } else if (coded == OF_MATCH_LENGTHS && i < 53) {
      count = i == 1 ? 4 : i == 2 ? 3 : i >= 3 && i < 9 ? 2 : i < 46 ? 1 : -1;
    }
    s->counts[i] = count;
  }
  __syncwarp(FULL_WARP);
}
