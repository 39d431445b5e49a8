//! Tables by name: Python's objects that queries read.

use std::collections::HashMap;
use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::handle::Handle;
use super::import::{Table, table};
use crate::error::{guarded, raise};
use crate::wait::run;

/// Returns a branch with tables, or this one where there are none.
///
/// # Errors
/// As [`register`].
pub fn with_tables(
    py: Python<'_>,
    handle: Arc<Handle>,
    tables: Option<HashMap<String, Bound<'_, PyAny>>>,
) -> PyResult<Arc<Handle>> {
    let Some(tables) = tables.filter(|tables| !tables.is_empty()) else { return Ok(handle) };
    let branch = handle.branch(py, false)?;
    for (name, object) in tables {
        register(py, &branch, &name, &object)?;
    }
    Ok(branch)
}

/// Gives a name to files, or to rows of Python objects.
///
/// # Errors
/// The object is no table.
pub fn register(py: Python<'_>, handle: &Handle, name: &str, object: &Bound<'_, PyAny>) -> PyResult<()> {
    let (engine, name) = (handle.engine(py)?.clone(), table_name(name)?);
    match guarded(py, || table(object, &name))? {
        Table::Files(places) => run(py, move || engine.register_files(&name, &places)),
        Table::Rows(schema, batches) => {
            let done = || engine.register_batches(&name, schema, batches).map_err(|error| raise(py, &error));
            guarded(py, done)
        }
    }
}

/// Returns a table's name in the engine's form. SQL reads unquoted names as lower case, so that
/// `Trips` is found as `Trips`; a name in double quotes stays unchanged.
///
/// # Errors
/// `ValueError` for an empty name.
pub fn table_name(name: &str) -> PyResult<String> {
    let quoted = name.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let name = quoted.map_or_else(|| name.to_lowercase(), str::to_owned);
    match name.is_empty() {
        true => Err(PyValueError::new_err("a table needs a name")),
        false => Ok(name),
    }
}

/// Returns a column's or table's name, for SQL's text.
pub fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
