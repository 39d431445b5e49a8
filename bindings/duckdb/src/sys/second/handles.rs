//! Handles that both interfaces share.
//!
//! In DuckDB 2.0.0 the handles of values, chunks and vectors are pointers to the same classes in
//! both (`capi_v2_internal.hpp`: `using CV2Value = duckdb::Value`, `CV2DataChunk`, `CV2Vector`,
//! each `reinterpret_cast` to its handle, as in `capi/v1/duckdb_value-c.cpp` and
//! `data_chunk-c.cpp`). So handles of the second interface are read and written through the first.
//! [`super::enter`] checks this first.

use libduckdb_sys::v2::*;
use libduckdb_sys::{duckdb_data_chunk, duckdb_value, duckdb_vector};

/// Returns a value, for the first interface.
pub fn value(raw: duckdb_v2_value_handle) -> duckdb_value {
    raw.cast()
}

/// Returns a value, for the second.
pub fn second_value(raw: duckdb_value) -> duckdb_v2_value_handle {
    raw.cast()
}

/// Returns a chunk, for the first.
pub fn chunk(raw: duckdb_v2_data_chunk_handle) -> duckdb_data_chunk {
    raw.cast()
}

/// Returns a vector, for the second.
pub fn second_vector(raw: duckdb_vector) -> duckdb_v2_vector_handle {
    raw.cast()
}
