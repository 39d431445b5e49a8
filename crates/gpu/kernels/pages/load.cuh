// Loads of bytes at any address, in whole words. Bytes read beyond the ones asked for lie within
// the padding of 32 bytes behind every buffer's contents; bytes read in front of them lie within
// the buffer's first word.
#pragma once
#include "pelton/prelude.cuh"

__device__ inline const u32* word_of(u64 address) { return reinterpret_cast<const u32*>(address & ~u64(3)); }

// `width` bits, 0 to 32, from bit `bit` on, the lowest bit of a byte first.
__device__ inline u32 load_bits(const u8* base, u64 bit, u32 width) {
  const u64 address = reinterpret_cast<u64>(base) + (bit >> 3);
  const u32 shift = u32(address & 3) * 8 + u32(bit & 7);
  const u32* words = word_of(address);
  const u64 both = words[0] | u64(words[1]) << 32;
  return u32(both >> shift & ((u64(1) << width) - 1));
}

// Up to 64 bits likewise.
__device__ inline u64 load_bits64(const u8* base, u64 bit, u32 width) {
  const u64 address = reinterpret_cast<u64>(base) + (bit >> 3);
  const u32 shift = u32(address & 3) * 8 + u32(bit & 7);
  const u32* words = word_of(address);
  u64 value = (words[0] | u64(words[1]) << 32) >> shift;
  if (shift + width > 64) value |= u64(words[2]) << (64 - shift);
  return width >= 64 ? value : value & ((u64(1) << width) - 1);
}

__device__ inline u32 load_u32(const u8* at) {
  const u64 address = reinterpret_cast<u64>(at);
  const u32* words = word_of(address);
  const u32 shift = u32(address & 3) * 8;
  return shift == 0 ? words[0] : u32((words[0] | u64(words[1]) << 32) >> shift);
}

__device__ inline u64 load_u64(const u8* at) {
  const u64 address = reinterpret_cast<u64>(at);
  const u32* words = word_of(address);
  const u32 shift = u32(address & 3) * 8;
  const u64 low = words[0] | u64(words[1]) << 32;
  return shift == 0 ? low : low >> shift | u64(words[2]) << (64 - shift);
}

__device__ inline u64 swap_bytes(u64 value) {
  value = (value & 0x00ff00ff00ff00ffull) << 8 | (value >> 8 & 0x00ff00ff00ff00ffull);
  value = (value & 0x0000ffff0000ffffull) << 16 | (value >> 16 & 0x0000ffff0000ffffull);
  return value << 32 | value >> 32;
}

// Returns a stored decimal: two's complement of 1 to 16 bytes, the highest first.
__device__ inline i128 load_decimal(const u8* at, u32 length) {
  const u64 high = swap_bytes(load_u64(at));
  if (length <= 8) return i128(i64(high) >> (64 - 8 * length));
  const u64 low = swap_bytes(load_u64(at + 8));
  return i128(u128(high) << 64 | low) >> (128 - 8 * length);
}
