//! Calls of the second interface, with their errors; and values that DuckDB keeps.

use std::ffi::c_void;

use libduckdb_sys::v2::*;

use crate::sys::ffi::{free, guarded};

/// Makes a call with a place for its error.
///
/// # Errors
/// DuckDB's error.
pub fn call(make: impl FnOnce(*mut duckdb_v2_error_info_handle) -> DUCKDB_V2_ERROR) -> Result<(), String> {
    let mut info = std::ptr::null_mut();
    let code = make(&mut info);
    if code == DUCKDB_V2_ERROR::DUCKDB_V2_ERROR_NONE {
        return Ok(());
    }
    let mut text = duckdb_v2_str::default();
    // SAFETY: the call says no if there is no error to ask.
    let found = unsafe { duckdb_v2_error_info_get_raw_text(info, &mut text) };
    let message = match found {
        // SAFETY: the text lives until the error is destroyed, below.
        DUCKDB_V2_ERROR::DUCKDB_V2_ERROR_NONE => unsafe { copied(text) },
        _ => format!("DuckDB gives error {}", code as u32),
    };
    // SAFETY: the error is ours, and destroyed once; null is let be.
    unsafe { duckdb_v2_error_info_destroy(&mut info) };
    Err(message)
}

/// Makes a call that returns a value through a pointer.
///
/// # Errors
/// DuckDB's error.
pub fn given<T>(
    nothing: T,
    make: impl FnOnce(*mut T, *mut duckdb_v2_error_info_handle) -> DUCKDB_V2_ERROR,
) -> Result<T, String> {
    let mut value = nothing;
    call(|error| make(&mut value, error))?;
    Ok(value)
}

/// Returns a text of DuckDB's.
///
/// # Safety
/// The text lives.
pub unsafe fn copied(text: duckdb_v2_str) -> String {
    if text.ptr.is_null() || text.len == 0 {
        return String::new();
    }
    // SAFETY: the caller's: the text has this number of bytes.
    let bytes = unsafe { std::slice::from_raw_parts(text.ptr.cast::<u8>(), text.len as usize) };
    String::from_utf8_lossy(bytes).into_owned()
}

/// Place for a callback's error.
pub type Slot = *mut duckdb_v2_error_info_handle;

/// The error of a statement that can't be bound.
pub const UNBOUND: DUCKDB_V2_ERROR = DUCKDB_V2_ERROR::DUCKDB_V2_ERROR_QUERY_BINDER;
/// Any other error.
pub const FAILED: DUCKDB_V2_ERROR = DUCKDB_V2_ERROR::DUCKDB_V2_ERROR_INPUT_INVALID;

/// Runs a callback's work, and reports its error to DuckDB.
///
/// # Safety
/// DuckDB gave `slot` to a callback that is still running.
pub unsafe fn answer(slot: Slot, code: DUCKDB_V2_ERROR, work: impl FnOnce() -> Result<(), String>) {
    let Err(error) = guarded(work) else { return };
    let text = duckdb_v2_str::from(&error);
    // SAFETY: the caller's: there is an error in the slot, which is written; the text is copied.
    unsafe {
        duckdb_v2_error_info_set_code(*slot, code);
        duckdb_v2_error_info_set_text(*slot, &text);
    }
}

/// Gives a value to DuckDB, which takes ownership.
///
/// # Errors
/// DuckDB rejects it.
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

/// Returns a value that was given to DuckDB with [`keep`].
///
/// # Errors
/// DuckDB does not have it.
///
/// # Safety
/// The call finds nothing, or a `T` that was kept and lives as long as it is used.
pub unsafe fn kept<'a, T>(
    get: impl FnOnce(*mut *mut c_void, *mut duckdb_v2_error_info_handle) -> DUCKDB_V2_ERROR,
) -> Result<&'a T, String> {
    let mut raw = std::ptr::null_mut();
    call(|error| get(&mut raw, error))?;
    // SAFETY: the caller's.
    unsafe { raw.cast::<T>().as_ref() }
        .ok_or_else(|| "internal error: DuckDB has lost what it keeps".to_owned())
}
