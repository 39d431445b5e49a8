//! The connection that a query runs on.

use libduckdb_sys::v2::*;

use super::call::{call, given};
use super::same::value;
use crate::sys::Settings;
use crate::sys::value::Value;

/// It, for as long as a callback runs.
pub struct Context(duckdb_v2_context_handle);

impl Context {
    /// # Safety
    /// `raw` is what DuckDB gave to a callback that is still running, for as long as this lives.
    pub unsafe fn new(raw: duckdb_v2_context_handle) -> Self {
        Self(raw)
    }

    /// What makes types and values.
    ///
    /// # Errors
    /// DuckDB gives none.
    pub fn factory(&self) -> Result<duckdb_v2_factory_handle, String> {
        // SAFETY: the context lives, and the factory as long.
        given(std::ptr::null_mut(), |factory, error| unsafe {
            duckdb_v2_context_get_factory(self.0, factory, error)
        })
    }
}

impl Settings for Context {
    fn setting(&self, name: &str) -> Option<Value> {
        let name = duckdb_v2_identifier_t::from(name);
        // SAFETY: the context lives, and what it has set as long.
        let config = given(std::ptr::null_mut(), |config, error| unsafe {
            duckdb_v2_context_get_config(self.0, config, error)
        });
        let config = config.ok()?;
        let mut scope = DUCKDB_V2_SETTING_SCOPE::DUCKDB_V2_SETTING_SCOPE_DEFAULT;
        let mut found = std::ptr::null_mut();
        // SAFETY: all of it lives until the call returns; the value that comes is ours.
        call(|error| unsafe {
            duckdb_v2_config_get_option_value(config, &name, &mut found, &mut scope, error)
        })
        .ok()?;
        // SAFETY: as above.
        unsafe { Value::take(value(found)) }
    }
}
