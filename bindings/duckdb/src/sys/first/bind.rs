//! Arguments and settings of a table function's call in the first interface.

use libduckdb_sys::*;

use crate::sys::ffi::c_string;
use crate::sys::function::{Bind, Init, Settings};
use crate::sys::types::{LogicalType, Type};
use crate::sys::value::Value;

/// The connection that a query runs on.
pub struct Context(duckdb_client_context);

impl Context {
    /// # Safety
    /// `raw` is null, or a context without another owner.
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

/// A function that is being bound.
pub struct Binding {
    raw: duckdb_bind_info,
    context: Context,
}

impl Binding {
    /// # Safety
    /// DuckDB gave `raw` to a bind callback, which runs for as long as this lives.
    pub(super) unsafe fn new(raw: duckdb_bind_info) -> Self {
        let mut context = std::ptr::null_mut();
        // SAFETY: the call writes a context, which is ours.
        unsafe { duckdb_table_function_get_client_context(raw, &mut context) };
        // SAFETY: it is the one that was just written, or null.
        Self { raw, context: unsafe { Context::take(context) } }
    }
}

impl Settings for Binding {
    fn setting(&self, name: &str) -> Option<Value> {
        self.context.setting(name)
    }
}

impl Bind for Binding {
    fn argument(&self, index: usize) -> Option<Value> {
        // SAFETY: the call says null where there is none; the value is ours.
        unsafe { Value::take(duckdb_bind_get_parameter(self.raw, index as idx_t)) }
    }

    fn named(&self, name: &str) -> Option<Value> {
        let name = c_string(name);
        // SAFETY: the call says null where there is none; the value is ours.
        unsafe { Value::take(duckdb_bind_get_named_parameter(self.raw, name.as_ptr())) }
    }

    fn add_column(&self, name: &str, of: &Type) -> Result<(), String> {
        let (raw_name, logical) = (c_string(name), LogicalType::from(of));
        if logical.raw().is_null() {
            return Err(format!("column {name}: DuckDB has no type such as {of:?}"));
        }
        // SAFETY: both live until the call returns, which copies them.
        unsafe { duckdb_bind_add_result_column(self.raw, raw_name.as_ptr(), logical.raw()) };
        Ok(())
    }

    fn set_rows(&self, rows: u64, is_exact: bool) {
        // SAFETY: the call takes any number.
        unsafe { duckdb_bind_set_cardinality(self.raw, rows, is_exact) };
    }
}

/// A run that is being started.
pub struct Starting(duckdb_init_info);

impl Starting {
    /// # Safety
    /// DuckDB gave `raw` to an init callback, which runs for as long as this lives.
    pub(super) unsafe fn new(raw: duckdb_init_info) -> Self {
        Self(raw)
    }
}

impl Init for Starting {
    fn columns(&self) -> Vec<usize> {
        // SAFETY: `raw` lives while this does.
        let count = unsafe { duckdb_init_get_column_count(self.0) };
        // SAFETY: the index is below the count.
        (0..count).map(|index| unsafe { duckdb_init_get_column_index(self.0, index) } as usize).collect()
    }

    fn set_threads(&self, threads: usize) {
        // SAFETY: the call takes any number.
        unsafe { duckdb_init_set_max_threads(self.0, threads.max(1) as idx_t) };
    }
}
