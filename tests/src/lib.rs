//! Tools for the tests that cross crates, which are in `tests/all`.
//!
//! * [`columns`] and [`file`](mod@file) make Parquet files of every type; [`document`] takes one
//!   apart into pages and headers ([`thrift`]), to be damaged on purpose and put together again.
//! * [`compare`] says whether two results are the same; [`render`] has text for values of different
//!   engines.
//! * [`cases`] reads the SQL cases under `tests/sql`.
//! * [`child`] runs parts that may crash in a process of their own, [`python`] the other engines.
#![forbid(unsafe_code)]

pub mod cases;
pub mod child;
pub mod columns;
pub mod compare;
pub mod document;
pub mod file;
pub mod python;
pub mod render;
pub mod thrift;
