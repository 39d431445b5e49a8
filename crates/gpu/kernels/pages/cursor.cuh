// Values of a column by row, in any order, decoded from the page: the readers of generated kernels.
#pragma once
#include "pages/value.cuh"

// Values of a column's dictionary.
struct Dictionary {
  __device__ explicit Dictionary(const Column* of) : column(of) {}

  // How many codes there are; 0 if the column has no dictionary, or it is damaged.
  __device__ u32 size() const {
    return column->dictionary == nullptr ? 0 : column->dictionary->present;
  }

  // For codes below size().
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

// A page, and the rows of the row group that it has.
struct PageRows {
  const Page* page;
  u64 first;
  u32 rows;
};

// The page that a row is in, if there is one. A function of its own, by values, as are the others
// that are rarely called: a cursor then stays in registers, and a kernel of ten columns compiles in
// a third of the time.
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
// a thread.
struct Cursor {
  __device__ explicit Cursor(const Column* of) : column(of) {}

  // Whether the row has a value. A row of a damaged page has none, and neither has one that was not
  // wanted.
  __device__ bool valid(u64 row) {
    seek(row);
    return is_valid;
  }

  // The value of a row that has one, by the column's type; of other rows it is 0.
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

  // Whether the row's value is a code: of a row with a value, that code() can be asked for.
  __device__ bool coded(u64 row) {
    seek(row);
    return page != nullptr && has_codes();
  }

  // The dictionary index of a row that has a value by index. An index beyond the dictionary is an
  // error, and returns zero.
  __device__ u32 code(u64 row) {
    seek(row);
    if (!is_valid) return 0;
    const u32 found = page->form == FORM_CODES ? hybrid() : flat_code(*page, index);
    if (found < Dictionary(column).size()) return found;
    status_fail(column->status, PAGE_CODE_RANGE, column->number, page->number, found);
    return 0;
  }

  // The bits of a number of up to 8 bytes, as they are stored.
  __device__ u64 bits_at(u64 row) {
    u32 at = 0;
    const Page* from = source(row, at);
    return from == nullptr ? column->constant[0] : stored_bits(*from, column->value_width, at);
  }

  // The number of values in front of the row; `before` has the number in front of each page.
  __device__ u64 place(u64 row, const u32* before) {
    seek(row);
    return page == nullptr ? 0 : u64(before[page - column->pages]) + index;
  }

 private:
  __device__ bool has_codes() const { return page->form == FORM_CODES || page->form == FORM_FLAT_CODES; }

  // The page that has the row's value, which may be the dictionary, and its number there; null for
  // a constant, which is 0 where there is no value.
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
  // The page's first row, how many it has, and which of them was asked for last: 0 rows if there is
  // no page.
  u64 first = 0;
  u32 rows = 0;
  u32 at = NOT_KNOWN;
  // The number of its value in the page.
  u32 index = 0;
  bool is_valid = false;
  // The run that its code is in.
  Run run{0, 0, 0, 0};
};
