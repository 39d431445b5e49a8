//! Rows that DuckDB has collected for a file.

use libduckdb_sys::v2::*;

use super::call::{call, given};
use super::handles::chunk;
use super::types::{Logical, Owned};
use crate::sys::vector::Rows;

/// Rows that DuckDB has handed over; freed on drop.
pub struct Collection(duckdb_v2_column_data_collection_handle);

impl Collection {
    /// # Safety
    /// `raw` is a collection without another owner.
    pub unsafe fn take(raw: duckdb_v2_column_data_collection_handle) -> Self {
        Self(raw)
    }

    /// Calls `each` with all rows, which are of these types.
    ///
    /// # Errors
    /// DuckDB's errors, and those of `each`.
    pub fn for_each(
        &self,
        factory: duckdb_v2_factory_handle,
        types: &[Logical],
        mut each: impl FnMut(&Rows) -> Result<(), String>,
    ) -> Result<(), String> {
        let rows = Owned::new(factory, types)?;
        let reading = Reading::new(self)?;
        loop {
            let mut is_there = false;
            // SAFETY: all of it lives, and the chunk is of the collection's types.
            call(|error| unsafe {
                let Reading { shared, own } = reading;
                duckdb_v2_column_data_collection_scan(self.0, shared, own, rows.0, &mut is_there, error)
            })?;
            if !is_there {
                return Ok(());
            }
            for column in 0..types.len() {
                let vector = given(std::ptr::null_mut(), |vector, error| {
                    // SAFETY: the chunk lives and has that column.
                    unsafe { duckdb_v2_data_chunk_get_vector(rows.0, column as idx_t, vector, error) }
                })?;
                // SAFETY: the vector lives, and is the chunk's, which is ours.
                call(|error| unsafe { duckdb_v2_vector_flatten(vector, error) })?;
            }
            // SAFETY: the vectors are flat, and do not change before the next turn.
            each(&unsafe { Rows::new(chunk(rows.0)) })?;
        }
    }
}

impl Drop for Collection {
    fn drop(&mut self) {
        // SAFETY: it is destroyed once.
        unsafe { duckdb_v2_column_data_collection_destroy(&mut self.0) };
    }
}

/// Position in a collection.
struct Reading {
    shared: duckdb_v2_column_data_collection_shared_scan_state_handle,
    own: duckdb_v2_column_data_collection_worker_scan_state_handle,
}

impl Reading {
    fn new(collection: &Collection) -> Result<Self, String> {
        let mut reading = Reading { shared: std::ptr::null_mut(), own: std::ptr::null_mut() };
        let raw = collection.0;
        // SAFETY: the collection lives longer than the state, which is freed on drop.
        call(|error| unsafe {
            duckdb_v2_column_data_collection_shared_scan_state_create(raw, &mut reading.shared, error)
        })?;
        // SAFETY: the same.
        call(|error| unsafe {
            duckdb_v2_column_data_collection_worker_scan_state_create(raw, &mut reading.own, error)
        })?;
        Ok(reading)
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        // SAFETY: both are destroyed once; null is let be.
        unsafe {
            duckdb_v2_column_data_collection_worker_scan_state_destroy(&mut self.own);
            duckdb_v2_column_data_collection_shared_scan_state_destroy(&mut self.shared);
        }
    }
}
