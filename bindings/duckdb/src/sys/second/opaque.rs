//! What DuckDB keeps for us.

use std::ffi::c_void;

use libduckdb_sys::v2::{DUCKDB_V2_ERROR, duckdb_v2_error_info_handle, duckdb_v2_opaque};

use super::call::call;
use crate::sys::panics::guarded;

/// Gives something to DuckDB, by a call that takes it over.
///
/// # Errors
/// DuckDB does not take it.
pub fn keep<T>(
    value: T,
    set: impl FnOnce(*mut duckdb_v2_opaque, *mut duckdb_v2_error_info_handle) -> DUCKDB_V2_ERROR,
) -> Result<(), String> {
    let raw = Box::into_raw(Box::new(value));
    let mut opaque = duckdb_v2_opaque { ptr: raw.cast(), destroy: Some(free::<T>), equals: None };
    call(|error| set(&mut opaque, error)).inspect_err(|_| {
        // SAFETY: it was just made, and DuckDB has not taken it.
        drop(unsafe { Box::from_raw(raw) });
    })
}

/// What was given to DuckDB with [`keep`].
///
/// # Errors
/// It is not there.
///
/// # Safety
/// What the call finds is a `T` that was kept, if anything, and lives as long as it is used.
pub unsafe fn kept<'a, T>(
    get: impl FnOnce(*mut *mut c_void, *mut duckdb_v2_error_info_handle) -> DUCKDB_V2_ERROR,
) -> Result<&'a T, String> {
    let mut raw = std::ptr::null_mut();
    call(|error| get(&mut raw, error))?;
    // SAFETY: the caller's.
    unsafe { raw.cast::<T>().as_ref() }
        .ok_or_else(|| "internal error: DuckDB has lost what it keeps".to_owned())
}

/// Frees what was boxed for DuckDB to keep. A panic in a destructor stays here.
unsafe extern "C" fn free<T>(data: *mut c_void) {
    // SAFETY: DuckDB calls it once, with the pointer that it was given with this function: a
    // `Box<T>`'s.
    let owned = unsafe { Box::from_raw(data.cast::<T>()) };
    let _ = guarded(|| {
        drop(owned);
        Ok(())
    });
}
