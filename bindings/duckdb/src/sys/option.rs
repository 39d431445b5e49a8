//! Settings that the extension adds to DuckDB's.

use libduckdb_sys::*;

use super::entry::Connection;
use super::string::c_string;
use super::types::{LogicalType, Type};
use super::value::Value;

/// A setting: `SET name = value`.
pub struct ConfigOption {
    /// Its name.
    pub name: &'static str,
    /// One line about it, which `duckdb_settings()` shows.
    pub description: &'static str,
    /// The type of its values.
    pub of: Type,
    /// Its value where nobody sets it.
    pub default: Value,
}

/// Adds a setting. One that is there already, from when the extension was loaded before, stays as
/// it is.
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
        // the one way to fail that is left is that the setting is there
        let _ = duckdb_register_config_option(connection.raw(), raw);
        duckdb_destroy_config_option(&mut raw);
    }
}
