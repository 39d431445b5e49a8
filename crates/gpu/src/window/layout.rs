//! Structs and sources of the kernels, as in `kernels/pages/layout.cuh` and `directory.cu`.
//! Addresses are in device memory.
#![allow(unsafe_code)]

use pelton_device_cuda::{Pod, Source};

/// `NOT_KNOWN` of the kernels.
pub const NOT_KNOWN: u32 = u32::MAX;
/// Rows between two hints.
pub const HINT_ROWS: u64 = 1024;
/// Number of values between two entries of a directory of runs.
pub const RUN_BLOCK: u64 = 64;
/// Bytes of an entry of a directory of runs.
pub const RUN_BYTES: u64 = 16;
/// Bytes of a word that tells which of 32 rows are null.
pub const NULL_WORD_BYTES: u64 = 8;
/// Bytes that every buffer has behind its contents, for decoders that read in whole words.
pub const PADDING: u64 = 32;
/// Warps of a block of the kernels.
pub const WARPS: u32 = 4;

/// Parquet's encodings by their numbers in parquet.thrift, as far as the kernels distinguish them.
pub mod encoding {
    pub const PLAIN: u32 = 0;
    pub const RLE: u32 = 3;
    pub const DELTA: u32 = 5;
    pub const DELTA_LENGTH: u32 = 6;
    pub const DELTA_BYTES: u32 = 7;
    pub const CODES: u32 = 8;
    pub const SPLIT: u32 = 9;
}

/// Place of a page's definition levels.
pub mod levels {
    pub const NONE: u32 = 0;
    pub const IN_FRONT: u32 = 1;
    pub const PACKED: u32 = 2;
    pub const APART: u32 = 3;
}

/// Access to a page's values.
pub mod form {
    pub const FIXED: u32 = 1;
    pub const BITS: u32 = 2;
    pub const CODES: u32 = 4;
    pub const STRINGS: u32 = 6;
    pub const FLAT_CODES: u32 = 7;
}

/// Source of a column's values.
pub mod kind {
    pub const PAGES: u32 = 0;
    pub const NULL: u32 = 1;
    pub const CONSTANT: u32 = 2;
}

/// `struct Page`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct Page {
    pub first_row: u64,
    pub rows: u32,
    pub column: u32,
    pub number: u32,
    pub physical: u32,
    pub value_width: u32,
    pub encoding: u32,
    pub levels_kind: u32,
    pub expected: u32,
    pub levels: u64,
    pub body: u64,
    pub levels_length: u32,
    pub body_length: u32,
    pub words: u64,
    pub runs: u64,
    pub offsets: u64,
    pub prefixes: u64,
    pub decoded: u64,
    pub values: u64,
    pub values_length: u32,
    pub form: u32,
    pub present: u32,
    pub has_nulls: u32,
    pub code_width: u32,
    pub stride: u32,
    pub gap: u32,
    pub unused: u32,
    pub decoded_length: u64,
}

/// `struct Column`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct Column {
    pub kind: u32,
    pub physical: u32,
    pub value_width: u32,
    pub integer_bits: u32,
    pub is_signed: u32,
    pub number: u32,
    pub page_count: u32,
    pub hint_count: u32,
    pub first_row: u64,
    pub pages: u64,
    pub hints: u64,
    pub dictionary: u64,
    pub status: u64,
    pub constant: [u64; 2],
}

/// `struct Tile`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tile {
    pub first_row: u64,
    pub rows: u32,
    pub unused: u32,
}

/// `struct DirectoryParams`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct DirectoryParams {
    pub pages: u64,
    pub status: u64,
    pub count: u32,
    pub unused: u32,
}

/// `struct FlatParams`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct FlatParams {
    pub column: u64,
    pub before: u64,
    pub rows: u64,
    pub values: u64,
    pub words: u64,
    pub form: u32,
    pub width: u32,
}

/// `struct StringsParams`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct StringsParams {
    pub pages: u64,
    pub which: u64,
    pub count: u32,
    pub unused: u32,
}

// SAFETY: fields of 4 and 8 bytes, each aligned at its offset, as the assertions below check.
unsafe impl Pod for Page {}
// SAFETY: as above.
unsafe impl Pod for Column {}
// SAFETY: as above.
unsafe impl Pod for Tile {}
// SAFETY: as above.
unsafe impl Pod for DirectoryParams {}
// SAFETY: as above.
unsafe impl Pod for FlatParams {}
// SAFETY: as above.
unsafe impl Pod for StringsParams {}

// The fields add up to the size: there is no padding.
const _: () = assert!(size_of::<Page>() == 10 * 8 + 18 * 4);
const _: () = assert!(size_of::<Column>() == 8 * 4 + 7 * 8);
const _: () = assert!(size_of::<Tile>() == 16);
const _: () = assert!(size_of::<DirectoryParams>() == 24);
const _: () = assert!(size_of::<FlatParams>() == 48);
const _: () = assert!(size_of::<StringsParams>() == 24);

macro_rules! headers {
    ($($name:literal),* $(,)?) => {
        &[$((concat!("pages/", $name), include_str!(concat!("../../kernels/pages/", $name)))),*]
    };
}

/// Returns the headers that `#include "pages/cursor.cuh"` needs, for a source that reads columns of
/// a scan range.
pub fn page_headers() -> &'static [(&'static str, &'static str)] {
    headers![
        "codes.cuh",
        "cursor.cuh",
        "delta.cuh",
        "directory.cuh",
        "hybrid.cuh",
        "layout.cuh",
        "load.cuh",
        "nulls.cuh",
        "strings.cuh",
        "value.cuh",
    ]
}

/// Returns the source of the kernels that run before a query's, for callers that only compile them.
pub fn page_kernels() -> Source {
    source("directory.cu", include_str!("../../kernels/pages/directory.cu"))
}

/// Returns the source of the kernel that decodes columns for GPU memory.
pub fn flat_kernels() -> Source {
    source("flat.cu", include_str!("../../kernels/pages/flat.cu"))
}

fn source(name: &str, text: &str) -> Source {
    Source { name: name.to_owned(), text: text.to_owned(), headers: page_headers().to_vec() }
}
