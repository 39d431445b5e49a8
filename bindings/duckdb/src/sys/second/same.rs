//! What is the same in both interfaces.
//!
//! In DuckDB 2.0.0 the handles of values, chunks and vectors are pointers to the same classes in
//! both (`capi_v2_internal.hpp`: `using CV2Value = duckdb::Value`, `CV2DataChunk`, `CV2Vector`,
//! each `reinterpret_cast` to its handle, as `capi/v1/duckdb_value-c.cpp` and `data_chunk-c.cpp`
//! have it). So what the second hands out is read and written through the first. [`check`] looks
//! before anything relies on it.

use libduckdb_sys::v2::*;
use libduckdb_sys::{
    duckdb_data_chunk, duckdb_data_chunk_get_column_count, duckdb_data_chunk_get_vector,
    duckdb_data_chunk_set_size, duckdb_get_int64, duckdb_value, duckdb_vector,
};

use super::call::{call, given};
use super::extension::Extension;
use super::types::{Logical, of_id};

/// A value, for the first interface.
pub fn value(raw: duckdb_v2_value_handle) -> duckdb_value {
    raw.cast()
}

/// A value, for the second.
pub fn second_value(raw: duckdb_value) -> duckdb_v2_value_handle {
    raw.cast()
}

/// A chunk, for the first.
pub fn chunk(raw: duckdb_v2_data_chunk_handle) -> duckdb_data_chunk {
    raw.cast()
}

/// A vector, for the second.
pub fn second_vector(raw: duckdb_vector) -> duckdb_v2_vector_handle {
    raw.cast()
}

/// A chunk of ours, gone when this is.
pub struct Owned(pub duckdb_v2_data_chunk_handle);

impl Owned {
    /// One with columns of these types.
    ///
    /// # Errors
    /// DuckDB makes none.
    pub fn new(factory: duckdb_v2_factory_handle, types: &[Logical]) -> Result<Self, String> {
        let types: Vec<_> = types.iter().map(Logical::raw).collect();
        let raw = given(std::ptr::null_mut(), |chunk, error| {
            // SAFETY: factory and types live until the call returns; the chunk is ours.
            unsafe {
                duckdb_v2_data_chunk_create(factory, types.as_ptr(), types.len() as idx_t, chunk, error)
            }
        })?;
        Ok(Self(raw))
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: it was made by us and is destroyed once.
        unsafe { duckdb_v2_data_chunk_destroy(&mut self.0) };
    }
}

/// Whether each interface sees what the other one did.
///
/// # Errors
/// It does not, or DuckDB makes nothing to look at.
pub fn check(extension: &Extension) -> Result<(), String> {
    const NUMBER: i64 = 0x7065_6c74_6f6e;
    let mut made = given(std::ptr::null_mut(), |value, error| {
        // SAFETY: the factory lives; the value is ours, and destroyed below.
        unsafe { duckdb_v2_value_create_bigint(extension.factory, NUMBER, value, error) }
    })?;
    // SAFETY: it is a value that lives.
    let number = unsafe { duckdb_get_int64(value(made)) };
    // SAFETY: as above.
    unsafe { duckdb_v2_value_destroy(&mut made) };
    let of = of_id(extension.factory, DUCKDB_V2_LOGICAL_TYPE_ID::DUCKDB_V2_LOGICAL_TYPE_ID_BIGINT)?;
    let owned = Owned::new(extension.factory, &[of])?;
    // SAFETY: a chunk that lives, with room for one row.
    let columns = unsafe {
        duckdb_data_chunk_set_size(chunk(owned.0), 1);
        duckdb_data_chunk_get_column_count(chunk(owned.0))
    };
    // SAFETY: the chunk lives.
    let rows = given(0, |rows, error| unsafe { duckdb_v2_data_chunk_get_size(owned.0, rows, error) })?;
    let mut second = std::ptr::null_mut();
    // SAFETY: the chunk lives and has a column.
    call(|error| unsafe { duckdb_v2_data_chunk_get_vector(owned.0, 0, &mut second, error) })?;
    // SAFETY: as above.
    let first = unsafe { duckdb_data_chunk_get_vector(chunk(owned.0), 0) };
    match (number, columns, rows, second_vector(first) == second) {
        (NUMBER, 1, 1, true) => Ok(()),
        found => Err(format!("DuckDB's two interfaces see different things: {found:?}")),
    }
}
