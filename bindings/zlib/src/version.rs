//! What the library says about itself.

use std::ffi::{CStr, c_char, c_int, c_ulong};

use libz_rs_sys as rs;

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
