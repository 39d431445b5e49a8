// DELTA_BINARY_PACKED (parquet-format, Encodings.md) to plain values.
//
// A thread could enter at a miniblock if its first value were noted, and add up the deltas in front
// of its own: 16 of them on average, of about 6 instructions each. On an H100 that is some 3 ps a
// value of 30 T instructions a second, and a pass over all deltas to find the first values comes
// before it. Decoding in that pass instead writes and reads 8 bytes a value, 5 ps at 3.3 TB/s, and
// what reads the values then is the path of plain ones. So columns are decoded.
#pragma once
#include "pages/codes.cuh"
#include "pages/layout.cuh"
#include "pages/load.cuh"

// The sum of the lanes up to this one.
__device__ inline u64 warp_prefix_sum(u64 value) {
  for (u32 step = 1; step < 32; step *= 2) {
    const u64 other = __shfl_up_sync(FULL_WARP, value, step);
    if (lane_id() >= step) value += other;
  }
  return value;
}

// Reads bytes one after the other.
struct ByteReader {
  const u8* bytes;
  u32 length;
  u32 at;

  // A ULEB128 number of at most 64 bits; false if there is none.
  __device__ bool varint(u64& value) {
    value = 0;
    for (u32 index = 0; index < 10; ++index) {
      if (at >= length) return false;
      const u64 byte = bytes[at++];
      value |= (byte & 0x7f) << (7 * index);
      if (byte < 0x80) return index < 9 || byte <= 1;
    }
    return false;
  }

  // The same with a sign in the lowest bit.
  __device__ bool zigzag(u64& value) {
    if (!varint(value)) return false;
    value = value >> 1 ^ (0 - (value & 1));
    return true;
  }
};

// Whether a value fits in 32 bits with a sign, if that is what values are of.
__device__ inline bool fits(u64 value, u32 bits) { return bits == 64 || i64(value) == i64(i32(u32(value))); }

// A warp decodes `wanted` values of 32 or 64 bits; if it is `exact`, as many have to be there, and
// not more. The sink is called by all lanes together: sink(first, value, is_there) has value number
// first + lane_id(). `end` is where the values end. Returns 0, or what is wrong and where.
template <class Sink>
__device__ inline u32 delta_decode(
  const u8* bytes, u32 length, u32 bits, u32 wanted, bool exact, u32& end, u64& detail, Sink& sink
) {
  ByteReader reader{bytes, length, 0};
  u64 block_size, miniblocks, total, last;
  detail = 0;
  if (!reader.varint(block_size) || !reader.varint(miniblocks) || !reader.varint(total) || !reader.zigzag(last)) {
    return PAGE_DELTA_HEADER;
  }
  if (miniblocks == 0 || block_size % 128 != 0 || block_size % miniblocks != 0) return PAGE_DELTA_HEADER;
  const u64 size = block_size / miniblocks;
  // a miniblock of no values would never end; one of more than a page has is none
  if (size == 0 || size % 32 != 0 || size > 0x7fffffff || !fits(last, bits)) return PAGE_DELTA_HEADER;
  detail = wanted;
  if (total < wanted || (exact && total != wanted)) return PAGE_DELTA_SHORT;
  if (wanted > 0) sink(0, last, lane_id() == 0);
  u32 done = min(wanted, 1u);
  while (done < wanted) {
    u64 least;
    detail = reader.at;
    if (!reader.zigzag(least) || !fits(least, bits)) return PAGE_DELTA_HEADER;
    if (miniblocks > length - reader.at) return PAGE_DELTA_HEADER;
    const u8* widths = bytes + reader.at;
    reader.at += u32(miniblocks);
    for (u64 block = 0; block < miniblocks && done < wanted; ++block) {
      const u32 width = widths[block];
      detail = width;
      if (width > bits) return PAGE_DELTA_WIDTH;
      const u8* packed = bytes + reader.at;
      // what is there of the miniblock, of which writers may leave out what lies behind the last
      // value
      const u64 there = min(size * width, u64(length - reader.at) * 8);
      for (u64 from = 0; from < size && done < wanted; from += 32) {
        const u32 count = min(wanted - done, 32u);
        detail = done;
        if ((from + count) * width > there) return PAGE_DELTA_SHORT;
        const bool is_there = lane_id() < count;
        u64 delta = 0;
        if (is_there) delta = least + load_bits64(packed, (from + lane_id()) * width, width);
        const u64 value = last + warp_prefix_sum(delta);
        sink(done, value, is_there);
        last = __shfl_sync(FULL_WARP, value, 31);
        done += count;
      }
      reader.at += u32(there / 8);
    }
  }
  end = reader.at;
  return 0;
}

// Writes values of 4 or 8 bytes.
struct ValueSink {
  u8* to;
  u32 width;

  __device__ void operator()(u32 first, u64 value, bool is_there) {
    if (!is_there) return;
    const u32 index = first + lane_id();
    if (width == 8) {
      reinterpret_cast<u64*>(to)[index] = value;
    } else {
      reinterpret_cast<u32*>(to)[index] = u32(value);
    }
  }
};
