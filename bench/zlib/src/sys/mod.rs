//! The edge to C: loaded libraries, child processes, the core. All unsafe code of
//! this package.

#![allow(unsafe_code)]

#[path = "../../../../bindings/zlib/tests/common/api.rs"]
#[allow(dead_code, clippy::missing_safety_doc, reason = "written for the library's own tests")]
mod api;
mod child;
#[path = "../../../deflate/src/sys/cpu.rs"]
pub mod cpu;
#[path = "../../../deflate/src/sys/libdeflate.rs"]
pub mod libdeflate;
pub mod zlib;

use std::ffi::{CStr, c_char};
use std::path::Path;

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

pub use child::{Cost, cost};

/// Returns the version that a libz reports.
pub fn version(path: &Path) -> Result<String, String> {
    // SAFETY: a libz has no constructors to speak of, and its function has this type and returns a
    // string of its own.
    unsafe {
        let library = Library::open(Some(path), RTLD_NOW | RTLD_LOCAL).map_err(|error| error.to_string())?;
        let function = library.get::<unsafe extern "C" fn() -> *const c_char>(b"zlibVersion\0");
        let text = CStr::from_ptr(function.map_err(|error| error.to_string())?());
        Ok(text.to_string_lossy().into_owned())
    }
}
