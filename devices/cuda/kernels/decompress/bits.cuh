// Bit reader, from the least significant bit of each byte on, for a warp in which all lanes read
// the same.
//
// The input goes through shared memory, 128 bytes at a time, one word a lane. A load of global
// memory takes as long as decoding several symbols, so the next 128 bytes are always on their way
// to a register of each lane while these are read. Zeros follow the end of the input; `overrun`
// tells that they were read.
#pragma once

#include "pelton/prelude.cuh"

struct BitRing {
  u32 words[32];
};

struct Bits {
  const u8* in;
  u32 len;
  BitRing* ring;
  // The first word that is not in the ring, this lane's word of the following ones, and the next
  // word for `window`.
  u32 fetched;
  u32 pending;
  u32 next;
  // The next bits, and their number.
  u64 window;
  u32 ready;

  __device__ Bits(const u8* input, u32 length, BitRing* shared) : in(input), len(length), ring(shared) { seek(0); }

  // Starts again at a byte.
  __device__ void seek(u32 byte) {
    fetched = next = byte / 4;
    pending = load();
    window = 0, ready = 0;
    need(32);
    drop(8 * (byte % 4));
  }

  // Loads bits until there are at least `count`, 32 at most.
  __device__ void need(u32 count) {
    if (ready >= count) return;
    if (next == fetched) fetch();
    window |= u64(ring->words[next & 31]) << ready;
    next += 1, ready += 32;
  }

  __device__ u32 peek(u32 count) const { return u32(window) & ((1u << count) - 1); }
  __device__ void drop(u32 count) { window >>= count, ready -= count; }

  // Takes the next bits, 16 at most.
  __device__ u32 take(u32 count) {
    need(count);
    u32 bits = peek(count);
    drop(count);
    return bits;
  }

  // Returns the number of bits taken.
  __device__ u64 position() const { return 32 * u64(next) - ready; }
  __device__ u32 byte_position() const { return u32((position() + 7) / 8); }
  __device__ bool overrun() const { return position() > 8 * u64(len); }

  // This lane's word behind `fetched`.
  __device__ u32 load() const {
    u64 at = 4 * u64(fetched + lane_id());
    u32 word = 0;
    for (u32 i = 0; i < 4; i++) {
      if (at + i < len) word |= u32(in[at + i]) << (8 * i);
    }
    return word;
  }

  __device__ void fetch() {
    // All lanes have read the words that are overwritten.
    __syncwarp(FULL_WARP);
    ring->words[(fetched + lane_id()) & 31] = pending;
    __syncwarp(FULL_WARP);
    fetched += 32;
    pending = load();
  }
};
