// Raw DEFLATE (RFC 1951).
//
// Symbols are decoded one after the other, by all lanes alike, as the end of a symbol is known only
// once it is read. They are collected as sequences, 32 at a time, and made into bytes by all lanes
// together (sequences.cuh). So the serial part is a look-up in shared memory, a shift and a store
// for each symbol, and touches no global memory: the input comes through a ring (bits.cuh), and the
// output is not read. The speed on a GPU depends on the number of warps that take turns on a
// multiprocessor (deflate_tables.cuh).
#pragma once

#include "decompress/deflate_header.cuh"

// A stream's output: `base` is its beginning in the target, before which no match reaches.
struct DeflateOutput {
  u8* target;
  u32 room;
  u32 done;
};

__device__ inline u32 deflate_stored(Bits* bits, DeflateOutput* out) {
  u32 at = bits->byte_position();
  if (at > bits->len || bits->len - at < 4) return CODE_TRUNCATED;
  const u8* in = bits->in + at;
  u32 len = in[0] | in[1] << 8, complement = in[2] | in[3] << 8;
  if ((len ^ complement) != 0xFFFF) return CODE_BAD_HEADER;
  if (len > bits->len - at - 4) return CODE_TRUNCATED;
  if (len > out->room - out->done) return CODE_OUTPUT_TOO_LONG;
  copy<false>(out->target + out->done, in + 4, len);
  out->done += len;
  bits->seek(at + 4 + len);
  return CODE_OK;
}

// Decodes the symbols of a block up to its end.
__device__ inline u32 deflate_symbols(DeflateScratch* s, Bits* bits, DeflateOutput* out) {
  for (bool ended = false; !ended;) {
    u32 count = 0, total = 0, long_match = 0, long_distance = 0;
    while (count < BATCH_SEQUENCES) {
      // The longest codeword with its extra bits: 15 + 5.
      bits->need(20);
      u32 entry = s->literal_table[bits->peek(LITERAL_BITS)];
      if ((entry & ENTRY_KIND) == KIND_LONG) {
        Word word = find_word(s->literals, bits->peek(MAX_WORD));
        if (word.symbol >= VALID_LITERALS) return CODE_BAD_SYMBOL;
        entry = literal_entry(word);
      }
      bits->drop(entry & ENTRY_WORD);
      u32 kind = entry & ENTRY_KIND, value = entry >> ENTRY_VALUE;
      if (kind == KIND_END) {
        ended = true;
        break;
      }
      u32 made = 1;
      Sequence sequence = {total, 1, value, 0};
      if (kind == KIND_LENGTH) {
        u32 extra = entry >> ENTRY_EXTRA & 15;
        made = value + bits->peek(extra);
        bits->drop(extra);
        // The longest codeword with its extra bits: 15 + 13.
        bits->need(28);
        u32 far = s->distance_table[bits->peek(DISTANCE_BITS)];
        if ((far & ENTRY_KIND) == KIND_LONG) {
          Word word = find_word(s->distances, bits->peek(MAX_WORD));
          if (word.symbol >= VALID_DISTANCES) return CODE_BAD_SYMBOL;
          far = distance_entry(word);
        }
        bits->drop(far & ENTRY_WORD);
        u32 more = far >> ENTRY_EXTRA & 15;
        u32 distance = (far >> ENTRY_VALUE) + bits->peek(more);
        bits->drop(more);
        if (distance > out->done + total) return bits->overrun() ? CODE_TRUNCATED : CODE_BAD_DISTANCE;
        sequence.literals = 0;
        sequence.distance = distance;
      }
      if (made > out->room - out->done - total) return bits->overrun() ? CODE_TRUNCATED : CODE_OUTPUT_TOO_LONG;
      if (made > LONG_SEQUENCE) {
        long_match = made, long_distance = sequence.distance;
        break;
      }
      if (lane_id() == 0) s->sequences[count] = sequence;
      count += 1, total += made;
    }
    if (bits->overrun()) return CODE_TRUNCATED;
    if (count != 0) execute(s->sequences, count, total, out->target + out->done, [](u32 literal) { return literal; });
    out->done += total;
    copy_match(out->target + out->done, long_distance, long_match);
    out->done += long_match;
  }
  return CODE_OK;
}

// Decodes one stream; `consumed` is the bytes that it takes of the input.
__device__ ONCE Outcome deflate_stream(const u8* in, u32 len, u8* target, u32 room, DeflateScratch* s) {
  Bits bits(in, len, &s->ring);
  DeflateOutput out = {target, room, 0};
  for (bool last = false; !last;) {
    last = bits.take(1) != 0;
    u32 type = bits.take(2), code = CODE_BAD_SYMBOL;
    if (type == 0) {
      code = deflate_stored(&bits, &out);
    } else if (type != 3) {
      code = type == 1 ? fixed_codes(s) : dynamic_codes(s, &bits);
      if (code == CODE_OK) code = deflate_symbols(s, &bits, &out);
    }
    if (bits.overrun()) return failed(CODE_TRUNCATED);
    if (code != CODE_OK) return failed(code);
  }
  return Outcome{CODE_OK, out.done, bits.byte_position()};
}
