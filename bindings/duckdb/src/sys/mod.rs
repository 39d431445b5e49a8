//! Wrappers around DuckDB's C interface, version 1.5.6: raw calls behind types that free their
//! handles.
//!
//! The contracts of DuckDB's functions were read in its source, `src/main/capi/v1`. [`second`]
//! wraps the additional interface of DuckDB 2.0.0.

mod connection;
mod ffi;
mod first;
mod function;
pub mod native;
pub mod second;
mod types;
mod value;
mod vector;

pub use connection::{ConfigOption, Connection, load, register_option};
pub use first::{register, register_copy};
pub use function::{
    Bind, Column, Condition, CopyBind, CopyFunction, Init, Parameter, ScanFunction, Settings, TableFunction,
    Wanted,
};
pub use types::{DAY_MICROS, Kind, MAX_OFFSET, Type};
pub use value::Value;
pub use vector::{Chunk, Dictionary, INLINE, Pod, Rows, Text, VECTOR_ROWS, Values, Vector, has_names};
