//! What a query's connection has set.

use libduckdb_sys::*;

use super::string::c_string;
use super::value::Value;

/// What knows the settings of the connection that a query runs on.
pub trait Settings {
    /// The value of a setting; `None` if there is no such setting.
    fn setting(&self, name: &str) -> Option<Value>;
}

/// The connection that a query runs on.
pub struct Context(duckdb_client_context);

impl Context {
    /// # Safety
    /// `raw` is a context, or null, and nobody else destroys it.
    pub(super) unsafe fn take(raw: duckdb_client_context) -> Self {
        Self(raw)
    }
}

impl Settings for Context {
    fn setting(&self, name: &str) -> Option<Value> {
        let name = c_string(name);
        let mut scope = duckdb_config_option_scope_DUCKDB_CONFIG_OPTION_SCOPE_INVALID;
        // SAFETY: context and name live until the call returns; null is answered with null, and the
        // value is ours.
        unsafe { Value::take(duckdb_client_context_get_config_option(self.0, name.as_ptr(), &mut scope)) }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: it is destroyed once; null is let be.
        unsafe { duckdb_destroy_client_context(&mut self.0) }
    }
}
