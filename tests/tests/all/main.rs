//! Tests that cross crates: files in, SQL, rows or errors out.

mod bad_input;
mod common_subplans;
mod counters;
mod differential;
mod duckdb;
mod engine;
mod gpu;
mod gpu_cache;
mod interop;
mod join_order;
mod memory;
mod odd_files;
mod python;
mod repack;
mod rollups;
mod row_order;
mod sql;
mod substrait;
mod support;
mod tpcds;
mod tpch;
mod window_top_k;
mod writer;
