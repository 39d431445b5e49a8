// Raw Snappy blocks (google/snappy, format_description.txt).
//
// As in lz4.cuh, elements of up to 64 bytes with a length of one byte at most are found 32
// candidates at a time and executed together; others, and damage, one at a time. A literal and a
// copy are a sequence each.
#pragma once

#include "decompress/candidates.cuh"

// The element that would start at byte `at`, with a length that may be long; zero bytes if the
// input ends in it.
struct SnappyElement {
  u32 packed;
  u64 plain;
  Sequence sequence;
};

__device__ inline SnappyElement snappy_element(const u8* in, u32 len, u32 at) {
  SnappyElement element = {0, 0, {0, 0, 0, 0}};
  if (at >= len) return element;
  u32 tag = in[at], rest = len - at - 1, kind = tag & 3, bytes = kind;
  if (kind == 0) {
    bytes = tag >> 2 < 60 ? 0 : (tag >> 2) - 59;
  } else if (kind == 3) {
    bytes = 4;
  }
  if (bytes > rest) return element;
  u32 number = 0;
  for (u32 i = 0; i < bytes; i++) number |= u32(in[at + 1 + i]) << (8 * i);
  element.packed = 1 + bytes;
  if (kind == 0) {
    element.plain = u64(bytes == 0 ? tag >> 2 : number) + 1;
    element.sequence.from = at + 1 + bytes;
    if (element.plain > rest - bytes) {
      element.packed = 0;
      return element;
    }
    element.packed += u32(element.plain);
    element.sequence.literals = u32(element.plain);
  } else {
    element.plain = kind == 1 ? 4 + (tag >> 2 & 7) : 1 + (tag >> 2);
    element.sequence.distance = kind == 1 ? (tag >> 5) << 8 | number : number;
  }
  return element;
}

__device__ inline u32 snappy_alone(const Page& page, u32 size, u32* at, u32* out) {
  SnappyElement element = snappy_element(page.source, page.source_len, *at);
  if (element.packed == 0) return CODE_TRUNCATED;
  u32 distance = element.sequence.distance;
  bool is_copy = element.sequence.literals == 0;
  if (is_copy && (distance == 0 || distance > *out)) return CODE_BAD_DISTANCE;
  // Then the size in front is wrong.
  if (element.plain > size - *out) return CODE_BAD_HEADER;
  u8* to = page.target + *out;
  if (is_copy) {
    copy_match(to, distance, u32(element.plain));
  } else {
    copy<false>(to, page.source + element.sequence.from, u32(element.plain));
  }
  *at += element.packed, *out += u32(element.plain);
  return CODE_OK;
}

// Reads the size in front: a number of at most 32 bits, seven to a byte.
__device__ inline u32 snappy_size(const Page& page, u32* at, u64* size) {
  for (*at = 0; *at < 5; *at += 1) {
    if (*at >= page.source_len) return CODE_TRUNCATED;
    u32 byte = page.source[*at];
    *size |= u64(byte & 127) << (7 * *at);
    if (byte < 128) {
      *at += 1;
      return *size >> 32 == 0 ? CODE_OK : CODE_BAD_HEADER;
    }
  }
  return CODE_BAD_HEADER;
}

__device__ inline Outcome snappy_page(const Page& page, ByteScratch* scratch) {
  const u8* in = page.source;
  u32 at = 0, out = 0;
  u64 claimed = 0;
  u32 code = snappy_size(page, &at, &claimed);
  if (code != CODE_OK) return failed(code);
  if (claimed > page.target_len) return failed(CODE_OUTPUT_TOO_LONG);
  u32 size = u32(claimed);
  while (at < page.source_len) {
    SnappyElement element = snappy_element(in, page.source_len, at + lane_id());
    bool quick = element.packed != 0 && element.plain <= LONG_SEQUENCE;
    scratch->candidates[lane_id()] = quick ? candidate(element.packed, u32(element.plain)) : NO_CANDIDATE;
    __syncwarp(FULL_WARP);
    Chain chain = follow(scratch->candidates);
    Sequence sequence = element.sequence;
    sequence.start = chain.start;
    u32 reach = out + chain.start;
    bool bad = chain.mine && sequence.literals == 0 && (sequence.distance == 0 || sequence.distance > reach);
    bad = bad || chain.count == 0 || chain.plain > size - out;
    if (chain.mine) scratch->sequences[chain.index] = sequence;
    if (__any_sync(FULL_WARP, bad)) {
      code = snappy_alone(page, size, &at, &out);
      if (code != CODE_OK) return failed(code);
      continue;
    }
    execute(scratch->sequences, chain.count, chain.plain, page.target + out, [=](u32 from) { return u32(in[from]); });
    at += chain.packed, out += chain.plain;
  }
  // The bytes so far are sound, and the rest is missing.
  return out == size ? Outcome{CODE_OK, out, at} : failed(CODE_TRUNCATED);
}
