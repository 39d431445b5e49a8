// Values of a column by row, in any order, decoded from the page: the readers of generated kernels.
#pragma once
#include "pages/value.cuh"

// Values of a column's dictionary.
struct Dictionary {
  __device__ explicit Dictionary(const Column* of) : column(of) {}

  // Returns the number of entries; zero if the column has no dictionary, or it is damaged.
  __device__ u32 size() const {
    return column->dictionary == nullptr ? 0 : column->dictionary->present;
  }

  // For indices below size().
  __device__ i64 i64_at(u32 code) const { return i64(stored_decimal(*column, *column->dictionary, code)); }
  __device__ i128 i128_at(u32 code) const { return stored_decimal(*column, *column->dictionary, code); }
  __device__ f32 f32_at(u32 code) const { return __uint_as_float(u32(bits(code))); }
  __device__ f64 f64_at(u32 code) const { return __longlong_as_double(i64(bits(code))); }
  __device__ Str str_at(u32 code) const {
    return stored_bytes(*column->dictionary, column->value_width, code);
  }

 private:
  __device__ u64 bits(u32 code) const { return stored_bits(*column->dictionary, column->value_width, code); }

  const Column* column;
};

// A page, and its rows in the row group.
struct PageRows {
  const Page* page;
  u64 first;
  u32 rows;
};

// Returns the page of a row, if there is one. Like other rarely called functions it is not inlined,
// and returns values: a cursor then stays in registers, and a kernel of many columns compiles in a
// third of the time.
__device__ __noinline__ inline PageRows page_of(const Column* column, u64 to) {
  const PageRows none{nullptr, 0, 0};
  if (column->kind != COLUMN_PAGES || to < column->first_row) return none;
  const u64 hint = (to - column->first_row) / HINT_ROWS;
  if (hint >= column->hint_count) return none;
  for (u32 number = column->hints[hint]; number < column->page_count; ++number) {
    const Page* candidate = column->pages + number;
    if (to >= candidate->first_row + candidate->rows) continue;
    if (to < candidate->first_row) return none;
    return PageRows{candidate, candidate->first_row, candidate->rows};
  }
  return none;
}

// Reads rows of one column. It remembers page and run of the row before, and is cheap to make: one
// for each thread.
struct Cursor {
  __device__ explicit Cursor(const Column* of) : column(of) {}

  // Returns whether the row has a value. A row of a damaged page has none, and neither has an
  // unwanted row.
  __device__ bool valid(u64 row) {
    seek(row);
    return is_valid;
  }

  // Returns the value of a row that has one, by the column's type; zero for other rows.
  __device__ bool bool_at(u64 row) {
    seek(row);
    if (page == nullptr || !is_valid) return is_valid && column->constant[0] != 0;
    if (page->form == FORM_BIT_RUNS) return hybrid() != 0;
    return page->form == FORM_BITS && load_bits(page->values, index, 1) != 0;
  }

  __device__ i64 i64_at(u64 row) { return i64(i128_at(row)); }

  __device__ i128 i128_at(u64 row) {
    u32 at = 0;
    const Page* from = source(row, at);
    if (from == nullptr) return i128(u128(column->constant[1]) << 64 | column->constant[0]);
    return stored_decimal(*column, *from, at);
  }

  __device__ f32 f32_at(u64 row) { return __uint_as_float(u32(bits_at(row))); }

  __device__ f64 f64_at(u64 row) { return __longlong_as_double(i64(bits_at(row))); }

  __device__ Str str_at(u64 row) {
    u32 at = 0;
    const Page* from = source(row, at);
    if (from == nullptr) {
      return Str{reinterpret_cast<const u8*>(column->constant[0]), u32(column->constant[1]), 0};
    }
    return stored_bytes(*from, column->value_width, at);
  }

  // Returns whether code() can be called for a row with a value: its page has dictionary indices.
  __device__ bool coded(u64 row) {
    seek(row);
    return page != nullptr && has_codes();
  }

  // Returns the dictionary index of a row that has a value by index. An index beyond the dictionary
  // is an error, and returns zero.
  __device__ u32 code(u64 row) {
    seek(row);
    if (!is_valid) return 0;
    const u32 found = page->form == FORM_CODES ? hybrid() : flat_code(*page, index);
    if (found < Dictionary(column).size()) return found;
    status_fail(column->status, PAGE_CODE_RANGE, column->number, page->number, found);
    return 0;
  }

  // Returns the stored bits of a number of up to 8 bytes.
  __device__ u64 bits_at(u64 row) {
    u32 at = 0;
    const Page* from = source(row, at);
    return from == nullptr ? column->constant[0] : stored_bits(*from, column->value_width, at);
  }

  // Returns the number of values in front of the row; `before` has the number in front of each
  // page.
  __device__ u64 place(u64 row, const u32* before) {
    seek(row);
    return page == nullptr ? 0 : u64(before[page - column->pages]) + index;
  }

 private:
  __device__ bool has_codes() const { return page->form == FORM_CODES || page->form == FORM_FLAT_CODES; }

  // Returns the page with the row's value, which may be the dictionary, and the value's number
  // there. Null for a constant, and for a row without a value.
  __device__ const Page* source(u64 row, u32& at) {
    seek(row);
    if (!is_valid || page == nullptr) return nullptr;
    at = index;
    if (!has_codes()) return page;
    at = code(row);
    return Dictionary(column).size() == 0 ? nullptr : column->dictionary;
  }

  __device__ u32 hybrid() {
    const Hybrid values{page->values, page->values_length, page->code_width};
    return hybrid_value(values, page->runs, page->present, index, run);
  }

  __device__ void seek(u64 row) {
    if (row - first >= rows) {
      enter(row);
    } else if (u32(row - first) == at) {
      return;
    }
    if (page == nullptr) return;
    at = u32(row - first);
    index = at;
    is_valid = page->form != FORM_NONE;
    if (page->has_nulls) {
      const NullWord word = page->words[at / 32];
      const u32 bit = 1u << (at & 31);
      is_valid = is_valid && (word.bits & bit) != 0;
      index = word.rank + __popc(word.bits & (bit - 1));
    }
  }

  __device__ void enter(u64 to) {
    run = Run{0, 0, 0, 0};
    is_valid = column->kind == COLUMN_CONSTANT;
    const PageRows found = page_of(column, to);
    page = found.page;
    first = found.first;
    rows = found.rows;
  }

  const Column* column;
  const Page* page = nullptr;
  // The page's first row, its number of rows, and the last row asked for. Without a page the number
  // is zero.
  u64 first = 0;
  u32 rows = 0;
  u32 at = NOT_KNOWN;
  // The number of its value in the page.
  u32 index = 0;
  bool is_valid = false;
  // The run of its dictionary index.
  Run run{0, 0, 0, 0};
};
