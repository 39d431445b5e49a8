// Containers of zlib (RFC 1950) and gzip (RFC 1952) around raw DEFLATE. They accept the same
// streams as `pelton-codec`.
#pragma once

#include "decompress/deflate.cuh"

// `src/decompress/layout.rs` has the same.
enum Container : u32 { CONTAINER_RAW = 0, CONTAINER_ZLIB = 1, CONTAINER_GZIP = 2 };

__device__ inline u32 little_endian(const u8* bytes) { return load_unaligned<u32>(bytes); }

__device__ inline Outcome zlib_page(const Page& page, DeflateScratch* s) {
  const u8* in = page.source;
  u32 len = page.source_len;
  if (len < 2) return failed(CODE_TRUNCATED);
  u32 method = in[0], flags = in[1];
  bool sound = (method << 8 | flags) % 31 == 0 && (method & 15) == 8 && method >> 4 <= 7;
  // Bit 5 means a preset dictionary, which a page does not have.
  if (!sound || (flags & 1 << 5) != 0) return failed(CODE_BAD_HEADER);
  Outcome body = deflate_stream(in + 2, len - 2, page.target, page.target_len, s);
  if (body.code != CODE_OK) return body;
  u32 end = 2 + body.consumed;
  if (len - end < 4) return failed(CODE_TRUNCATED);
  u32 expected = u32(in[end]) << 24 | in[end + 1] << 16 | in[end + 2] << 8 | in[end + 3];
  if (adler32(page.target, body.produced) != expected) return failed(CODE_BAD_CHECKSUM);
  return Outcome{CODE_OK, body.produced, end + 4};
}

// Returns the end of a zero-terminated string, or 0 if the input ends before.
__device__ inline u32 skip_string(const u8* in, u32 len, u32 at) {
  for (; at < len; at += 32) {
    u32 zeros = __ballot_sync(FULL_WARP, lane_id() < len - at && in[at + lane_id()] == 0);
    if (zeros != 0) return at + __ffs(zeros);
  }
  return 0;
}

// Checks a member's header and finds its end.
__device__ inline u32 gzip_header(const u8* in, u32 len, DeflateScratch* s, u32* end) {
  if ((len >= 1 && in[0] != 0x1f) || (len >= 2 && in[1] != 0x8b)) return CODE_BAD_HEADER;
  if (len < 10) return CODE_TRUNCATED;
  u32 flags = in[3];
  // The method is DEFLATE, and the reserved flags are zero.
  if (in[2] != 8 || (flags & 0xE0) != 0) return CODE_BAD_HEADER;
  u32 at = 10;
  // FEXTRA
  if (flags & 1 << 2) {
    if (len - at < 2) return CODE_TRUNCATED;
    u32 extra = in[at] | in[at + 1] << 8;
    if (extra > len - at - 2) return CODE_TRUNCATED;
    at += 2 + extra;
  }
  // FNAME and FCOMMENT
  for (u32 flag = 1 << 3; flag <= 1 << 4; flag <<= 1) {
    if ((flags & flag) == 0) continue;
    at = skip_string(in, len, at);
    if (at == 0) return CODE_TRUNCATED;
  }
  // FHCRC: the low half of the CRC-32 of the header so far
  if (flags & 1 << 1) {
    if (len - at < 2) return CODE_TRUNCATED;
    u32 expected = in[at] | in[at + 1] << 8;
    if ((crc32(s->crc, in, at) & 0xFFFF) != expected) return CODE_BAD_CHECKSUM;
    at += 2;
  }
  *end = at;
  return CODE_OK;
}

// Members follow each other. Bytes behind the last one that do not begin another are not read.
__device__ inline Outcome gzip_page(const Page& page, DeflateScratch* s) {
  u32 at = 0, out = 0;
  do {
    const u8* in = page.source + at;
    u8* target = page.target + out;
    u32 len = page.source_len - at, header = 0;
    u32 code = gzip_header(in, len, s, &header);
    if (code != CODE_OK) return failed(code);
    Outcome body = deflate_stream(in + header, len - header, target, page.target_len - out, s);
    if (body.code != CODE_OK) return body;
    u32 end = header + body.consumed;
    if (len - end < 8) return failed(CODE_TRUNCATED);
    if (crc32(s->crc, target, body.produced) != little_endian(in + end)) return failed(CODE_BAD_CHECKSUM);
    // The length, modulo 2^32
    if (body.produced != little_endian(in + end + 4)) return failed(CODE_BAD_CHECKSUM);
    at += end + 8, out += body.produced;
  } while (page.source_len - at >= 2 && page.source[at] == 0x1f && page.source[at + 1] == 0x8b);
  return Outcome{CODE_OK, out, at};
}

__device__ inline Outcome deflate_page(const Page& page, DeflateScratch* s) {
  if (page.container == CONTAINER_ZLIB) return zlib_page(page, s);
  if (page.container == CONTAINER_GZIP) return gzip_page(page, s);
  return deflate_stream(page.source, page.source_len, page.target, page.target_len, s);
}
