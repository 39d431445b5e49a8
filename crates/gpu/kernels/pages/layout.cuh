// Pages and columns in device memory. Rust fills them in (src/window/layout.rs), and the directory
// kernel completes them.
#pragma once
#include "pelton/prelude.cuh"

// Nulls of 32 rows of a page, and the number of values before them: two bits a row, one load for
// both.
struct alignas(8) NullWord {
  u32 bits;
  u32 rank;
};

// A run of Parquet's hybrid of runs and bit-packed values.
struct alignas(16) Run {
  // Numbers of the first value, and of the one behind the last.
  u32 start;
  u32 end;
  // The value of a run; for packed values the byte of the first.
  u32 data;
  // The byte of the next run's header, and RUN_PACKED.
  u32 next;
};
constexpr u32 RUN_PACKED = 0x80000000u;

// The directory of a hybrid has an entry for each block of values: the run that holds the first of
// them. It takes two bits a value, however the writer cut its runs. Writers make runs of at least 8
// values, so that a reader passes over a few headers at most.
constexpr u32 RUN_BLOCK = 64;

// Rows between two entries of Column::hints.
constexpr u32 HINT_ROWS = 1024;

// Parquet's physical types, by their numbers in parquet.thrift.
enum Physical : u32 {
  TYPE_BOOLEAN = 0,
  TYPE_INT32 = 1,
  TYPE_INT64 = 2,
  TYPE_FLOAT = 4,
  TYPE_DOUBLE = 5,
  TYPE_BYTE_ARRAY = 6,
  TYPE_FIXED = 7,
};

// Parquet's encodings, by their numbers in parquet.thrift.
enum Encoding : u32 {
  ENCODING_PLAIN = 0,
  ENCODING_RLE = 3,
  ENCODING_DELTA = 5,
  ENCODING_DELTA_LENGTH = 6,
  ENCODING_DELTA_BYTES = 7,
  ENCODING_CODES = 8,
  ENCODING_SPLIT = 9,
};

// Place of a page's definition levels.
enum Levels : u32 {
  LEVELS_NONE = 0,
  // In front of the values, with their length in four bytes: pages of version 1.
  LEVELS_IN_FRONT = 1,
  // In front of the values, packed from the high bit of each byte, without a length, as old writers
  // made them.
  LEVELS_PACKED = 2,
  // In bytes of their own: pages of version 2.
  LEVELS_APART = 3,
};

// Access to a page's values with its directory.
enum Form : u32 {
  // None: the page is damaged, or its directory was not built.
  FORM_NONE = 0,
  // One after the other, `value_width` bytes each.
  FORM_FIXED = 1,
  // As bits.
  FORM_BITS = 2,
  // As bits in a hybrid, through `runs`.
  FORM_BIT_RUNS = 3,
  // As dictionary indices, through `runs`.
  FORM_CODES = 4,
  // The first bytes of all values, then the second ones, and so on; `stride` bytes each.
  FORM_SPLIT = 5,
  // Byte strings, through `offsets`.
  FORM_STRINGS = 6,
  // As dictionary indices of whole bytes: in decoded columns only (flat.cu).
  FORM_FLAT_CODES = 7,
};

constexpr u32 NOT_KNOWN = 0xffffffffu;

struct Page {
  // The page's rows in the row group; for a dictionary its values.
  u64 first_row;
  u32 rows;
  // Numbers for errors: of the column in the scan range, and of the page in its column chunk.
  u32 column;
  u32 number;
  u32 physical;
  // Bytes of a value of fixed length; zero for byte arrays and booleans.
  u32 value_width;
  u32 encoding;
  u32 levels_kind;
  // Values that are not null, by the page's header; or NOT_KNOWN.
  u32 expected;
  const u8* levels;
  const u8* body;
  u32 levels_length;
  u32 body_length;
  // Memory for the directory: a word for each 32 rows; a run for each RUN_BLOCK; an offset for each
  // row, and one; a length for each row; values.
  NullWord* words;
  Run* runs;
  u32* offsets;
  u32* prefixes;
  u8* decoded;

  // Fields from here on are set by the directory kernel.
  const u8* values;
  u32 values_length;
  u32 form;
  // Values that are not null.
  u32 present;
  // Whether `words` has the nulls; otherwise there are none.
  u32 has_nulls;
  // Bits of a dictionary index.
  u32 code_width;
  u32 stride;
  // Bytes between the end of one string and the start of the next.
  u32 gap;
  u32 unused;
  // Bytes that `decoded` needs for DELTA_BYTE_ARRAY.
  u64 decoded_length;
};

enum ColumnKind : u32 {
  COLUMN_PAGES = 0,
  // Every row is null: the file has no such column.
  COLUMN_NULL = 1,
  // Every row has the same value.
  COLUMN_CONSTANT = 2,
};

struct Column {
  u32 kind;
  u32 physical;
  u32 value_width;
  // Bits of an integer, which may be fewer than its stored bits, and whether the highest is a sign.
  u32 integer_bits;
  u32 is_signed;
  // Number of the column in the scan range.
  u32 number;
  u32 page_count;
  u32 hint_count;
  // The row of the first hint.
  u64 first_row;
  const Page* pages;
  // For every HINT_ROWS rows the first page that ends behind the first of them.
  const u32* hints;
  // The dictionary as a page of plain values, or null.
  const Page* dictionary;
  Status* status;
  // The value of a constant: its bits, or address and length.
  u64 constant[2];
};

struct Tile {
  u64 first_row;
  u32 rows;
  u32 unused;
};

// Rust has the same sizes.
static_assert(sizeof(Page) == 10 * 8 + 18 * 4, "Page");
static_assert(sizeof(Column) == 8 * 4 + 7 * 8, "Column");
static_assert(sizeof(Tile) == 16, "Tile");
