//! Loading of the native layer.
//!
//! The layer has undefined symbols of DuckDB's, and must get those of the DuckDB that loads the
//! extension. Python loads its module with local symbols, and a process may have several versions.
//! So the layer names a library of a made-up name that it needs; the copy that is loaded has the
//! path of the host's library there instead. The loader finds that library loaded already and looks
//! symbols up in it, without making them global. An executable has exported its symbols to all
//! libraries already.

use std::ffi::{CStr, CString, OsStr, c_char, c_void};
use std::fs::File;
use std::io::Write;
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::PoisonError;

use libduckdb_sys::{duckdb_connection, duckdb_library_version};
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

use super::copy::CopyEngine;
use super::engine::{Engine, FileScan};
use crate::sys::connection::Connection;
use crate::sys::ffi::take_error;
use crate::sys::function::CopyFunction;
use crate::sys::vector::{NameEntries, name_by};

include!(concat!(env!("OUT_DIR"), "/native.rs"));

/// Prefix of the name that stands for the host's library; `build.rs` repeats its last character.
const PLACEHOLDER: &[u8] = b"pelton-host-library-xxxx";

/// A library that every process has, needed in place of an executable.
const HARMLESS: &[u8] = b"libc.so.6";

/// `pelton_native_register`.
type Register =
    unsafe extern "C" fn(duckdb_connection, *const Engine, *const CopyEngine, *mut *mut c_char) -> i32;
/// `pelton_native_host`.
type Host = unsafe extern "C" fn() -> *const c_void;

/// A layer that was loaded, and the library that it is for.
struct Loaded {
    host: *const c_void,
    layer: Library,
    /// The file that the layer was loaded of. While it is open, no other has its name, by which the
    /// loader tells libraries apart.
    _file: File,
}

// SAFETY: the pointer is only compared, and a library's handle can be used by any thread.
unsafe impl Send for Loaded {}

/// All layers of the process; they stay loaded as DuckDB keeps their functions.
static LOADED: Mutex<Vec<Loaded>> = Mutex::new(Vec::new());

/// Registers a scan and a COPY format through the layer for the running version of DuckDB.
///
/// # Errors
/// There is no layer for this version, a symbol is missing, or the layer's check fails.
pub fn register<F: FileScan, C: CopyFunction>(connection: &Connection) -> Result<(), String> {
    // SAFETY: a text that lives as long as the process and ends in a zero.
    let version = unsafe { CStr::from_ptr(duckdb_library_version()) };
    let host = version.as_ptr().cast::<c_void>();
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    let index = match loaded.iter().position(|loaded| loaded.host == host) {
        Some(index) => index,
        None => {
            let (layer, file) = load(&version.to_string_lossy(), host)?;
            loaded.push(Loaded { host, layer, _file: file });
            loaded.len() - 1
        }
    };
    // SAFETY: the function has this type there.
    let register = unsafe { loaded[index].layer.get::<Register>(b"pelton_native_register\0") };
    let register = register.map_err(|e| e.to_string())?;
    let mut error = std::ptr::null_mut();
    // SAFETY: the connection lives until the call returns, and the functions as long as the
    // process.
    let done = unsafe { register(connection.raw(), Engine::of::<F>(), CopyEngine::of::<C>(), &mut error) };
    if done == 0 {
        // SAFETY: the function has this type there.
        let name = unsafe { loaded[index].layer.get::<NameEntries>(b"pelton_native_name_entries\0") };
        name_by(*name.map_err(|e| e.to_string())?);
        return Ok(());
    }
    // SAFETY: an error that comes is a string of C's allocator, and ours.
    Err(unsafe { take_error(error, free_text) })
}

/// Frees a string of C's allocator.
///
/// # Safety
/// `text` is such a string without another owner.
unsafe extern "C" fn free_text(text: *mut c_char) {
    // SAFETY: the caller's.
    unsafe { libc::free(text.cast()) };
}

/// Loads the layer for a version, with the symbols of the library that contains the address `host`.
fn load(version: &str, host: *const c_void) -> Result<(Library, File), String> {
    let Some((_, layer)) = LAYERS.iter().find(|(of, _)| *of == version) else {
        let known: Vec<&str> = LAYERS.iter().map(|(of, _)| *of).collect();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        return Err(format!("DuckDB is {version}; versions with a native layer: {known}"));
    };
    let library = named(layer, &needed(host)?)?;
    let file = in_memory(&library).map_err(|e| format!("cannot keep the native layer in memory: {e}"))?;
    let path = format!("/proc/self/fd/{}", file.as_raw_fd());
    // SAFETY: the layer's only code that runs now are its initialisers, which make constants.
    let layer = unsafe { Library::open(Some(&path), RTLD_NOW | RTLD_LOCAL) }.map_err(because)?;
    // SAFETY: the function has this type there.
    let own = *unsafe { layer.get::<Host>(b"pelton_native_host\0") }.map_err(|e| e.to_string())?;
    // SAFETY: it takes nothing and returns an address.
    let found = unsafe { own() };
    if found != host {
        return Err("the native layer found the symbols of another DuckDB in this process".to_owned());
    }
    Ok((layer, file))
}

/// Returns the loader's reason for a library that does not load.
fn because(error: libloading::Error) -> String {
    std::error::Error::source(&error).map_or_else(|| error.to_string(), ToString::to_string)
}

/// Returns the name of the library that the layer needs for the symbols of the host.
fn needed(host: *const c_void) -> Result<Vec<u8>, String> {
    // SAFETY: zeroes are a value of this struct of pointers.
    let mut place: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: any address may be asked for, and `place` is written.
    let found = unsafe { libc::dladdr(host, &mut place) };
    if found == 0 || place.dli_fname.is_null() {
        return Err("the system does not say which file DuckDB is in".to_owned());
    }
    // SAFETY: a text of the loader's, which lives as long as the file is loaded.
    let path = unsafe { CStr::from_ptr(place.dli_fname) };
    // SAFETY: nothing is loaded that is not loaded already, so that nothing runs.
    let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
    if handle.is_null() {
        return Ok(HARMLESS.to_vec());
    }
    // SAFETY: the handle was just opened; the library stays loaded by its other users.
    unsafe { libc::dlclose(handle) };
    let path = path.to_bytes();
    let path: PathBuf = if path.contains(&b'/') {
        std::path::absolute(Path::new(OsStr::from_bytes(path))).map_err(|e| e.to_string())?
    } else {
        return Ok(path.to_vec());
    };
    Ok(path.into_os_string().into_encoded_bytes())
}

/// Returns a copy of the layer that needs the library of a name.
///
/// # Errors
/// The name is too long.
fn named(layer: &[u8], name: &[u8]) -> Result<Vec<u8>, String> {
    let mut copy = layer.to_vec();
    let at = copy.windows(PLACEHOLDER.len()).position(|bytes| bytes == PLACEHOLDER);
    let at = at.ok_or("internal error: the native layer has no place for the name of DuckDB's library")?;
    let room = copy[at..].iter().position(|byte| *byte == 0).unwrap_or(0);
    if name.len() > room {
        return Err(format!("the path of DuckDB's library has {} bytes; {room} are possible", name.len()));
    }
    copy[at..at + room].fill(0);
    copy[at..at + name.len()].copy_from_slice(name);
    Ok(copy)
}

/// Returns a file in memory with these bytes.
fn in_memory(bytes: &[u8]) -> std::io::Result<File> {
    let name = CString::new("pelton-native").unwrap_or_default();
    // SAFETY: the name ends in a zero; the call returns a new descriptor or -1.
    let raw = unsafe { libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC) };
    if raw < 0 {
        return Err(std::io::Error::last_os_error());
    }
    // SAFETY: the descriptor is new and ours.
    let mut file = unsafe { File::from_raw_fd(raw) };
    file.write_all(bytes)?;
    Ok(file)
}
