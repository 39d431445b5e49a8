// Zstandard's bitstreams, which are read from their end (RFC 8878, section 4.1).
#pragma once

#include "decompress/zstd_fse.cuh"

// Bit reader from the end of a stream on, most significant bit first. It reads four bytes at a
// time, loaded before they are needed. Each lane may read a stream of its own, or all the same.
struct BackwardBits {
  const u8* data;
  // Bytes that are not loaded yet.
  u32 rest;
  u32 pending;
  // Bits in `pending`.
  u32 waiting;
  // The next bits, from the highest on, and their number: negative once more were taken than there
  // are.
  u64 window;
  i32 ready;

  // False if the stream has no mark at its end.
  __device__ bool open(Span span) {
    data = span.data, rest = span.len;
    window = 0, ready = 0, pending = 0, waiting = 0;
    if (rest == 0 || data[rest - 1] == 0) return false;
    load();
    need();
    // The highest bit that is set is the mark.
    drop(1 + __clzll(i64(window)));
    return true;
  }

  __device__ void load() {
    waiting = rest < 4 ? 8 * rest : 32;
    pending = 0;
    for (u32 i = 0; i < waiting / 8; i++) pending = pending << 8 | data[rest - 1 - i];
    rest -= waiting / 8;
  }

  // Loads bits until there are at least 32, or all.
  __device__ void need() {
    while (ready < 32 && waiting != 0) {
      window |= u64(pending) << (64 - waiting) >> ready;
      ready += i32(waiting);
      load();
    }
  }

  // Returns the next bits, 0 to 32, without loading; zeros after the last.
  __device__ u32 peek(u32 count) const { return count == 0 ? 0 : u32(window >> (64 - count)); }
  __device__ void drop(u32 count) { window <<= count, ready -= i32(count); }

  __device__ u32 take(u32 count) {
    need();
    u32 bits = peek(count);
    drop(count);
    return bits;
  }

  // Returns whether exactly all bits were taken.
  __device__ bool at_end() const { return ready == 0 && waiting == 0; }
  __device__ bool overrun() const { return ready < 0; }
};
