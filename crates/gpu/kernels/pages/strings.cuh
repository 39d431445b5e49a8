// Directories of byte strings, which can't be entered in the middle: offsets of 4 bytes a value, a
// quarter of a view. String `i` lies from offset `i` to offset `i + 1` less the gap, which is the
// length in front of the next string or nothing.
#pragma once
#include "pages/delta.cuh"

// Words of a page that a warp stages in shared memory, where each length costs tens of cycles
// instead of hundreds.
constexpr u32 STAGE_WORDS = 256;
// Bytes of a length.
constexpr u32 LENGTH_BYTES = 4;

// A warp finds the strings of a PLAIN page. Each length leads to the next one, so all lanes
// follow them together, and each lane keeps every 32nd offset.
__device__ inline u32 plain_offsets(const u8* bytes, u32 length, u32 count, u32* offsets, u32* stage, u64& detail) {
  const u64 first = reinterpret_cast<u64>(bytes);
  // the words that hold the page's last byte and the bytes in front of it
  const u64 words_end = (first + length + 3) & ~u64(3);
  u64 staged = 0;
  u64 staged_end = 0;
  u32 at = 0;
  u32 mine = 0;
  for (u32 index = 0; index < count; ++index) {
    detail = index;
    if (length - at < LENGTH_BYTES) {
      detail = count;
      return PAGE_VALUES_SHORT;
    }
    const u64 address = first + at;
    if (address + LENGTH_BYTES > staged_end) {
      __syncwarp(FULL_WARP);
      staged = address & ~u64(3);
      staged_end = min(staged + STAGE_WORDS * 4, words_end);
      for (u64 word = staged + lane_id() * 4; word < staged_end; word += 32 * 4) {
        stage[(word - staged) / 4] = *word_of(word);
      }
      __syncwarp(FULL_WARP);
    }
    const u32 word = u32(address - staged) / 4;
    const u32 shift = u32(address & 3) * 8;
    u32 size = stage[word];
    if (shift != 0) size = size >> shift | stage[word + 1] << (32 - shift);
    if (size > length - at - LENGTH_BYTES) return PAGE_STRING_LENGTH;
    at += LENGTH_BYTES;
    if ((index & 31) == lane_id()) mine = at;
    if ((index & 31) == 31) offsets[index - 31 + lane_id()] = mine;
    at += size;
  }
  if (lane_id() < (count & 31)) offsets[(count & ~31u) + lane_id()] = mine;
  if (lane_id() == 0) offsets[count] = at + LENGTH_BYTES;
  return 0;
}

// Adds lengths up to offsets.
struct LengthSink {
  u32* offsets;
  u64 sum;
  // The first value with a negative length, and whether there is one.
  u32 bad;
  bool is_bad;

  __device__ void operator()(u32 first, u64 value, bool is_there) {
    const bool is_negative = is_there && i32(u32(value)) < 0;
    const u32 negative = __ballot_sync(FULL_WARP, is_negative);
    if (negative != 0 && !is_bad) {
      is_bad = true;
      bad = first + u32(__ffs(int(negative))) - 1;
    }
    const u64 upto = sum + warp_prefix_sum(is_there && !is_negative ? u64(u32(value)) : 0);
    if (is_there) offsets[first + lane_id() + 1] = u32(upto);
    sum = __shfl_sync(FULL_WARP, upto, 31);
  }
};

// A warp decodes the lengths of DELTA_LENGTH_BYTE_ARRAY. `end` is set to the first string's
// place.
__device__ inline u32 length_offsets(const u8* bytes, u32 length, u32 count, u32* offsets, u32& end, u64& detail) {
  LengthSink sink{offsets, 0, 0, false};
  if (lane_id() == 0) offsets[0] = 0;
  const u32 code = delta_decode(bytes, length, 32, count, true, end, detail, sink);
  if (code != 0) return code;
  detail = sink.is_bad ? sink.bad : count;
  return sink.is_bad || sink.sum > length - end ? u32(PAGE_STRING_LENGTH) : 0;
}

// Keeps lengths of prefixes.
struct PrefixSink {
  u32* prefixes;

  __device__ void operator()(u32 first, u64 value, bool is_there) {
    if (is_there) prefixes[first + lane_id()] = u32(value);
  }
};

// Adds lengths of suffixes and prefixes up to offsets of whole strings.
struct WholeSink {
  const u32* prefixes;
  u32* offsets;
  // Bytes of a value that has a fixed length; zero: any.
  u32 fixed;
  u64 suffixes;
  u64 sum;
  // Length of the value in front.
  u64 before;
  u32 code;
  u32 bad;

  __device__ void operator()(u32 first, u64 value, bool is_there) {
    const u32 suffix = u32(value);
    const u32 prefix = is_there ? prefixes[first + lane_id()] : 0;
    const u64 whole = is_there ? u64(prefix) + suffix : 0;
    const u64 shifted = __shfl_up_sync(FULL_WARP, whole, 1);
    const u64 previous = lane_id() == 0 ? before : shifted;
    u32 own = 0;
    if (is_there && i32(suffix) < 0) own = PAGE_STRING_LENGTH;
    else if (is_there && prefix > previous) own = PAGE_PREFIX_LENGTH;
    else if (is_there && fixed != 0 && whole != fixed) own = PAGE_FIXED_LENGTH;
    const u32 wrong = __ballot_sync(FULL_WARP, own != 0);
    if (wrong != 0 && code == 0) {
      const u32 lane = u32(__ffs(int(wrong))) - 1;
      code = __shfl_sync(FULL_WARP, own, int(lane));
      bad = first + lane;
    }
    const u64 upto = sum + warp_prefix_sum(whole);
    if (is_there) offsets[first + lane_id() + 1] = u32(upto);
    sum = __shfl_sync(FULL_WARP, upto, 31);
    suffixes += __shfl_sync(FULL_WARP, warp_prefix_sum(is_there ? u64(suffix) : 0), 31);
    // the sink is called for one value first, then for 32 at a time; only the last call has fewer
    before = __shfl_sync(FULL_WARP, whole, first == 0 ? 0 : 31);
  }
};

// A warp decodes the lengths of DELTA_BYTE_ARRAY. `end` is set to the first suffix's place,
// `size` to the bytes of all strings.
__device__ inline u32 front_coded_offsets(
  const u8* bytes, u32 length, u32 count, u32 fixed, u32* prefixes, u32* offsets, u32& end, u64& size, u64& detail
) {
  PrefixSink kept{prefixes};
  u32 prefixes_end = 0;
  u32 code = delta_decode(bytes, length, 32, count, true, prefixes_end, detail, kept);
  if (code != 0) return code;
  __syncwarp(FULL_WARP);
  if (lane_id() == 0) offsets[0] = 0;
  WholeSink sink{prefixes, offsets, fixed, 0, 0, 0, 0, 0};
  code = delta_decode(bytes + prefixes_end, length - prefixes_end, 32, count, true, end, detail, sink);
  if (code != 0) return code;
  end += prefixes_end;
  detail = sink.bad;
  if (sink.code != 0) return sink.code;
  detail = count;
  if (sink.suffixes > length - end) return PAGE_STRING_LENGTH;
  size = sink.sum;
  detail = size;
  return size > NOT_KNOWN ? u32(PAGE_TOO_LARGE) : 0;
}

// A warp writes the strings of a page of DELTA_BYTE_ARRAY with known lengths: each is the start of
// the one in front and a suffix.
__device__ inline void write_front_coded(const u8* suffixes, u32 count, const u32* prefixes, const u32* offsets, u8* to) {
  u32 previous = 0;
  for (u32 index = 0; index < count; ++index) {
    const u32 start = offsets[index];
    const u32 size = offsets[index + 1] - start;
    const u32 prefix = prefixes[index];
    for (u32 at = lane_id(); at < size; at += 32) {
      to[start + at] = at < prefix ? to[previous + at] : suffixes[at - prefix];
    }
    suffixes += size - prefix;
    previous = start;
    // the next value starts with bytes that other lanes have written
    __syncwarp(FULL_WARP);
  }
}
