//! The package's functions, over the engines in [`shared`].

use std::collections::HashMap;
use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::connection::Connection;
use super::profile::{Profile, explain_with};
use super::result::QueryResult;
use super::settings::Settings;
use super::statement::Statement;
use super::tables::with_tables;
use super::{files, shared, statistics, write};
use crate::numbers::whole_or_none;

type Tables<'py> = Option<HashMap<String, Bound<'py, PyAny>>>;

/// Runs a query: one statement of SQL over Parquet files and over rows that Python has.
///
/// `tables` gives names to tables, as `Connection.register` takes them; files need none:
/// `FROM 'x.parquet'`. `params` are values, as `Connection.execute` takes them. `device` is a
/// device or a list of them (`pelton.devices()`), or "auto" for all available; `threads` is one for
/// each core by default; `memory` a limit in bytes or text such as "2GB". The engine of each
/// combination of settings is kept for the next call.
///
/// Raises `QueryError`, `TableError`, `DataError` or `OutOfMemory`, `TypeError` for an object that
/// is no table, `ValueError` for an invalid setting. Errors in computing rows are raised when the
/// rows are taken.
#[pyfunction]
#[pyo3(signature = (query, tables = None, *, params = None, device = None, threads = None, memory = None))]
fn sql(
    py: Python<'_>,
    query: &str,
    tables: Tables<'_>,
    params: Option<&Bound<'_, PyAny>>,
    device: Option<&Bound<'_, PyAny>>,
    threads: Option<&Bound<'_, PyAny>>,
    memory: Option<&Bound<'_, PyAny>>,
) -> PyResult<QueryResult> {
    let statement = Statement::with_values(query, params)?;
    let handle = shared::engine(py, Settings::new(device, threads, memory)?)?;
    QueryResult::start(py, with_tables(py, handle, tables)?, statement)
}

/// Opens a connection, which keeps tables and the data that was read of their files.
///
/// The arguments are settings of a session, as `SET` has them: `device`, `threads` and `memory` are
/// those of `sql`; `verify_checksums` checks the CRC-32 of every page that has one.
///
/// Raises `Error` if a requested device is not available, `ValueError` for an invalid setting,
/// `TypeError` for an unknown one.
#[pyfunction]
#[pyo3(signature = (**settings),
       text_signature = "(*, device=None, threads=None, memory=None, verify_checksums=False)")]
fn connect(py: Python<'_>, settings: Option<&Bound<'_, PyDict>>) -> PyResult<Connection> {
    Connection::open(py, Settings::from_arguments(settings)?)
}

/// Returns the plan of a query as text, as `Connection.explain`; the other arguments are those of
/// `sql`.
#[pyfunction]
#[pyo3(signature = (query, analyze = false, tables = None, *, device = None, threads = None, memory = None))]
fn explain(
    py: Python<'_>,
    query: &str,
    analyze: bool,
    tables: Tables<'_>,
    device: Option<&Bound<'_, PyAny>>,
    threads: Option<&Bound<'_, PyAny>>,
    memory: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let handle = shared::engine(py, Settings::new(device, threads, memory)?)?;
    explain_with(py, with_tables(py, handle, tables)?, query, analyze)
}

/// Runs a query to its end and records its activity over time, as `Connection.profile`; the other
/// arguments are those of `sql`.
#[pyfunction]
#[pyo3(signature = (query, path = None, tables = None, *, device = None, threads = None, memory = None))]
fn profile(
    py: Python<'_>,
    query: &str,
    path: Option<PathBuf>,
    tables: Tables<'_>,
    device: Option<&Bound<'_, PyAny>>,
    threads: Option<&Bound<'_, PyAny>>,
    memory: Option<&Bound<'_, PyAny>>,
) -> PyResult<Profile> {
    let handle = shared::engine(py, Settings::new(device, threads, memory)?)?;
    Profile::record(py, &*with_tables(py, handle, tables)?, query, path.as_deref())
}

/// Reads Parquet files: a file, a folder, a glob, a URL, or a list of these.
///
/// `columns` are names, in their order in the result. `filter` is a condition in SQL, such as
/// "price > 5 AND day < DATE '2024-03-01'"; row groups and pages that it rules out are not read.
/// The other arguments are those of `sql`.
///
/// Raises `MissingFileError` (a `FileNotFoundError`), `TableError`, `DataError`, `QueryError` for
/// unknown columns.
#[pyfunction]
#[pyo3(signature = (path, columns = None, filter = None, *, device = None, threads = None, memory = None))]
fn read_parquet(
    py: Python<'_>,
    path: &Bound<'_, PyAny>,
    columns: Option<Vec<String>>,
    filter: Option<&str>,
    device: Option<&Bound<'_, PyAny>>,
    threads: Option<&Bound<'_, PyAny>>,
    memory: Option<&Bound<'_, PyAny>>,
) -> PyResult<QueryResult> {
    let handle = shared::engine(py, Settings::new(device, threads, memory)?)?;
    files::read(py, &handle, path, columns, filter)
}

/// Writes a table as a Parquet file; the devices compress its pages. `data` is a table as
/// `Connection.register` takes it. Rows of a result that is still unread are written as they are
/// computed, and not kept.
///
/// `codec` is "gzip", "zstd", "snappy", "lz4_raw" or "none"; `level` one of the codec's, its own
/// choice by default: gzip has 0-12, zstd 1-22. A row group has `row_group_rows` rows, 1048576 by
/// default; dictionary-encoded columns get bloom filters. The file appears under its name when it
/// is whole; one that was there is replaced then.
///
/// Returns a dict of `rows`, `bytes` (of the file) and `row_groups`. Raises `ValueError` for an
/// unknown codec or level, `TypeError` for data that is no table, `TableError` if the file can't be
/// written, and the data's own exceptions; then nothing is left of the file.
#[pyfunction]
#[pyo3(signature = (data, path, codec = "gzip", level = None, *, row_group_rows = None, bloom_filters = true,
                    device = None, threads = None, memory = None))]
#[expect(clippy::too_many_arguments, reason = "they have names in Python")]
fn write_parquet<'py>(
    py: Python<'py>,
    data: &Bound<'py, PyAny>,
    path: PathBuf,
    codec: &str,
    #[pyo3(from_py_with = whole_or_none)] level: Option<i32>,
    row_group_rows: Option<&Bound<'py, PyAny>>,
    bloom_filters: bool,
    device: Option<&Bound<'py, PyAny>>,
    threads: Option<&Bound<'py, PyAny>>,
    memory: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let packing = write::packing(codec, level)?;
    let settings = Settings::new(device, threads, memory)?;
    let options = write::options(packing, row_group_rows, bloom_filters, settings.threads())?;
    let handle = shared::engine(py, settings)?;
    write::summary(py, write::write(py, &handle, data, path, options)?)
}

/// Returns the devices that Pelton knows of, as `Connection.devices`.
#[pyfunction]
fn devices(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    statistics::devices(py, &*shared::engine(py, Settings::default())?)
}

/// Returns the counts of each device for calls of the package's functions without settings, as
/// `Connection.stats`.
#[pyfunction]
fn stats(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    statistics::stats(py, &*shared::engine(py, Settings::default())?)
}

/// Returns the WHERE clause of a condition, for the queries that the package's Python code
/// builds.
#[pyfunction]
fn where_clause(py: Python<'_>, condition: &str) -> PyResult<String> {
    files::clause(py, condition)
}

/// Adds the functions to the module.
///
/// # Errors
/// Python cannot make them.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(sql, module)?)?;
    module.add_function(wrap_pyfunction!(connect, module)?)?;
    module.add_function(wrap_pyfunction!(explain, module)?)?;
    module.add_function(wrap_pyfunction!(profile, module)?)?;
    module.add_function(wrap_pyfunction!(read_parquet, module)?)?;
    module.add_function(wrap_pyfunction!(where_clause, module)?)?;
    module.add_function(wrap_pyfunction!(write_parquet, module)?)?;
    module.add_function(wrap_pyfunction!(devices, module)?)?;
    module.add_function(wrap_pyfunction!(stats, module)?)
}
