//! Version of the library, its check, and the texts of return codes.

use std::ffi::{CStr, c_char, c_int, c_ulong};

use libz_rs_sys as rs;
use rs::{Z_VERSION_ERROR, z_stream};

/// The version of zlib that these functions implement. Programs compare its first character.
pub const VERSION: &CStr = c"1.3.1";

/// Returns the version of the library.
#[unsafe(no_mangle)]
extern "C" fn zlibVersion() -> *const c_char {
    VERSION.as_ptr()
}

/// Returns the text of a return code; empty for any other number.
#[unsafe(no_mangle)]
extern "C" fn zError(code: c_int) -> *const c_char {
    rs::zError(code)
}

/// Returns the sizes of types, and flags that say that no function is missing.
#[unsafe(no_mangle)]
extern "C" fn zlibCompileFlags() -> c_ulong {
    rs::zlibCompileFlags()
}

/// Checks that the caller was compiled for a compatible zlib: the same major version and size of
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
