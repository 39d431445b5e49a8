// Raw LZ4 blocks (lz4_Block_format.md).
//
// Sequences of up to 64 bytes with at most one more byte for each length are found 32 candidates at
// a time (candidates.cuh) and executed together (sequences.cuh). Everything else, damage included,
// goes through `lz4_sequence`, one at a time and with the checks in a plain decoder's order. So the
// error of a block does not depend on its grouping.
//
// It needs little shared memory and no tables, so that shared memory does not limit the warps of a
// multiprocessor.
#pragma once

#include "decompress/candidates.cuh"

// Reads bytes of 255 and the one that ends them, and adds them to `value`. False if the input ends
// before.
__device__ inline bool lz4_extension(const u8* in, u32 len, u32* at, u64* value) {
  for (;;) {
    u32 here = *at + lane_id();
    u32 full = __ballot_sync(FULL_WARP, here < len && in[here] == 255);
    if (full == FULL_WARP) {
      *value += 32 * 255, *at += 32;
      continue;
    }
    u32 count = __ffs(~full) - 1;
    if (*at + count >= len) return false;
    *value += 255 * count + in[*at + count];
    *at += count + 1;
    return true;
  }
}

// Decodes one sequence of any length. `done` is set if it was the last.
__device__ inline u32 lz4_sequence(const Page& page, u32* at, u32* out, bool* done) {
  const u8* in = page.source;
  u32 len = page.source_len;
  if (*at >= len) return CODE_TRUNCATED;
  u32 token = in[(*at)++];
  u64 literals = token >> 4;
  if (literals == 15 && !lz4_extension(in, len, at, &literals)) return CODE_TRUNCATED;
  if (literals > len - *at) return CODE_TRUNCATED;
  if (literals > page.target_len - *out) return CODE_OUTPUT_TOO_LONG;
  copy<false>(page.target + *out, in + *at, u32(literals));
  *at += u32(literals), *out += u32(literals);
  if (*at == len) {
    *done = true;
    return CODE_OK;
  }
  if (len - *at < 2) return CODE_TRUNCATED;
  u32 distance = in[*at] | in[*at + 1] << 8;
  *at += 2;
  if (distance == 0) return CODE_BAD_DISTANCE;
  u64 match = 4 + (token & 15);
  if (match == 4 + 15 && !lz4_extension(in, len, at, &match)) return CODE_TRUNCATED;
  if (match > page.target_len - *out) return CODE_OUTPUT_TOO_LONG;
  if (distance > *out) return CODE_BAD_DISTANCE;
  copy_match(page.target + *out, distance, u32(match));
  *out += u32(match);
  return CODE_OK;
}

// Reads the sequence that would start at byte `at`. Its place and its distance are set if it is a
// candidate.
__device__ inline u32 lz4_candidate(const u8* in, u32 len, u32 at, Sequence* sequence) {
  u32 next = at;
  if (next >= len) return NO_CANDIDATE;
  u32 token = in[next++];
  u32 literals = token >> 4;
  if (literals == 15) {
    if (next >= len || in[next] == 255) return NO_CANDIDATE;
    literals += in[next++];
  }
  if (literals > len - next) return NO_CANDIDATE;
  sequence->literals = literals;
  sequence->from = next;
  next += literals;
  if (len - next < 2) return NO_CANDIDATE;
  sequence->distance = in[next] | in[next + 1] << 8;
  next += 2;
  u32 match = 4 + (token & 15);
  if (match == 4 + 15) {
    if (next >= len || in[next] == 255) return NO_CANDIDATE;
    match += in[next++];
  }
  return literals + match > LONG_SEQUENCE ? NO_CANDIDATE : candidate(next - at, literals + match);
}

__device__ inline Outcome lz4_page(const Page& page, ByteScratch* scratch) {
  const u8* in = page.source;
  u32 at = 0, out = 0;
  for (bool done = false; !done;) {
    Sequence sequence = {0, 0, 0, 0};
    u32 mine = lz4_candidate(in, page.source_len, at + lane_id(), &sequence);
    scratch->candidates[lane_id()] = mine;
    __syncwarp(FULL_WARP);
    Chain chain = follow(scratch->candidates);
    sequence.start = chain.start;
    u32 reach = out + chain.start + sequence.literals;
    bool bad = chain.mine && (sequence.distance == 0 || sequence.distance > reach);
    bad = bad || chain.count == 0 || chain.plain > page.target_len - out;
    if (chain.mine) scratch->sequences[chain.index] = sequence;
    if (__any_sync(FULL_WARP, bad)) {
      u32 code = lz4_sequence(page, &at, &out, &done);
      if (code != CODE_OK) return failed(code);
      continue;
    }
    execute(scratch->sequences, chain.count, chain.plain, page.target + out, [=](u32 from) { return u32(in[from]); });
    at += chain.packed, out += chain.plain;
  }
  return Outcome{CODE_OK, out, at};
}
