// The Huffman code of literals: its description, its table, and decoding (RFC 8878, section 4.2).
#pragma once

#include "decompress/zstd_bits.cuh"

constexpr u32 MAX_LITERALS = 256;

// Reads weights in FSE (section 4.2.1.2): two states take turns until the bits run out. All lanes
// alike.
__device__ inline u32 fse_weights(ZstdScratch* s, Span span, u32* count) {
  auto [code, log, taken] = read_counts(s, span, WEIGHTS, WEIGHT_LOG);
  if (code != CODE_OK) return code;
  build_fse(s, s->weight_table.entries, OF_WEIGHTS, WEIGHTS, log);
  BackwardBits bits;
  if (!bits.open(after(span, taken))) return CODE_BAD_TABLE;
  u32 state = bits.take(log), other = bits.take(log);
  if (bits.overrun()) return CODE_BAD_TABLE;
  u32 n = 0;
  for (bool more = true; more;) {
    // One weight for this state and one for the other must fit in front of the last, which is
    // implied.
    if (n > MAX_LITERALS - 3) return CODE_BAD_TABLE;
    u32 entry = s->weight_table.entries[state];
    if (lane_id() == 0) s->weights[n] = u8(entry >> FSE_SYMBOL & 63);
    n += 1;
    state = other;
    other = (entry & ((1u << FSE_BITS) - 1)) + bits.take(entry >> FSE_BITS & 15);
    more = !bits.overrun();
  }
  if (lane_id() == 0) s->weights[n] = u8(s->weight_table.entries[state] >> FSE_SYMBOL & 63);
  *count = n + 1;
  __syncwarp(FULL_WARP);
  return CODE_OK;
}

// Reads the weights (section 4.2.1). `count` is set to the number of weights that are written,
// `taken` to their bytes.
__device__ inline u32 read_weights(ZstdScratch* s, Span span, u32* count, u32* taken) {
  __syncwarp(FULL_WARP);
  if (span.len == 0) return CODE_TRUNCATED;
  u32 head = span.data[0];
  if (head < 128) {
    *taken = 1 + head;
    if (head >= span.len) return CODE_TRUNCATED;
    return fse_weights(s, Span{span.data + 1, head}, count);
  }
  *count = head - 127;
  *taken = 1 + (*count + 1) / 2;
  if (*taken > span.len) return CODE_TRUNCATED;
  for (u32 i = lane_id(); i < *count; i += 32) {
    u32 pair = span.data[1 + i / 2];
    s->weights[i] = u8(i % 2 == 0 ? pair >> 4 : pair & 15);
  }
  __syncwarp(FULL_WARP);
  return CODE_OK;
}

// Each lane counts the literals of its weight.
__device__ inline void count_weights(ZstdScratch* s, u32 count) {
  if (lane_id() < 16) {
    u32 found = 0;
    for (u32 i = 0; i < count; i++) found += s->weights[i] == lane_id();
    s->of_weight[lane_id()] = found;
  }
  __syncwarp(FULL_WARP);
}

// Reads a code and makes its table. `log` is set to the longest codeword.
__device__ inline u32 read_huffman(ZstdScratch* s, Span span, u32* log, u32* taken) {
  u32 count = 0;
  u32 code = read_weights(s, span, &count, taken);
  if (code != CODE_OK) return code;
  count_weights(s, count);
  u32 total = 0;
  for (u32 weight = 1; weight < 16; weight++) {
    if (weight > HUFFMAN_LOG && s->of_weight[weight] != 0) return weight > HUFFMAN_LOG + 1 ? CODE_BAD_TABLE : CODE_UNSUPPORTED;
    total += s->of_weight[weight] << (weight - 1);
  }
  if (total == 0) return CODE_BAD_TABLE;
  // The last weight fills the sum up to a power of two.
  *log = 32 - __clz(total);
  u32 left = (1u << *log) - total;
  if ((left & (left - 1)) != 0) return CODE_BAD_TABLE;
  if (*log > HUFFMAN_LOG) return *log == HUFFMAN_LOG + 1 ? CODE_UNSUPPORTED : CODE_BAD_TABLE;
  __syncwarp(FULL_WARP);
  if (lane_id() == 0) s->weights[count] = u8(__ffs(i32(left)));
  __syncwarp(FULL_WARP);
  count += 1;
  count_weights(s, count);
  // The longest codewords come in pairs.
  if (s->of_weight[1] < 2 || s->of_weight[1] % 2 != 0) return CODE_BAD_TABLE;

  // Literals by weight, each lane one weight.
  u32 before = 0;
  for (u32 weight = 1; weight < lane_id() && weight < 16; weight++) before += s->of_weight[weight];
  for (u32 i = 0; lane_id() != 0 && lane_id() < 16 && i < count; i++) {
    if (s->weights[i] == lane_id()) s->by_weight[before++] = u8(i);
  }
  __syncwarp(FULL_WARP);
  // The codewords of a weight follow those of the smaller ones, so a lane finds its entries by
  // comparing.
  for (u32 at = lane_id(); at < 1u << *log; at += 32) {
    u32 weight = 1, start = 0, index = 0;
    while (at - start >= s->of_weight[weight] << (weight - 1)) {
      start += s->of_weight[weight] << (weight - 1);
      index += s->of_weight[weight];
      weight += 1;
    }
    u32 literal = s->by_weight[index + ((at - start) >> (weight - 1))];
    s->huffman[at] = u16(literal | (*log + 1 - weight) << 8);
  }
  __syncwarp(FULL_WARP);
  return CODE_OK;
}

__device__ inline u32 next_literal(const u16* table, u32 log, BackwardBits* bits) {
  u32 entry = table[bits->peek(log)];
  bits->drop(entry >> 8);
  return entry & 255;
}

// Decodes one stream of `len` literals. Returns whether it had exactly these.
__device__ inline bool huffman_stream(const u16* table, u32 log, Span span, u8* to, u32 len) {
  BackwardBits bits;
  if (!bits.open(span)) return false;
  u32 done = 0;
  for (; done < len && (reinterpret_cast<u64>(to + done) & 3) != 0; done++) {
    bits.need();
    to[done] = u8(next_literal(table, log, &bits));
  }
  // Four make one store. Two codewords of 11 bits fit the 32 bits that are loaded.
  for (; len - done >= 4; done += 4) {
    bits.need();
    u32 word = next_literal(table, log, &bits);
    word |= next_literal(table, log, &bits) << 8;
    bits.need();
    word |= next_literal(table, log, &bits) << 16;
    word |= next_literal(table, log, &bits) << 24;
    store_word(to + done, word);
  }
  for (; done < len; done++) {
    bits.need();
    to[done] = u8(next_literal(table, log, &bits));
  }
  return bits.at_end();
}

// Decodes `len` literals of one stream, or of four, each by a lane of its own (section
// 3.1.1.3.1.6).
__device__ inline u32 huffman_literals(ZstdScratch* s, u32 log, Span span, bool four, u8* to, u32 len) {
  Span stream = span;
  u32 part = len, lane = lane_id();
  if (four) {
    if (span.len < 10) return CODE_TRUNCATED;
    u32 sizes[3], sum = 6;
    for (u32 i = 0; i < 3; i++) sizes[i] = span.data[2 * i] | span.data[2 * i + 1] << 8;
    part = (len + 3) / 4;
    for (u32 i = 0; i < lane && i < 3; i++) sum += sizes[i];
    u32 before = 6 + sizes[0] + sizes[1] + sizes[2];
    if (before > span.len || 3 * part > len) return CODE_BAD_SYMBOL;
    stream = Span{span.data + sum, lane == 0 ? sizes[0] : lane == 1 ? sizes[1] : lane == 2 ? sizes[2] : span.len - before};
    to += lane * part;
    if (lane == 3) part = len - 3 * part;
  }
  bool sound = true;
  if (lane < (four ? 4 : 1)) sound = huffman_stream(s->huffman, log, stream, to, part);
  __syncwarp(FULL_WARP);
  if (__all_sync(FULL_WARP, sound)) return CODE_OK;
  return four ? CODE_UNSUPPORTED : CODE_BAD_SYMBOL;
}
