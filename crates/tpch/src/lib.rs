//! TPC-H: its data, queries and answers, the engines that run them, and `pelton tpch`.
//!
//! * [`data`] generates the tables, writes them as Parquet and keeps them in a cache folder.
//! * [`queries`] has the 22 queries with their answers; [`check`] says whether a result is right.
//! * [`engine`] is Pelton in this process, or any engine in a process of its own, and contests of
//!   several engines in turn.
//! * [`command`] is `pelton tpch`.
#![forbid(unsafe_code)]

pub mod check;
pub mod command;
pub mod data;
pub mod engine;
mod error;
pub mod queries;
pub mod run;

pub use error::Error;
