// CRC-32 and Adler-32 of a page, by a warp.
//
// Each lane takes a contiguous 32nd of the bytes, and the lanes' results are combined: both sums
// are linear. The bytes were just written, so they come from the caches.
#pragma once

#include "decompress/copy.cuh"

// The polynomial of CRC-32/ISO-HDLC, lowest power first (RFC 1952, section 8).
constexpr u32 CRC_POLYNOMIAL = 0xEDB88320u;

struct CrcTable {
  u32 by_byte[256];
};

__device__ inline void make_crc_table(CrcTable* table) {
  for (u32 byte = lane_id(); byte < 256; byte += 32) {
    u32 crc = byte;
    for (u32 i = 0; i < 8; i++) crc = (crc >> 1) ^ (crc & 1 ? CRC_POLYNOMIAL : 0u);
    table->by_byte[byte] = crc;
  }
  __syncwarp(FULL_WARP);
}

// Returns the product of two polynomials modulo the CRC's; the highest bit is the power 0.
__device__ ONCE u32 crc_multiply(u32 a, u32 b) {
  u32 product = 0;
  for (u32 i = 0; i < 32; i++) {
    product ^= a >> 31 ? b : 0u;
    a <<= 1;
    b = (b >> 1) ^ (b & 1 ? CRC_POLYNOMIAL : 0u);
  }
  return product;
}

// Returns x to the power of eight times `bytes`: the factor for a CRC that `bytes` bytes follow.
__device__ inline u32 crc_shift(u32 bytes) {
  u32 power = 1u << 31, square = 1u << (31 - 8);
  for (; bytes != 0; bytes >>= 1) {
    if (bytes & 1) power = crc_multiply(power, square);
    square = crc_multiply(square, square);
  }
  return power;
}

// A lane's share of the bytes.
struct Share {
  u32 begin;
  u32 end;
};

__device__ inline Share share_of(u32 len) {
  u32 each = (len + 31) / 32;
  u32 begin = lane_id() * each, end = begin + each;
  return Share{begin < len ? begin : len, end < len ? end : len};
}

__device__ ONCE u32 crc32(const CrcTable& table, const u8* data, u32 len) {
  Share share = share_of(len);
  // The register is all ones at the beginning.
  u32 crc = lane_id() == 0 ? ~0u : 0u;
  for (u32 i = share.begin; i < share.end; i++) crc = (crc >> 8) ^ table.by_byte[(crc ^ data[i]) & 255];
  crc = crc_multiply(crc, crc_shift(len - share.end));
  for (u32 by = 16; by != 0; by /= 2) crc ^= __shfl_xor_sync(FULL_WARP, crc, by);
  return ~crc;
}

// The largest prime of 16 bits (RFC 1950).
constexpr u32 ADLER_PRIME = 65521;
// Bytes after which the sums are reduced, so that they stay below 2^32.
constexpr u32 ADLER_STEP = 5552;

__device__ ONCE u32 adler32(const u8* data, u32 len) {
  Share share = share_of(len);
  u32 sum = 0, sums = 0;
  for (u32 i = share.begin; i < share.end;) {
    u32 stop = share.end - i < ADLER_STEP ? share.end : i + ADLER_STEP;
    for (; i < stop; i++) sum += data[i], sums += sum;
    sum %= ADLER_PRIME, sums %= ADLER_PRIME;
  }
  // A byte counts once more in the second sum for each byte after it, also for bytes of later
  // lanes.
  u64 after = u64(sum) * (len - share.end) + sums;
  u32 low = __reduce_add_sync(FULL_WARP, sum);
  u32 high = __reduce_add_sync(FULL_WARP, u32(after % ADLER_PRIME));
  // The first sum begins at 1, which the second counts once for each byte.
  return (low + 1) % ADLER_PRIME | (high + len % ADLER_PRIME) % ADLER_PRIME << 16;
}
