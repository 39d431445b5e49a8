//! Pelton as a loadable extension of DuckDB.
//!
//! DuckDB plans and runs; Pelton reads Parquet for it, through the same [`pelton_pages`] and router
//! as its own engine. One library loads in DuckDB 1.5.6 and later, through the stable C interface;
//! in 2.0.0 it uses the second interface too (`interface`).
//!
//! ```text
//! DuckDB ─► sys: raw calls ─► scan: table, windows, streams ─► pages ─► job ─► devices
//!                          ◄─ vector: Arrow to DuckDB ◄──────┤
//!                         ─► copy: DuckDB to Arrow, COPY ───┘
//! ```
//!
//! Unsafe code is in `sys`, except for the entry points, here and in `interface`.
#![deny(unsafe_code)]

mod copy;
mod error;
mod interface;
mod resources;
mod scan;
mod settings;
#[allow(unsafe_code)]
mod sys;
mod tables;
mod vector;

use libduckdb_sys::{duckdb_extension_access, duckdb_extension_info};
use pelton_allocator::LibraryAllocator;

use sys::Connection;

/// glibc's allocator gives the memory of a scan range back to the system with its last batch, and
/// the next range gets zeroed pages again.
#[global_allocator]
static ALLOCATOR: LibraryAllocator = LibraryAllocator;

/// Loads the extension: DuckDB calls this for the file `pelton.duckdb_extension`. Returns whether
/// the extension can be used.
///
/// # Safety
/// Only DuckDB may call this, with the arguments that it gives to every extension.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pelton_init_c_api(
    info: duckdb_extension_info,
    access: *const duckdb_extension_access,
) -> bool {
    // SAFETY: the caller's.
    unsafe { sys::load(info, access, register) }
}

fn register(connection: &Connection) -> Result<(), String> {
    settings::register(connection);
    tables::register_all(connection)?;
    interface::register(connection)
}
