//! Types and chunks of the second interface.

use libduckdb_sys::v2::*;
use libduckdb_sys::{duckdb_create_vector, duckdb_destroy_vector, duckdb_get_value_type};

use super::call::given;
use super::handles::{second_vector, value};
use crate::sys::types::{Kind, LogicalType, Type};

/// A type handle, freed on drop.
pub struct Logical(duckdb_v2_logical_type_handle);

impl Logical {
    /// # Safety
    /// `raw` is a type without another owner.
    pub unsafe fn take(raw: duckdb_v2_logical_type_handle) -> Self {
        Self(raw)
    }

    /// Returns the raw handle, for a call that does not keep it.
    pub fn raw(&self) -> duckdb_v2_logical_type_handle {
        self.0
    }
}

impl Drop for Logical {
    fn drop(&mut self) {
        // SAFETY: it is destroyed once.
        unsafe { duckdb_v2_logical_type_destroy(&mut self.0) };
    }
}

/// Returns a type without parts.
///
/// # Errors
/// DuckDB makes none.
pub fn of_id(factory: duckdb_v2_factory_handle, id: DUCKDB_V2_LOGICAL_TYPE_ID) -> Result<Logical, String> {
    let raw = given(std::ptr::null_mut(), |of, error| {
        let none = std::ptr::null();
        // SAFETY: the factory lives, there are no parameters, and the type that comes is ours.
        unsafe { duckdb_v2_factory_create_type_from_id(factory, id, none, none.cast(), 0, of, error) }
    })?;
    Ok(Logical(raw))
}

/// Returns a type, made with a vector of that type.
///
/// # Errors
/// DuckDB makes none.
pub fn logical(factory: duckdb_v2_factory_handle, of: &Type) -> Result<Logical, String> {
    if *of == Type::Any {
        return of_id(factory, DUCKDB_V2_LOGICAL_TYPE_ID::DUCKDB_V2_LOGICAL_TYPE_ID_ANY);
    }
    let first = LogicalType::from(of);
    // SAFETY: the call says null for a type that no vector has; the vector is ours, and destroyed
    // below.
    let mut vector = unsafe { duckdb_create_vector(first.raw(), 1) };
    if vector.is_null() {
        return Err(format!("DuckDB has no type such as {of:?}"));
    }
    let raw = given(std::ptr::null_mut(), |of, error| {
        // SAFETY: the vector lives; the type that comes is ours.
        unsafe { duckdb_v2_vector_get_logical_type(second_vector(vector), of, error) }
    });
    // SAFETY: as above.
    unsafe { duckdb_destroy_vector(&mut vector) };
    raw.map(Logical)
}

/// Returns the description of a type, made with a NULL of that type.
///
/// # Errors
/// DuckDB returns an error.
pub fn kind(factory: duckdb_v2_factory_handle, of: &Logical) -> Result<Kind, String> {
    let mut null = given(std::ptr::null_mut(), |null, error| {
        // SAFETY: factory and type live; the value is ours, and destroyed below.
        unsafe { duckdb_v2_value_create_null(factory, of.0, null, error) }
    })?;
    // SAFETY: the type is the value's own, and lives as long.
    let kind = unsafe { Kind::of(duckdb_get_value_type(value(null))) };
    // SAFETY: as above.
    unsafe { duckdb_v2_value_destroy(&mut null) };
    Ok(kind)
}

/// A chunk, freed on drop.
pub struct Owned(pub duckdb_v2_data_chunk_handle);

impl Owned {
    /// Returns a chunk with columns of these types.
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
