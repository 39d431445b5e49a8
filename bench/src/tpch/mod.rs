//! The TPC-H benchmark: its data, queries and answers, and the command that runs them.

pub mod cache;
pub mod check;
pub mod codec;
pub mod command;
pub mod convert;
pub mod generate;
pub mod queries;
mod repack;
pub mod run;
pub mod table;
pub mod table_writer;
pub mod write;
