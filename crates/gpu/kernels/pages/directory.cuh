// The first pass over pages: a warp for each finds its levels and its values, and checks every
// length, count and run that can be checked without looking at all values. A damaged page gets no
// form, and reads as nulls.
#pragma once
#include "pages/nulls.cuh"
#include "pages/strings.cuh"

struct Finding {
  u32 code;
  u64 detail;
};

__device__ inline Finding fine() { return Finding{0, 0}; }

// Returns the hybrid of a page of dictionary indices, or of booleans.
__device__ inline Hybrid hybrid_of(const Page& page) { return Hybrid{page.values, page.values_length, page.code_width}; }

// Finds levels and values, and makes the words of the levels.
__device__ inline Finding find_values(Page& page) {
  Hybrid levels{page.levels, page.levels_length, 1};
  page.values = page.body;
  page.values_length = page.body_length;
  page.present = page.rows;
  page.has_nulls = 0;
  if (page.levels_kind == LEVELS_NONE) return fine();
  if (page.levels_kind == LEVELS_IN_FRONT) {
    if (page.body_length < 4) return Finding{PAGE_LEVELS_LENGTH, 0};
    levels = Hybrid{page.body + 4, load_u32(page.body), 1};
    if (levels.length > page.body_length - 4) return Finding{PAGE_LEVELS_LENGTH, 0};
    page.values = levels.bytes + levels.length;
    page.values_length = page.body_length - 4 - levels.length;
  }
  if (page.levels_kind == LEVELS_PACKED) {
    const u32 size = (page.rows + 7) / 8;
    if (size > page.body_length) return Finding{PAGE_LEVELS_LENGTH, 0};
    page.values = page.body + size;
    page.values_length = page.body_length - size;
    page.present = build_packed_nulls(page.body, page.rows, page.words);
    page.has_nulls = 1;
    return fine();
  }
  Finding finding = fine();
  bool has_nulls = false;
  finding.code = build_nulls(levels, page.rows, page.words, page.present, has_nulls, finding.detail);
  page.has_nulls = has_nulls;
  if (finding.code == 0 && page.expected != NOT_KNOWN && page.present != page.expected) {
    return Finding{PAGE_NULL_COUNT, page.present};
  }
  return finding;
}

__device__ inline Finding short_if(bool is_short, const Page& page) {
  return is_short ? Finding{PAGE_VALUES_SHORT, page.present} : fine();
}

__device__ inline Finding find_plain(Page& page, u32* stage) {
  if (page.physical == TYPE_BOOLEAN) {
    page.form = FORM_BITS;
    return short_if((page.present + 7) / 8 > page.values_length, page);
  }
  if (page.physical == TYPE_BYTE_ARRAY) {
    page.form = FORM_STRINGS;
    page.gap = LENGTH_BYTES;
    Finding finding = fine();
    finding.code =
      plain_offsets(page.values, page.values_length, page.present, page.offsets, stage, finding.detail);
    return finding;
  }
  page.form = FORM_FIXED;
  return short_if(u64(page.present) * page.value_width > page.values_length, page);
}

// The width of the indices is in front of them, in a byte. A page of nulls alone may have
// no indices, and not even their width.
__device__ inline Finding find_codes(Page& page) {
  page.form = FORM_CODES;
  page.code_width = 0;
  if (page.values_length > 0) {
    page.code_width = page.values[0];
    if (page.code_width > 32) return Finding{PAGE_CODE_WIDTH, page.code_width};
    page.values += 1;
    page.values_length -= 1;
  }
  Finding finding = fine();
  finding.code = build_runs(hybrid_of(page), page.present, page.runs, finding.detail);
  return finding;
}

// A hybrid of booleans has its length in front of it, in four bytes.
__device__ inline Finding find_bit_runs(Page& page) {
  page.form = FORM_BIT_RUNS;
  page.code_width = 1;
  if (page.present == 0) return fine();
  if (page.values_length < LENGTH_BYTES) return Finding{PAGE_VALUES_SHORT, page.present};
  const u32 length = load_u32(page.values);
  if (length > page.values_length - LENGTH_BYTES) return Finding{PAGE_VALUES_SHORT, page.present};
  page.values += LENGTH_BYTES;
  page.values_length = length;
  Finding finding = fine();
  finding.code = build_runs(hybrid_of(page), page.present, page.runs, finding.detail);
  return finding;
}

__device__ inline Finding find_deltas(Page& page) {
  page.form = FORM_FIXED;
  if (page.present == 0) return fine();
  Finding finding = fine();
  ValueSink sink{page.decoded, page.value_width};
  u32 end = 0;
  finding.code = delta_decode(
    page.values, page.values_length, page.value_width * 8, page.present, false, end, finding.detail, sink
  );
  page.values = page.decoded;
  page.values_length = page.present * page.value_width;
  return finding;
}

// The bytes of a value lie apart. Numbers are put together by their readers; longer values
// are put together here.
__device__ inline Finding find_split(Page& page) {
  if (page.value_width == 0) {
    page.form = FORM_FIXED;
    return fine();
  }
  page.stride = page.values_length / page.value_width;
  if (page.stride < page.present) return Finding{PAGE_VALUES_SHORT, page.present};
  if (page.physical != TYPE_FIXED) {
    page.form = FORM_SPLIT;
    return fine();
  }
  for (u32 index = lane_id(); index < page.present; index += 32) {
    for (u32 byte = 0; byte < page.value_width; ++byte) {
      page.decoded[u64(index) * page.value_width + byte] = page.values[u64(byte) * page.stride + index];
    }
  }
  page.form = FORM_FIXED;
  page.values = page.decoded;
  return fine();
}

__device__ inline Finding find_lengths(Page& page) {
  page.form = FORM_STRINGS;
  page.gap = 0;
  if (page.present == 0) {
    if (lane_id() == 0) page.offsets[0] = 0;
    return fine();
  }
  Finding finding = fine();
  u32 end = 0;
  finding.code =
    length_offsets(page.values, page.values_length, page.present, page.offsets, end, finding.detail);
  page.values += end;
  page.values_length -= end;
  return finding;
}

// `decoded` is written later, when its memory is allocated (write_strings).
__device__ inline Finding find_front_coded(Page& page) {
  page.form = page.physical == TYPE_FIXED ? FORM_FIXED : FORM_STRINGS;
  page.gap = 0;
  page.decoded_length = 0;
  if (page.present == 0) {
    if (lane_id() == 0) page.offsets[0] = 0;
    return fine();
  }
  Finding finding = fine();
  u32 end = 0;
  finding.code = front_coded_offsets(
    page.values, page.values_length, page.present, page.value_width, page.prefixes, page.offsets, end,
    page.decoded_length, finding.detail
  );
  page.values += end;
  page.values_length -= end;
  return finding;
}

__device__ inline Finding find(Page& page, u32* stage) {
  const Finding finding = find_values(page);
  if (finding.code != 0) return finding;
  switch (page.encoding) {
    case ENCODING_PLAIN: return find_plain(page, stage);
    case ENCODING_CODES: return find_codes(page);
    case ENCODING_RLE: return find_bit_runs(page);
    case ENCODING_DELTA: return find_deltas(page);
    case ENCODING_DELTA_LENGTH: return find_lengths(page);
    case ENCODING_DELTA_BYTES: return find_front_coded(page);
    default: return find_split(page);
  }
}

// A warp builds the directory of a page.
__device__ inline void build_directory(Page* to, u32* stage, Status* status) {
  Page page = *to;
  // every lane has a copy of the page before one of them writes it
  __syncwarp(FULL_WARP);
  const Finding finding = find(page, stage);
  if (finding.code != 0) {
    page.form = FORM_NONE;
    page.present = 0;
    page.decoded_length = 0;
  }
  if (lane_id() != 0) return;
  if (finding.code != 0) status_fail(status, finding.code, page.column, page.number, finding.detail);
  *to = page;
}
