//! Being handed the second interface.

use libduckdb_sys::v2::*;

use super::call::{FAILED, answer, given};
use super::same::check;

/// The version that is asked for.
const API_VERSION: &str = "v2.0.0";

/// What functions are registered with, while the interface is handed over.
pub struct Extension {
    pub(super) raw: duckdb_v2_extension_handle,
    /// Makes types and functions.
    pub(super) factory: duckdb_v2_factory_handle,
}

/// Takes DuckDB's functions over and has `register` add to it what the extension has; what does not
/// work is told to DuckDB.
///
/// # Safety
/// `input` is what DuckDB gave to the entry point.
pub unsafe fn enter(
    input: *const duckdb_v2_extension_input,
    register: impl FnOnce(&Extension) -> Result<(), String>,
) {
    // SAFETY: the caller's: it lives until the entry point returns.
    let input = unsafe { &*input };
    let work = || {
        // SAFETY: the caller's. DuckDB is of the version whose structure is read, as it gives the
        // interface to no other.
        match unsafe { duckdb_rs_extension_api_v2_init(input, API_VERSION) } {
            Ok(true) => {}
            // DuckDB has set an error
            Ok(false) => return Ok(()),
            Err(what) => return Err(what.to_owned()),
        }
        let factory = given(std::ptr::null_mut(), |factory, error| {
            // SAFETY: the context lives until the entry point returns, and the factory as long.
            unsafe { duckdb_v2_context_get_factory(input.context, factory, error) }
        })?;
        let extension = Extension { raw: input.extension, factory };
        check(&extension)?;
        register(&extension)
    };
    // SAFETY: the slot is the entry point's.
    unsafe { answer(input.err, FAILED, work) };
}
