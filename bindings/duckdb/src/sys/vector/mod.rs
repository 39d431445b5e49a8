//! DuckDB's vectors: those that Pelton fills, and those that Pelton reads.

mod chunk;
mod dictionary;
mod named_dictionary;
mod rows;
mod text;

pub use chunk::{Chunk, Vector};
pub use dictionary::Dictionary;
pub use named_dictionary::has_names;
pub(super) use named_dictionary::{NameEntries, name_by};
pub use rows::{Rows, Values};
pub use text::Text;

/// Rows that a vector of a chunk has capacity for: DuckDB's `STANDARD_VECTOR_SIZE`, which
/// [`super::load`] checks.
pub const VECTOR_ROWS: usize = 2048;

/// Strings up to this many bytes lie in the vector themselves (DuckDB's `string_t::INLINE_LENGTH`).
pub const INLINE: usize = 12;

/// A type for which every bit pattern is a value, in the layout of DuckDB's vectors.
pub trait Pod: Copy {}
impl Pod for u8 {}
impl Pod for i8 {}
impl Pod for u16 {}
impl Pod for i16 {}
impl Pod for u32 {}
impl Pod for i32 {}
impl Pod for u64 {}
impl Pod for i64 {}
impl Pod for i128 {}
impl Pod for u128 {}
impl Pod for f32 {}
impl Pod for f64 {}
impl Pod for [u8; 16] {}
