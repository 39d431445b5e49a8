//! Connection to the database that loads the extension, and the settings that the extension adds.

use std::ffi::{CStr, c_void};
use std::sync::OnceLock;

use libduckdb_sys::*;

use super::ffi::{c_string, guarded};
use super::types::{LogicalType, Type};
use super::value::Value;
use super::vector::VECTOR_ROWS;

/// Version of the stable C interface; `package.sh` writes it into the extension's footer, too.
const API_VERSION: &str = "v1.5.6";

/// Version of DuckDB that has the second interface and the C++ functions in use. Other versions may
/// lay the same functions out differently, or change their behaviour.
pub const VERSION: &str = "v2.0.0";

/// The extension's own connection to the database.
pub struct Connection(duckdb_connection);

impl Connection {
    pub(in crate::sys) fn raw(&self) -> duckdb_connection {
        self.0
    }

    fn open(database: duckdb_database) -> Result<Self, String> {
        let mut raw = std::ptr::null_mut();
        // SAFETY: the database lives while its extension is being loaded.
        let state = unsafe { duckdb_connect(database, &mut raw) };
        if state != duckdb_state_DuckDBSuccess {
            return Err("cannot connect to the database that loads it".to_owned());
        }
        Ok(Self(raw))
    }

    /// Runs a statement without rows.
    ///
    /// # Errors
    /// DuckDB's error.
    pub(in crate::sys) fn execute(&self, sql: &str) -> Result<(), String> {
        let sql = c_string(sql);
        // SAFETY: all of it may be zero, as C has it before a query.
        let mut result = unsafe { std::mem::zeroed::<duckdb_result>() };
        // SAFETY: connection and text live until the call returns; the result is ours, and
        // destroyed below.
        let state = unsafe { duckdb_query(self.0, sql.as_ptr(), &mut result) };
        // SAFETY: a text of the result's, which ends in a zero and lives as long; null if there is
        // none.
        let error = unsafe { duckdb_result_error(&mut result).as_ref().map(|error| CStr::from_ptr(error)) };
        let error = error.map(|error| error.to_string_lossy().into_owned());
        // SAFETY: as above.
        unsafe { duckdb_destroy_result(&mut result) };
        if state == duckdb_state_DuckDBSuccess { Ok(()) } else { Err(error.unwrap_or_default()) }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // SAFETY: it was opened by us and is closed once.
        unsafe { duckdb_disconnect(&mut self.0) }
    }
}

/// Checks that only one DuckDB of the process loads this copy of the extension, which keeps one
/// table of functions.
///
/// # Errors
/// The function at this address is in another library than that of an earlier call.
fn only_one_host(function: usize) -> Result<(), String> {
    static HOST: OnceLock<usize> = OnceLock::new();
    // SAFETY: zeroes are a value of this struct of pointers.
    let mut place: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: any address may be asked for, and `place` is written.
    let found = unsafe { libc::dladdr(function as *const c_void, &mut place) };
    let base = if found == 0 { 0 } else { place.dli_fbase as usize };
    match *HOST.get_or_init(|| base) {
        host if host == base => Ok(()),
        _ => Err("another DuckDB of this process has loaded this file; load a copy of it under another name"
            .to_owned()),
    }
}

/// Initialises DuckDB's stable interface and calls `register` to add the extension's functions.
/// Returns whether that worked; errors are reported to DuckDB.
///
/// # Safety
/// `info` and `access` are the arguments of the extension's entry point.
pub unsafe fn load(
    info: duckdb_extension_info,
    access: *const duckdb_extension_access,
    register: impl FnOnce(&Connection) -> Result<(), String>,
) -> bool {
    let done = guarded(|| {
        // SAFETY: the caller's.
        only_one_host(unsafe { (*access).get_database }.map_or(0, |function| function as usize))?;
        // SAFETY: the caller's. An interface of this version has every function of the structure
        // that is read, which is the one of that version; DuckDB says no where it has an older one,
        // and then nothing is read.
        match unsafe { duckdb_rs_extension_api_init(info, access, API_VERSION) } {
            Ok(true) => {}
            // DuckDB has set an error that names its version.
            Ok(false) => return Ok(false),
            Err(what) => return Err(what.to_owned()),
        }
        // SAFETY: the function is there.
        let rows = unsafe { duckdb_vector_size() } as usize;
        if rows != VECTOR_ROWS {
            return Err(format!(
                "Pelton is built for DuckDB's vectors of {VECTOR_ROWS} rows; this DuckDB has {rows}"
            ));
        }
        // SAFETY: the caller's; the pointer that comes is to a database that lives while this call
        // does.
        let database = unsafe { (*access).get_database.and_then(|get| get(info).as_ref()) };
        let database = *database.ok_or("DuckDB gave no database to load into")?;
        register(&Connection::open(database)?)?;
        Ok(true)
    });
    done.unwrap_or_else(|error| {
        let error = c_string(&error);
        // SAFETY: the caller's; the call copies the text.
        unsafe {
            if let Some(set_error) = (*access).set_error {
                set_error(info, error.as_ptr());
            }
        }
        false
    })
}

/// A setting: `SET name = value`.
pub struct ConfigOption {
    /// Its name.
    pub name: &'static str,
    /// Description of one line, for `duckdb_settings()`.
    pub description: &'static str,
    /// The type of its values.
    pub of: Type,
    /// Value until a user sets another.
    pub default: Value,
}

/// Adds a setting. A setting from an earlier load of the extension stays unchanged.
pub fn register_option(connection: &Connection, option: &ConfigOption) {
    let (name, description) = (c_string(option.name), c_string(option.description));
    let of = LogicalType::from(&option.of);
    // SAFETY: makes a new option, which is destroyed below.
    let mut raw = unsafe { duckdb_create_config_option() };
    // SAFETY: all arguments live until the calls return, which copy them; scope is one of the
    // constants.
    unsafe {
        duckdb_config_option_set_name(raw, name.as_ptr());
        duckdb_config_option_set_type(raw, of.raw());
        duckdb_config_option_set_default_value(raw, option.default.raw());
        let scope = duckdb_config_option_scope_DUCKDB_CONFIG_OPTION_SCOPE_GLOBAL;
        duckdb_config_option_set_default_scope(raw, scope);
        duckdb_config_option_set_description(raw, description.as_ptr());
        // The only remaining failure is that the setting exists already.
        let _ = duckdb_register_config_option(connection.raw(), raw);
        duckdb_destroy_config_option(&mut raw);
    }
}
