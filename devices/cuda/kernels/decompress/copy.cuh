// Copies by a whole warp.
//
// Four bytes a lane, 128 bytes a step, each step one store of a whole cache line. Bytes up to the
// target's next multiple of four go first. The source is read in aligned words, two for each word
// of the target where the alignments differ. No byte outside the source's range is read: its first
// and last bytes, where an aligned word may reach over, go one by one.
#pragma once

#include "pelton/prelude.cuh"

// For functions with several callers. Inlined into each caller, and their callees with them, they
// would take minutes to compile.
#define ONCE __attribute__((noinline)) inline

// Returns a word at an address that is a multiple of four, in memory that is otherwise bytes.
__device__ inline u32 load_word(const u8* aligned) {
#if defined(__CUDACC__)
  return *reinterpret_cast<const u32*>(aligned);
#else
  return load_unaligned<u32>(__builtin_assume_aligned(aligned, 4));
#endif
}

__device__ inline void store_word(u8* aligned, u32 word) {
#if defined(__CUDACC__)
  *reinterpret_cast<u32*>(aligned) = word;
#else
  store_unaligned<u32>(__builtin_assume_aligned(aligned, 4), word);
#endif
}

// Returns the low part of `high:low` from byte `by` (0 to 3) on.
__device__ inline u32 join_words(u32 low, u32 high, u32 by) {
  return by == 0 ? low : (low >> (8 * by)) | (high << (32 - 8 * by));
}

// Below this length single bytes are faster: a step of 32 has nearly all of them.
constexpr u32 SHORT_COPY = 64;

// Copies `len` bytes forward. With OVERLAPS the source may lie so close behind the target's
// beginning that it is overwritten as it is read; it never lies before it. All lanes call it alike.
// They can read bytes written before, and bytes written here once it returns.
template <bool OVERLAPS>
__device__ inline void copy_bytes(u8* to, const u8* from, u32 len) {
  u32 lane = lane_id();
  for (u32 at = 0; at < len; at += 32) {
    bool mine = at + lane < len;
    u8 byte = mine ? from[at + lane] : u8(0);
    if (OVERLAPS) __syncwarp(FULL_WARP);
    if (mine) to[at + lane] = byte;
    if (OVERLAPS) __syncwarp(FULL_WARP);
  }
  if (!OVERLAPS) __syncwarp(FULL_WARP);
}

template <bool OVERLAPS>
__device__ ONCE void copy(u8* to, const u8* from, u32 len) {
  if (len < SHORT_COPY) {
    copy_bytes<OVERLAPS>(to, from, len);
    return;
  }
  // At least four, so that the word in which the rest begins is within the source.
  u32 head = 4 + (u32(-reinterpret_cast<u64>(to)) & 3);
  copy_bytes<OVERLAPS>(to, from, head);
  to += head, from += head, len -= head;
  // Leaves the last four bytes and the remainder of a word: the word after the last may reach into
  // them and no further.
  u32 words = (len - 4) / 4;
  u32 by = u32(reinterpret_cast<u64>(from)) & 3;
  const u8* aligned = from - by;
  u32 lane = lane_id();
  for (u32 at = 0; at < words; at += 32) {
    bool mine = at + lane < words;
    u32 word = 0;
    if (mine) {
      const u8* here = aligned + 4 * u64(at + lane);
      u32 low = load_word(here);
      word = by == 0 ? low : join_words(low, load_word(here + 4), by);
    }
    if (OVERLAPS) __syncwarp(FULL_WARP);
    if (mine) store_word(to + 4 * u64(at + lane), word);
    if (OVERLAPS) __syncwarp(FULL_WARP);
  }
  copy_bytes<OVERLAPS>(to + 4 * u64(words), from + 4 * u64(words), len - 4 * words);
}

// Writes `len` bytes at `to` that repeat the `distance` bytes before it. A match that overlaps
// itself has a period: each round doubles the bytes that can be copied at a time, so a long run
// takes few rounds.
__device__ ONCE void copy_match(u8* to, u32 distance, u32 len) {
  const u8* from = to - distance;
  u32 done = 0;
  while (done < len) {
    u32 rest = len - done, ready = distance + done;
    u32 part = rest < ready ? rest : ready;
    copy<false>(to + done, from, part);
    done += part;
  }
}

// Writes the same byte `len` times.
__device__ ONCE void fill(u8* to, u8 byte, u32 len) {
  if (len == 0) return;
  if (lane_id() == 0) *to = byte;
  __syncwarp(FULL_WARP);
  copy_match(to + 1, 1, len - 1);
}
