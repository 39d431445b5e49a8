//! Access to DuckDB's second interface.
//!
//! DuckDB gives each file that it loads one of the two interfaces: the second one if the file's
//! footer states exactly DuckDB's version. The extension states the first. So it writes a small
//! second file, has DuckDB load that, and removes it again. Where this fails (no directory that
//! allows execution, a DuckDB that loads only signed extensions), the extension still has the first
//! interface.

use std::ffi::CStr;
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use libduckdb_sys::v2::*;
use libduckdb_sys::{
    duckdb_data_chunk_get_column_count, duckdb_data_chunk_get_vector, duckdb_data_chunk_set_size,
    duckdb_get_int64, duckdb_library_version,
};
use libloading::Library;

use super::call::{FAILED, answer, call, given};
use super::handles::{chunk, second_vector, value};
use super::types::{Owned, of_id};
use crate::sys::connection::{Connection, VERSION};

/// The bridge, which `build.rs` makes of `bridge.rs`.
static BRIDGE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/bridge"));

/// File name of the bridge, from which DuckDB derives the name of its entry point.
const NAME: &str = "pelton_v2";

/// Argument of the entry point.
pub type Input = duckdb_v2_extension_input;

/// The extension's entry point.
type Entry = unsafe extern "C" fn(*mut Input);

/// Has DuckDB call `entry` with its second interface.
///
/// # Errors
/// DuckDB has another version, or does not load the bridge.
pub fn load(connection: &Connection, entry: Entry) -> Result<(), String> {
    // SAFETY: a text that lives as long as the process and ends in a zero.
    let version = unsafe { CStr::from_ptr(duckdb_library_version()) }.to_string_lossy();
    if version != VERSION {
        return Err(format!("DuckDB is {version}, and what is used of the second interface is {VERSION}'s"));
    }
    let folder = Folder::new().map_err(|e| format!("cannot make a folder for temporary files: {e}"))?;
    let path = folder.0.join(NAME).with_extension("duckdb_extension");
    let file = [BRIDGE, &footer()].concat();
    std::fs::write(&path, file).map_err(|e| format!("{}: cannot write: {e}", path.display()))?;
    // SAFETY: a library that contains only `bridge.rs`; loading it runs no code. DuckDB keeps it
    // loaded.
    let bridge = unsafe { Library::new(&path) }.map_err(because)?;
    // SAFETY: the function has this type there.
    let to = unsafe { bridge.get::<extern "C" fn(Entry)>(b"pelton_bridge_to") }.map_err(because)?;
    to(entry);
    connection.execute(&format!("LOAD '{}'", path.display().to_string().replace('\'', "''")))
}

/// Returns the system's reason for a library that does not load.
fn because(error: libloading::Error) -> String {
    std::error::Error::source(&error).map_or_else(|| error.to_string(), ToString::to_string)
}

/// A private directory, removed on drop.
struct Folder(PathBuf);

impl Folder {
    fn new() -> std::io::Result<Self> {
        static MADE: AtomicUsize = AtomicUsize::new(0);
        let number = MADE.fetch_add(1, Relaxed);
        let nanoseconds = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default().as_nanos();
        let name = format!("pelton-{}-{number}-{nanoseconds}", std::process::id());
        let path = std::env::temp_dir().join(name);
        // Fails if the directory exists already.
        DirBuilder::new().mode(0o700).create(&path)?;
        Ok(Self(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Remaining files do no harm.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Returns the footer that DuckDB reads in an extension; `package.sh` describes it.
fn footer() -> Vec<u8> {
    let system = if cfg!(target_os = "macos") { "osx" } else { "linux" };
    let resources = if cfg!(target_arch = "aarch64") { "arm64" } else { "amd64" };
    let platform = format!("{system}_{resources}");
    let own = format!("v{}", env!("CARGO_PKG_VERSION"));
    let mut footer = b"\x00\x93\x04\x10duckdb_signature\x80\x04".to_vec();
    for field in ["", "", "", "C_STRUCT_UNSTABLE", &own, VERSION, &platform, "4"] {
        let mut bytes = [0; 32];
        bytes[..field.len()].copy_from_slice(field.as_bytes());
        footer.extend(bytes);
    }
    footer.extend([0; 256]);
    footer
}

/// Handles for registering functions, valid while the entry point runs.
pub struct Extension {
    pub(super) raw: duckdb_v2_extension_handle,
    /// Factory of types and functions.
    pub(super) factory: duckdb_v2_factory_handle,
}

/// Initialises the second interface and calls `register` to add the extension's functions; errors
/// are reported to DuckDB.
///
/// # Safety
/// `input` is the argument of the entry point.
pub unsafe fn enter(
    input: *const duckdb_v2_extension_input,
    register: impl FnOnce(&Extension) -> Result<(), String>,
) {
    // SAFETY: the caller's: it lives until the entry point returns.
    let input = unsafe { &*input };
    let work = || {
        // SAFETY: the caller's. DuckDB gives this interface only to files of exactly its version,
        // which has the structure that is read here.
        match unsafe { duckdb_rs_extension_api_v2_init(input, VERSION) } {
            Ok(true) => {}
            // DuckDB has set an error.
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

/// Checks that each interface sees the other's changes.
///
/// # Errors
/// It does not, or DuckDB makes nothing to look at.
fn check(extension: &Extension) -> Result<(), String> {
    const NUMBER: i64 = 0x7065_6c74_6f6e;
    let mut made = given(std::ptr::null_mut(), |value, error| {
        // SAFETY: the factory lives; the value is ours, and destroyed below.
        unsafe { duckdb_v2_value_create_bigint(extension.factory, NUMBER, value, error) }
    })?;
    // SAFETY: it is a value that lives.
    let number = unsafe { duckdb_get_int64(value(made)) };
    // SAFETY: as above.
    unsafe { duckdb_v2_value_destroy(&mut made) };
    let of = of_id(extension.factory, DUCKDB_V2_LOGICAL_TYPE_ID::DUCKDB_V2_LOGICAL_TYPE_ID_BIGINT)?;
    let owned = Owned::new(extension.factory, &[of])?;
    // SAFETY: a chunk that lives, with capacity for one row.
    let columns = unsafe {
        duckdb_data_chunk_set_size(chunk(owned.0), 1);
        duckdb_data_chunk_get_column_count(chunk(owned.0))
    };
    // SAFETY: the chunk lives.
    let rows = given(0, |rows, error| unsafe { duckdb_v2_data_chunk_get_size(owned.0, rows, error) })?;
    let mut second = std::ptr::null_mut();
    // SAFETY: the chunk lives and has a column.
    call(|error| unsafe { duckdb_v2_data_chunk_get_vector(owned.0, 0, &mut second, error) })?;
    // SAFETY: as above.
    let first = unsafe { duckdb_data_chunk_get_vector(chunk(owned.0), 0) };
    match (number, columns, rows, second_vector(first) == second) {
        (NUMBER, 1, 1, true) => Ok(()),
        found => Err(format!("DuckDB's two interfaces see different things: {found:?}")),
    }
}
