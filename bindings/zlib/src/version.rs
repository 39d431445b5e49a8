//! What the library says about itself.

use std::ffi::{CStr, c_char, c_int, c_ulong};

use libz_rs_sys as rs;
use rs::{Z_VERSION_ERROR, z_stream};

/// The zlib whose functions these are. Programs compare its first character.
pub const VERSION: &CStr = c"1.3.1";

/// The version of the library.
#[unsafe(no_mangle)]
extern "C" fn zlibVersion() -> *const c_char {
    VERSION.as_ptr()
}

/// The text of a return code; empty for a number that is none.
#[unsafe(no_mangle)]
extern "C" fn zError(code: c_int) -> *const c_char {
    rs::zError(code)
}

/// The sizes of types, and that nothing was left out.
#[unsafe(no_mangle)]
extern "C" fn zlibCompileFlags() -> c_ulong {
    rs::zlibCompileFlags()
}

/// Whether the caller was compiled for a zlib like this one: the same major version and the same
/// `z_stream`.
///
/// # Safety
/// `version` is null or a C string.
pub unsafe fn check(version: *const c_char, size: c_int) -> Result<(), c_int> {
    // SAFETY: a C string has at least its end.
    let major = unsafe { version.as_ref() };
    let same = major.is_some_and(|&major| major as u8 == VERSION.to_bytes()[0]);
    if same && size == size_of::<z_stream>() as c_int { Ok(()) } else { Err(Z_VERSION_ERROR) }
}
