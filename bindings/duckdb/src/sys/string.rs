//! Strings for DuckDB, and from it.

use std::ffi::{CStr, CString, c_char};

use libduckdb_sys::duckdb_free;

/// Text as C has it: what follows a zero byte is left out.
pub fn c_string(text: &str) -> CString {
    let end = text.find('\0').unwrap_or(text.len());
    CString::new(&text[..end]).unwrap_or_default()
}

/// Takes over a string that DuckDB allocated; `None` if there is none.
///
/// # Safety
/// `text` is null, or a string of `duckdb_malloc`'s memory that ends in a zero and that nobody else
/// frees.
pub unsafe fn take(text: *mut c_char) -> Option<String> {
    if text.is_null() {
        return None;
    }
    // SAFETY: the caller says that it is a string that ends in a zero.
    let copy = unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned();
    // SAFETY: the caller says that it is DuckDB's memory and ours to free.
    unsafe { duckdb_free(text.cast()) };
    Some(copy)
}
