// DELTA_BINARY_PACKED (parquet-format, Encodings.md) to plain values.
//
// A thread could enter at a miniblock if its first value were noted, and add up the deltas in front
// of its own. But the pass over all deltas that finds the first values is needed first. If that
// pass decodes the values, the extra writes and reads take about as long as the sums, and readers
// use the path of plain values. So columns are decoded.
#pragma once
#include "pages/codes.cuh"
#include "pages/layout.cuh"
#include "pages/load.cuh"

// Returns the sum of the lanes up to this one.
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

  // Reads a ULEB128 number of at most 64 bits; false if there is none.
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

  // Reads the same with a sign in the lowest bit.
  __device__ bool zigzag(u64& value) {
    if (!varint(value)) return false;
    value = value >> 1 ^ (0 - (value & 1));
    return true;
  }
};

// Returns whether a value fits in `bits` bits with a sign.
__device__ inline bool fits(u64 value, u32 bits) { return bits == 64 || i64(value) == i64(i32(u32(value))); }

// A warp decodes `wanted` values of 32 or 64 bits; with `exact` there must be exactly
// `wanted`. The sink is called by all lanes together: sink(first, value, is_there) has value number
// first + lane_id(). `end` is set to the end of the values. Returns zero, or an error code with its
// detail.
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
  // without values it would never end; more values than a page can have are damage
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
      // the bytes of the miniblock; writers may leave out those behind the last value
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
