// The sequences of a Zstandard block, and the block (RFC 8878, section 3.1.1).
//
// Sequences are decoded by all lanes alike, since every bit depends on the ones before; 32 of them
// are then executed by all lanes together (sequences.cuh). Literals come before that, up to four
// streams at a time, a lane each.
#pragma once

#include "decompress/zstd_literals.cuh"

// Reads one of the three tables: the previous one, one of a single symbol, the predefined one, or a
// described one.
__device__ inline u32 read_table(ZstdScratch* s, u32* entries, Coded coded, u32 mode, bool has_tables, u32* log, Span* span) {
  u32 symbols = coded == OF_LITERAL_LENGTHS ? LITERAL_LENGTHS : coded == OF_OFFSETS ? OFFSETS : MATCH_LENGTHS;
  u32 max_log = coded == OF_OFFSETS ? OFFSET_LOG : LITERAL_LENGTH_LOG;
  u32 taken = 0, code = CODE_OK;
  __syncwarp(FULL_WARP);
  if (mode == 0) {
    *log = coded == OF_OFFSETS ? 5 : 6;
    default_counts(s, coded);
    build_fse(s, entries, coded, symbols, *log);
  } else if (mode == 1) {
    if (span->len == 0) return CODE_TRUNCATED;
    if (span->data[0] >= symbols) return CODE_BAD_TABLE;
    *log = 0;
    build_single(entries, coded, span->data[0]);
    taken = 1;
  } else if (mode == 2) {
    Description described = read_counts(s, *span, symbols, max_log);
    code = described.code, *log = described.log, taken = described.taken;
    if (code == CODE_OK) build_fse(s, entries, coded, symbols, *log);
  } else if (!has_tables) {
    return CODE_BAD_TABLE;
  }
  if (code == CODE_OK) *span = after(*span, taken);
  return code;
}

// Reads the number of sequences, and their tables.
__device__ inline u32 sequences_header(ZstdScratch* s, ZstdFrame* frame, Span* span, u32* count) {
  if (span->len == 0) return CODE_TRUNCATED;
  u32 first = span->data[0], head = first < 128 ? 1 : first < 255 ? 2 : 3;
  if (span->len < head) return CODE_TRUNCATED;
  *count = first;
  if (head == 2) *count = (first - 128) << 8 | span->data[1];
  if (head == 3) *count = (span->data[1] | span->data[2] << 8) + 0x7F00;
  *span = after(*span, head);
  if (*count == 0) return span->len == 0 ? CODE_OK : CODE_BAD_HEADER;
  if (span->len == 0) return CODE_TRUNCATED;
  u32 modes = span->data[0];
  if ((modes & 3) != 0) return CODE_BAD_HEADER;
  *span = after(*span, 1);
  bool has = frame->has_tables;
  u32 code = read_table(s, s->literal_lengths.entries, OF_LITERAL_LENGTHS, modes >> 6, has, &frame->literal_length_log, span);
  if (code != CODE_OK) return code;
  code = read_table(s, s->offsets.entries, OF_OFFSETS, modes >> 4 & 3, has, &frame->offset_log, span);
  if (code != CODE_OK) return code;
  code = read_table(s, s->match_lengths.entries, OF_MATCH_LENGTHS, modes >> 2 & 3, has, &frame->match_length_log, span);
  frame->has_tables = true;
  return code;
}

// Returns the distance for a value, which may stand for a recent one (section 3.1.1.5); zero if
// there is none.
__device__ inline u32 resolve_distance(u32* repeated, u32 value, bool no_literals) {
  u32 distance = value - 3, which = value - 1 + no_literals;
  if (value <= 3) {
    distance = which == 3 ? repeated[0] - 1 : which == 2 ? repeated[2] : which == 1 ? repeated[1] : repeated[0];
    if (which == 0) return distance;
  }
  if (value > 3 || which != 1) repeated[2] = repeated[1];
  repeated[1] = repeated[0];
  repeated[0] = distance;
  return distance;
}

__device__ inline u32 step_state(u32 entry, BackwardBits* bits) {
  return (entry & ((1u << FSE_BITS) - 1)) + bits->take(entry >> FSE_BITS & 15);
}

__device__ inline void copy_literals(u8* to, const Literals& literals, u32 from, u32 len) {
  if (literals.stride == 0) {
    fill(to, *literals.data, len);
  } else {
    copy<true>(to, literals.data + from, len);
  }
}

__device__ inline u32 run_sequences(ZstdScratch* s, ZstdFrame* frame, Span span, u32 count, const Literals& literals, u32* used) {
  BackwardBits bits;
  if (!bits.open(span)) return CODE_BAD_SYMBOL;
  u32 literal_state = bits.take(frame->literal_length_log);
  u32 offset_state = bits.take(frame->offset_log);
  u32 match_state = bits.take(frame->match_length_log);
  u32 from = 0;
  for (u32 i = 0; i < count;) {
    u32 batch = 0, total = 0;
    Sequence last = {0, 0, 0, 0};
    u32 long_match = 0;
    while (batch < BATCH_SEQUENCES && i < count && long_match == 0) {
      u32 of = s->offsets.entries[offset_state];
      u32 ml = s->match_lengths.entries[match_state];
      u32 ll = s->literal_lengths.entries[literal_state];
      u32 offset_bits = of >> FSE_EXTRA;
      u32 value = (1u << offset_bits) + bits.take(offset_bits);
      u32 match = s->match_length_bases[ml >> FSE_SYMBOL & 63] + bits.take(ml >> FSE_EXTRA);
      u32 run = s->literal_length_bases[ll >> FSE_SYMBOL & 63] + bits.take(ll >> FSE_EXTRA);
      i += 1;
      if (i < count) {
        literal_state = step_state(ll, &bits);
        match_state = step_state(ml, &bits);
        offset_state = step_state(of, &bits);
      }
      u32 distance = resolve_distance(frame->repeated, value, run == 0);
      u32 at = frame->done + total;
      if (bits.overrun() || run > literals.len - from) return CODE_BAD_SYMBOL;
      // The remaining literals have to fit as well, so that they are never overwritten.
      if (u64(match) + (literals.len - from) > frame->room - at) return CODE_OUTPUT_TOO_LONG;
      if (distance == 0 || distance > at + run - frame->begin) return CODE_BAD_DISTANCE;
      Sequence sequence = {total, run, from, distance};
      from += run;
      if (run + match > LONG_SEQUENCE) {
        last = sequence, long_match = match;
      } else {
        if (lane_id() == 0) s->sequences[batch] = sequence;
        batch += 1, total += run + match;
      }
    }
    u8* to = frame->target + frame->done;
    if (batch != 0) {
      execute(s->sequences, batch, total, to, [&](u32 at) { return u32(literals.data[literals.stride * at]); });
    }
    if (long_match != 0) {
      copy_literals(to + total, literals, last.from, last.literals);
      copy_match(to + total + last.literals, last.distance, long_match);
      total += last.literals + long_match;
    }
    frame->done += total;
  }
  *used = from;
  return bits.at_end() ? CODE_OK : CODE_BAD_SYMBOL;
}

__device__ inline u32 zstd_block(ZstdScratch* s, ZstdFrame* frame, Span block) {
  // a header of literals and one of sequences
  if (block.len < 2) return CODE_TRUNCATED;
  if (block.len > frame->block_max) return CODE_BAD_HEADER;
  u32 begin = frame->done, taken = 0, count = 0, used = 0;
  Literals literals = {nullptr, 0, 0};
  u32 code = read_literals(s, frame, block, &literals, &taken);
  if (code != CODE_OK) return code;
  Span span = after(block, taken);
  code = sequences_header(s, frame, &span, &count);
  if (code != CODE_OK) return code;
  if (count != 0) code = run_sequences(s, frame, span, count, literals, &used);
  if (code != CODE_OK) return code;
  copy_literals(frame->target + frame->done, literals, used, literals.len - used);
  frame->done += literals.len - used;
  return frame->done - begin <= frame->block_max ? CODE_OK : CODE_UNSUPPORTED;
}
