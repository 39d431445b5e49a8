//! Calling the second interface, whose functions all say what went wrong; and telling it.

use libduckdb_sys::v2::*;

/// Makes a call with a place for its error.
///
/// # Errors
/// What DuckDB says.
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

/// Makes a call that gives something.
///
/// # Errors
/// What DuckDB says.
pub fn given<T>(
    nothing: T,
    make: impl FnOnce(*mut T, *mut duckdb_v2_error_info_handle) -> DUCKDB_V2_ERROR,
) -> Result<T, String> {
    let mut value = nothing;
    call(|error| make(&mut value, error))?;
    Ok(value)
}

/// A text of DuckDB's.
///
/// # Safety
/// It is one that lives.
pub unsafe fn copied(text: duckdb_v2_str) -> String {
    if text.ptr.is_null() || text.len == 0 {
        return String::new();
    }
    // SAFETY: the caller's: so many bytes are there.
    let bytes = unsafe { std::slice::from_raw_parts(text.ptr.cast::<u8>(), text.len as usize) };
    String::from_utf8_lossy(bytes).into_owned()
}

/// Tells DuckDB of an error, if there is one.
///
/// # Safety
/// `slot` is the one that DuckDB gave to a callback that is still running.
pub unsafe fn report(
    result: Result<(), String>,
    code: DUCKDB_V2_ERROR,
    slot: *mut duckdb_v2_error_info_handle,
) {
    let Err(error) = result else { return };
    let text = duckdb_v2_str::from(&error);
    // SAFETY: the caller's: there is an error in the slot, which is written; the text is copied.
    unsafe {
        duckdb_v2_error_info_set_code(*slot, code);
        duckdb_v2_error_info_set_text(*slot, &text);
    }
}
