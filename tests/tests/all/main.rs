//! Tests that cross crates: files in, SQL, rows or errors out.

mod bad_input;
mod counters;
mod differential;
mod duckdb;
mod engine;
mod gpu;
mod gpu_cache;
mod interop;
mod memory;
mod odd_files;
mod plans;
mod python;
mod repack;
mod row_order;
mod sql;
mod substrait;
mod support;
mod tpcds;
mod tpch;
mod writer;
