//! Error codes of kernels, and the status that reports them. `kernels/pelton/codes.cuh` has the
//! same table.

use crate::pod::Pod;

/// `struct Status` of `kernels/pelton/prelude.cuh`: the first error of a launch. Zeroed before it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// Zero, one of [`CODES`], or a code of the query engine's kernels, from 40 on.
    pub code: u32,
    /// A column, where there is one.
    pub column: u32,
    /// A page or a row, depending on the kernel.
    pub page: u64,
    /// More about it, depending on the code.
    pub detail: u64,
}

// SAFETY: two u32 and two u64, which leave no gap.
#[allow(unsafe_code)]
unsafe impl Pod for Status {}

/// Names in `codes.cuh`, codes, and their meaning for the owner of a damaged file.
pub const CODES: &[(&str, u32, &str)] = &[
    ("CODE_TRUNCATED", 1, "the compressed data ends too early"),
    ("CODE_BAD_HEADER", 2, "a header of the compressed data violates the format"),
    ("CODE_BAD_SYMBOL", 3, "a block, token or symbol violates the format"),
    ("CODE_BAD_TABLE", 4, "the lengths or weights of an entropy code make no code"),
    ("CODE_BAD_DISTANCE", 5, "a match reaches back before the output's beginning"),
    ("CODE_OUTPUT_TOO_LONG", 6, "the output is longer than in the page's header"),
    ("CODE_OUTPUT_TOO_SHORT", 7, "the output is shorter than in the page's header"),
    ("CODE_BAD_CHECKSUM", 8, "a checksum does not match"),
    ("CODE_TRAILING_BYTES", 9, "the compressed data goes on after its end"),
    ("CODE_UNSUPPORTED", 10, "the format allows it, but the GPU's decoder does not support it"),
];

/// Returns the meaning of a code of this table.
pub fn code_text(code: u32) -> Option<&'static str> {
    CODES.iter().find(|(_, other, _)| *other == code).map(|(_, _, text)| *text)
}

#[cfg(test)]
mod tests;
