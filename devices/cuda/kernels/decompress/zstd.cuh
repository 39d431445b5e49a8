// Zstandard frames (RFC 8878), without dictionaries. The accepted frames are those of libzstd,
// except for three things that no encoder writes: Huffman codewords of 12 bits, streams of literals
// that do not end where their bytes do, and blocks with more output than the format allows. libzstd
// takes the first, and overlooks some of the others in its fastest loops. Here they are
// CODE_UNSUPPORTED, and the CPU decides.
#pragma once

#include "decompress/xxh64.cuh"
#include "decompress/zstd_block.cuh"

constexpr u32 ZSTD_MAGIC = 0xFD2FB528u;
// The first of sixteen magic numbers.
constexpr u32 SKIPPABLE_MAGIC = 0x184D2A50u;
// Maximum size of a block, for any sliding window (section 3.1.1.2.4).
constexpr u64 BLOCK_MAX = 128 << 10;
// Maximum sliding window of libzstd.
constexpr u32 WINDOW_LOG_MAX = 31;

struct ZstdHeader {
  u32 len;
  u64 window;
  bool has_content_size;
  u64 content_size;
  bool has_checksum;
};

// Reads a frame's header (section 3.1.1.1).
__device__ inline u32 zstd_header(Span span, ZstdHeader* header) {
  if (span.len < 5) return CODE_TRUNCATED;
  u32 flags = span.data[4], dictionary = flags & 3, size = flags >> 6;
  bool single = (flags >> 5 & 1) != 0;
  u32 dictionary_len = dictionary == 3 ? 4 : dictionary;
  u32 size_len = size == 0 ? u32(single) : 1u << size;
  header->len = 5 + !single + dictionary_len + size_len;
  if (span.len < header->len) return CODE_TRUNCATED;
  if ((flags & 8) != 0) return CODE_BAD_HEADER;
  u32 at = 5;
  if (!single) {
    u32 exponent = 10 + (span.data[at] >> 3);
    if (exponent > WINDOW_LOG_MAX) return CODE_BAD_HEADER;
    header->window = (1ull << exponent) + ((1ull << exponent) >> 3) * (span.data[at] & 7);
    at += 1;
  }
  for (u32 i = 0; i < dictionary_len; i++) {
    if (span.data[at + i] != 0) return CODE_BAD_HEADER;
  }
  at += dictionary_len;
  header->content_size = size_len == 2 ? 256 : 0;
  for (u32 i = 0; i < size_len; i++) header->content_size += u64(span.data[at + i]) << (8 * i);
  header->has_content_size = size_len != 0;
  if (single) header->window = header->content_size;
  header->has_checksum = (flags & 4) != 0;
  return CODE_OK;
}

// Decodes the blocks of a frame. `at` moves past them.
__device__ inline u32 zstd_blocks(ZstdScratch* s, ZstdFrame* frame, Span span, u32* at) {
  for (bool last = false; !last;) {
    if (span.len - *at < 3) return CODE_TRUNCATED;
    const u8* head = span.data + *at;
    u32 number = head[0] | head[1] << 8 | head[2] << 16, size = number >> 3, type = number >> 1 & 3;
    last = (number & 1) != 0;
    *at += 3;
    u32 packed = type == 1 ? 1 : size, rest = span.len - *at;
    if (type == 3) return CODE_BAD_SYMBOL;
    if (packed > rest) return CODE_TRUNCATED;
    if (type != 2 && size > frame->room - frame->done) return CODE_OUTPUT_TOO_LONG;
    u32 code = CODE_OK;
    if (type == 0) {
      copy<false>(frame->target + frame->done, head + 3, size);
      frame->done += size;
    } else if (type == 1) {
      fill(frame->target + frame->done, head[3], size);
      frame->done += size;
    } else {
      code = zstd_block(s, frame, Span{head + 3, packed});
    }
    if (code != CODE_OK) return code;
    *at += packed;
  }
  return CODE_OK;
}

__device__ inline u32 zstd_frame(ZstdScratch* s, const Page& page, u32* at, u32* out) {
  Span span = {page.source + *at, page.source_len - *at};
  ZstdHeader header = {0, 0, false, 0, false};
  u32 code = zstd_header(span, &header);
  if (code != CODE_OK) return code;
  u32 block_max = u32(header.window < BLOCK_MAX ? header.window : BLOCK_MAX);
  // The distances before any was used (section 3.1.1.5).
  ZstdFrame frame = {page.target, page.target_len, *out, *out, block_max, {1, 4, 8}, false, 0, 0, 0, 0};
  u32 end = header.len;
  code = zstd_blocks(s, &frame, span, &end);
  if (code != CODE_OK) return code;
  u32 len = frame.done - *out;
  if (header.has_content_size && header.content_size != len) return CODE_BAD_HEADER;
  if (header.has_checksum) {
    if (span.len - end < 4) return CODE_TRUNCATED;
    if (u32(xxh64(page.target + *out, len)) != load_unaligned<u32>(span.data + end)) return CODE_BAD_CHECKSUM;
    end += 4;
  }
  *at += end, *out = frame.done;
  return CODE_OK;
}

// Frames follow each other. Bytes behind the last one that do not begin another are not read, and
// the batch's report refuses them.
__device__ inline Outcome zstd_page(const Page& page, ZstdScratch* s) {
  u32 at = 0, out = 0;
  for (bool first = true;; first = false) {
    u32 rest = page.source_len - at;
    u32 magic = rest < 4 ? 0 : load_unaligned<u32>(page.source + at);
    if (magic == ZSTD_MAGIC) {
      u32 code = zstd_frame(s, page, &at, &out);
      if (code != CODE_OK) return failed(code);
    } else if ((magic & ~15u) == SKIPPABLE_MAGIC) {
      if (rest < 8) return failed(CODE_TRUNCATED);
      u32 len = load_unaligned<u32>(page.source + at + 4);
      if (len > rest - 8) return failed(CODE_TRUNCATED);
      at += 8 + len;
    } else if (first) {
      return failed(rest < 4 ? CODE_TRUNCATED : CODE_BAD_HEADER);
    } else {
      return Outcome{CODE_OK, out, at};
    }
  }
}
