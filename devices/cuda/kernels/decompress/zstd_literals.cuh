// The literals of a Zstandard block (RFC 8878, section 3.1.1.3.1).
#pragma once

#include "decompress/zstd_huffman.cuh"

// A block's literals in memory.
struct Literals {
  const u8* data;
  // One, or zero if all are the same byte.
  u32 stride;
  u32 len;
};

// State that the blocks of a frame pass on (section 3.1.1.5), and the frame's own numbers.
struct ZstdFrame {
  // The page's target, its capacity and the bytes written so far, and the beginning of the frame.
  u8* target;
  u32 room;
  u32 done;
  u32 begin;
  u32 block_max;
  u32 repeated[3];
  // Accuracies of the tables of sequences; none before the first block that has some.
  bool has_tables;
  u32 literal_length_log;
  u32 offset_log;
  u32 match_length_log;
  // The longest codeword of the Huffman code; zero before the first code.
  u32 huffman_log;
};

// Reads the sizes of raw literals, or of one repeated byte (section 3.1.1.3.1.1).
__device__ inline u32 plain_literals(Span block, Literals* literals, u32* taken) {
  u32 format = block.data[0] >> 2 & 3, head = format == 1 ? 2 : format == 3 ? 3 : 1;
  if (block.len < head) return CODE_TRUNCATED;
  literals->len = block.data[0] >> 3;
  if (head == 2) literals->len = block.data[0] >> 4 | block.data[1] << 4;
  if (head == 3) literals->len = block.data[0] >> 4 | block.data[1] << 4 | block.data[2] << 12;
  literals->stride = (block.data[0] & 3) == 0;
  u32 bytes = literals->stride == 1 ? literals->len : 1;
  if (bytes > block.len - head) return CODE_TRUNCATED;
  literals->data = block.data + head;
  *taken = head + bytes;
  return CODE_OK;
}

// Compressed literals. They are decoded to the end of the target. The block's output is at least as
// long as they are, so they are always ahead of the writes (zstd_block.cuh checks it), and no other
// memory is needed.
__device__ inline u32 coded_literals(ZstdScratch* s, ZstdFrame* frame, Span block, Literals* literals, u32* taken) {
  if (block.len < 5) return CODE_TRUNCATED;
  u32 format = block.data[0] >> 2 & 3, head = format < 2 ? 3 : format + 2;
  // Two sizes, of a width that depends on the format.
  u32 width = format < 2 ? 10 : format == 2 ? 14 : 18;
  u64 numbers = (load_unaligned<u32>(block.data) | u64(block.data[4]) << 32) >> 4;
  u32 len = u32(numbers) & ((1u << width) - 1), packed = u32(numbers >> width) & ((1u << width) - 1);
  if (len > frame->block_max || (format != 0 && len < 6)) return CODE_BAD_HEADER;
  if (packed > block.len - head) return CODE_TRUNCATED;
  if (len > frame->room - frame->done) return CODE_OUTPUT_TOO_LONG;
  Span span = {block.data + head, packed};
  if ((block.data[0] & 3) == 2) {
    u32 log = 0, description = 0;
    frame->huffman_log = 0;
    u32 code = read_huffman(s, span, &log, &description);
    if (code != CODE_OK) return code;
    if (description >= span.len) return CODE_TRUNCATED;
    frame->huffman_log = log;
    span = after(span, description);
  }
  if (frame->huffman_log == 0) return CODE_BAD_TABLE;
  u8* to = frame->target + frame->room - len;
  *literals = Literals{to, 1, len};
  *taken = head + packed;
  // A stream of no literals is as wrong as literals without a stream.
  return len == 0 ? u32(CODE_BAD_SYMBOL) : huffman_literals(s, frame->huffman_log, span, format != 0, to, len);
}

__device__ inline u32 read_literals(ZstdScratch* s, ZstdFrame* frame, Span block, Literals* literals, u32* taken) {
  u32 kind = block.data[0] & 3;
  u32 code = kind < 2 ? plain_literals(block, literals, taken) : coded_literals(s, frame, block, literals, taken);
  if (code == CODE_OK && literals->len > frame->block_max) return CODE_BAD_HEADER;
  if (code == CODE_OK && literals->len > frame->room - frame->done) return CODE_OUTPUT_TOO_LONG;
  return code;
}
