//! The edge to DuckDB's C interface, version 1.5.6: raw calls behind types that free what they
//! hold.
//!
//! What DuckDB's functions do with their arguments was read in its source, `src/main/capi/v1`.
//! [`second`] is the edge to what DuckDB 2.0.0 has beside it.

mod bind;
mod callbacks;
mod chunk;
mod context;
mod copy;
mod describe;
mod dictionary;
mod entry;
mod function;
mod named;
mod option;
mod panics;
mod rows;
pub mod second;
mod string;
mod text;
mod time;
mod types;
mod value;

pub use callbacks::register;
pub use chunk::{Chunk, Plain, VECTOR_ROWS, Vector};
pub use context::Settings;
pub use copy::{CopyBind, CopyFunction, register_copy};
pub use describe::Kind;
pub use dictionary::Dictionary;
pub use entry::{Connection, load};
pub use function::{Bind, Column, Condition, Init, Parameter, ScanFunction, TableFunction, Wanted};
pub use named::without_names;
pub use option::{ConfigOption, register_option};
pub use rows::{Rows, Values};
pub use text::{INLINE, Text};
pub use time::{DAY_MICROS, MAX_OFFSET};
pub use types::Type;
pub use value::Value;
