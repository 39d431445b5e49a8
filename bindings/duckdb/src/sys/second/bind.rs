//! Arguments and settings of a table function's call in the second interface.

use libduckdb_sys::v2::*;

use super::call::{call, given};
use super::handles::value;
use super::types::logical;
use crate::sys::function::{Bind, Init, Settings};
use crate::sys::types::Type;
use crate::sys::value::Value;

/// The connection of a query, while a callback runs.
pub struct Context(duckdb_v2_context_handle);

impl Context {
    /// # Safety
    /// DuckDB gave `raw` to a callback, which runs for as long as this lives.
    pub unsafe fn new(raw: duckdb_v2_context_handle) -> Self {
        Self(raw)
    }

    /// Returns the factory of types and values.
    ///
    /// # Errors
    /// DuckDB returns none.
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
        // SAFETY: the context lives, and so do its settings.
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

/// A function that is being bound.
pub struct Binding {
    pub raw: duckdb_v2_function_bind_info_handle,
    pub result: duckdb_v2_table_function_bind_info_handle,
    pub context: Context,
}

impl Settings for Binding {
    fn setting(&self, name: &str) -> Option<Value> {
        self.context.setting(name)
    }
}

impl Bind for Binding {
    fn argument(&self, index: usize) -> Option<Value> {
        let found = given(std::ptr::null_mut(), |found, error| {
            // SAFETY: `raw` lives while this does, and the call says no where there is no argument.
            unsafe { duckdb_v2_function_bind_get_arg_value(self.raw, index as idx_t, found, error) }
        });
        // SAFETY: the value that came is ours.
        unsafe { Value::take(value(found.ok()?)) }
    }

    fn named(&self, name: &str) -> Option<Value> {
        let name = duckdb_v2_identifier_t::from(name);
        let (mut index, mut is_there) = (0, false);
        // SAFETY: all of it lives until the call returns.
        call(|error| unsafe {
            duckdb_v2_function_bind_get_arg_index(self.raw, &name, &mut index, &mut is_there, error)
        })
        .ok()?;
        // An argument that was not given is NULL.
        is_there.then(|| self.argument(index as usize)).flatten().filter(|value| !value.is_null())
    }

    fn add_column(&self, name: &str, of: &Type) -> Result<(), String> {
        let of = logical(self.context.factory()?, of).map_err(|error| format!("column {name}: {error}"))?;
        let name = duckdb_v2_identifier_t::from(name);
        // SAFETY: all of it lives until the call returns, which copies name and type.
        call(|error| unsafe {
            duckdb_v2_table_function_bind_add_result_column(self.result, &name, of.raw(), error)
        })
    }

    fn set_rows(&self, rows: u64, is_exact: bool) {
        // SAFETY: `result` lives while this does, and the call takes any number. Without it DuckDB
        // has an estimate of its own.
        let _ = call(|error| unsafe {
            duckdb_v2_table_function_bind_set_cardinality(self.result, rows, is_exact, error)
        });
    }
}

/// A run that is being started.
pub struct Starting {
    raw: duckdb_v2_table_function_init_global_info_handle,
    columns: Vec<usize>,
}

impl Starting {
    /// # Errors
    /// DuckDB returns an error.
    ///
    /// # Safety
    /// DuckDB gave `raw` to an init callback, which runs for as long as this lives.
    pub unsafe fn new(raw: duckdb_v2_table_function_init_global_info_handle) -> Result<Self, String> {
        // SAFETY: the caller's.
        let count = given(0, |count, error| unsafe {
            duckdb_v2_table_function_init_global_get_column_count(raw, count, error)
        })?;
        let column = |index| {
            let column = given(0, |column, error| {
                // SAFETY: the index is below the count.
                unsafe { duckdb_v2_table_function_init_global_get_column_index(raw, index, column, error) }
            })?;
            Ok(column as usize)
        };
        let columns = (0..count).map(column).collect::<Result<_, String>>()?;
        Ok(Self { raw, columns })
    }
}

impl Init for Starting {
    fn columns(&self) -> Vec<usize> {
        self.columns.clone()
    }

    fn set_threads(&self, threads: usize) {
        let threads = threads.max(1) as idx_t;
        // SAFETY: `raw` lives while this does, and the call takes any number. Without it there is
        // one thread.
        let _ = call(|error| unsafe {
            duckdb_v2_table_function_init_global_set_max_threads(self.raw, threads, error)
        });
    }
}
