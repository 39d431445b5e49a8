//! Helpers for C callbacks: strings, panics, and boxes that DuckDB frees.

use std::any::Any;
use std::ffi::{CStr, CString, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

use libduckdb_sys::duckdb_free;

/// Returns a C string, cut at the first zero byte.
pub fn c_string(text: &str) -> CString {
    let end = text.find('\0').unwrap_or(text.len());
    CString::new(&text[..end]).unwrap_or_default()
}

/// Copies and frees a string that DuckDB allocated; `None` for null.
///
/// # Safety
/// `text` is null, or a string from `duckdb_malloc` that ends in a zero and has no other owner.
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

/// Returns the text of an error of the native layer's, and frees it with the layer's function.
///
/// # Safety
/// `error` is null, or a string that ends in a zero, without another owner, which `free` frees.
pub unsafe fn take_error(error: *mut c_char, free: unsafe extern "C" fn(*mut c_char)) -> String {
    if error.is_null() {
        return "internal error: DuckDB gives no reason".to_owned();
    }
    // SAFETY: the caller's.
    let text = unsafe { CStr::from_ptr(error) }.to_string_lossy().into_owned();
    // SAFETY: the caller's: it is freed once.
    unsafe { free(error) };
    text
}

/// Runs `work`; a panic becomes its message.
///
/// The caller drops all that `work` leaves unfinished and returns the error to DuckDB, so that no
/// half-changed state is used again.
pub fn guarded<T>(work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(message(panic.as_ref())))
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
    format!("internal error of Pelton's, please report it: {text}")
}

/// Frees a box that DuckDB kept. A panic in a destructor is caught.
///
/// # Safety
/// `data` is a `Box<T>`'s pointer without another owner.
pub unsafe extern "C" fn free<T>(data: *mut c_void) {
    // SAFETY: the caller's.
    let owned = unsafe { Box::from_raw(data.cast::<T>()) };
    let _ = guarded(|| {
        drop(owned);
        Ok(())
    });
}
