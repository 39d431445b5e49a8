//! Queries that read Parquet files without SQL.

use std::sync::Arc;

use pelton::Clause;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use super::handle::Handle;
use super::import::places;
use super::result::QueryResult;
use super::tables::quoted;
use crate::error::raise;
use crate::wait::run;

/// Name of the files in the query over them.
const TABLE: &str = "files";

/// Returns a query for columns of files, and rows that meet a condition.
///
/// # Errors
/// The files can't be read, or the columns or the condition name an unknown column.
pub fn read(
    py: Python<'_>,
    handle: &Arc<Handle>,
    path: &Bound<'_, PyAny>,
    columns: Option<Vec<String>>,
    filter: Option<&str>,
) -> PyResult<QueryResult> {
    let branch = handle.branch(py, false)?;
    let Some(places) = places(path)? else {
        return Err(PyTypeError::new_err("path is a path of Parquet files, or a list of them"));
    };
    let engine = branch.engine(py)?.clone();
    run(py, move || engine.register_files(TABLE, &places))?;
    QueryResult::start(py, branch, select(py, columns.as_deref(), filter)?.into())
}

/// Returns the WHERE clause of a condition.
///
/// # Errors
/// The condition is not one expression.
pub fn clause(py: Python<'_>, condition: &str) -> PyResult<String> {
    Clause::Where.check(condition).map_err(|error| raise(py, &error))?;
    // On a line of its own, so that a comment in it ends there.
    Ok(format!(" WHERE (\n{condition}\n)"))
}

fn select(py: Python<'_>, columns: Option<&[String]>, filter: Option<&str>) -> PyResult<String> {
    let columns = match columns {
        None => "*".to_owned(),
        Some([]) => return Err(PyValueError::new_err("columns is empty; name one or more, or leave it out")),
        Some(names) => names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", "),
    };
    let filter = filter.map(|filter| clause(py, filter)).transpose()?.unwrap_or_default();
    Ok(format!("SELECT {columns} FROM {TABLE}{filter}"))
}
