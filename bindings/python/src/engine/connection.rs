//! `pelton.Connection`.

use std::collections::HashMap;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::handle::{ClosableHandle, Handle};
use super::profile::{Profile, explain_with};
use super::result::QueryResult;
use super::settings::Settings;
use super::statement::{PreparedStatement, Statement, execute_many, from_substrait, to_substrait};
use super::statistics;
use super::tables::{quoted, register, table_name, with_tables};
use crate::error::raise;

/// Tables of Python's objects, by name.
type Tables<'py> = Option<HashMap<String, Bound<'py, PyAny>>>;

/// Tables, and the engine that queries them. Threads may share one.
///
/// Open one with `pelton.connect()`. As a context manager it closes itself.
#[pyclass(frozen, module = "pelton")]
pub struct Connection(Arc<ClosableHandle>);

impl Connection {
    /// Opens a connection.
    ///
    /// # Errors
    /// As [`Handle::open`].
    pub fn open(py: Python<'_>, settings: Settings) -> PyResult<Self> {
        Ok(Connection(ClosableHandle::new(Handle::open(py, settings)?)))
    }

    fn handle(&self, py: Python<'_>) -> PyResult<Arc<Handle>> {
        self.0.get(py)
    }
}

#[pymethods]
impl Connection {
    /// Runs a query: one statement of SQL.
    ///
    /// `tables` exist for this query only, in the forms that `register` takes. `params` are values
    /// as of `execute`. The query begins to run; its rows are computed while they are taken from
    /// the result.
    ///
    /// Raises `QueryError` if it does not parse or names an unknown table or column, `TableError`
    /// or `DataError` for files that can't be read, `TypeError` for an object that is no table.
    #[pyo3(signature = (query, tables = None, *, params = None))]
    fn sql(
        &self,
        py: Python<'_>,
        query: &str,
        tables: Tables<'_>,
        params: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<QueryResult> {
        let statement = Statement::with_values(query, params)?;
        QueryResult::start(py, with_tables(py, self.handle(py)?, tables)?, statement)
    }

    /// Runs one statement with values for its parameters.
    ///
    /// `params` is a list or a tuple of values for each `?`, or for `$1`, `$2` and so on; or a dict
    /// for `$name`. A value is None, a bool, int, float, Decimal, str, bytes, date, time, datetime,
    /// timedelta, `pelton.Interval`, or a list of these. It takes the place of a constant, so that
    /// no text of a value is ever read as SQL.
    ///
    /// Raises as `sql`, `TypeError` and `ValueError` for objects that are no such values.
    #[pyo3(signature = (query, params = None, tables = None))]
    fn execute(
        &self,
        py: Python<'_>,
        query: &str,
        params: Option<&Bound<'_, PyAny>>,
        tables: Tables<'_>,
    ) -> PyResult<QueryResult> {
        self.sql(py, query, tables, params)
    }

    /// Runs a statement such as INSERT once with each of several lists, tuples or dicts of values,
    /// and returns the number of rows that it inserted. Each execution takes effect by itself:
    /// those before an error stay.
    ///
    /// Raises as `execute`, and `QueryError` for a query.
    fn executemany(&self, py: Python<'_>, query: &str, params: &Bound<'_, PyAny>) -> PyResult<u64> {
        execute_many(py, self.handle(py)?, query, params)
    }

    /// Parses a statement once, for several executions with other values of its parameters.
    ///
    /// Raises `QueryError` if it does not parse.
    fn prepare(&self, py: Python<'_>, query: &str) -> PyResult<PreparedStatement> {
        PreparedStatement::new(py, self.0.clone(), query)
    }

    /// Returns the rows of a table or view, which `filter`, `project`, `aggregate` and others of
    /// `Result` query further.
    ///
    /// Raises `QueryError` for an unknown name.
    fn table(&self, py: Python<'_>, name: &str) -> PyResult<QueryResult> {
        let sql = format!("SELECT * FROM {}", quoted(&table_name(name)?));
        QueryResult::start(py, self.handle(py)?, sql.into())
    }

    /// Runs a plan of Substrait: bytes, anything with a buffer of them, or a text of JSON.
    ///
    /// The plan's tables are those of this connection and of `tables`, places of files, the local
    /// files that it lists, and rows in it. With `over`, the plan is expressions (an
    /// `ExtendedExpression`), which are computed for the rows of that table or file.
    ///
    /// Raises `QueryError` if it does not decode, names an unknown table or column, or needs
    /// functions or relations that Pelton lacks, all of which are listed; `TypeError` for an object
    /// that is no plan; and as `sql`.
    #[pyo3(name = "from_substrait", signature = (plan, tables = None, *, over = None))]
    fn run_substrait(
        &self,
        py: Python<'_>,
        plan: &Bound<'_, PyAny>,
        tables: Tables<'_>,
        over: Option<&str>,
    ) -> PyResult<QueryResult> {
        let statement = from_substrait(plan, over)?;
        QueryResult::start(py, with_tables(py, self.handle(py)?, tables)?, statement)
    }

    /// Returns the Substrait plan of a SQL query, optimised: bytes, or with `format="json"` a text.
    ///
    /// Raises `QueryError` if it does not plan, or if Substrait can't express it.
    #[pyo3(signature = (query, tables = None, *, format = "bytes"))]
    fn to_substrait<'py>(
        &self,
        py: Python<'py>,
        query: &str,
        tables: Tables<'_>,
        format: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        to_substrait(py, &*with_tables(py, self.handle(py)?, tables)?, query, format)
    }

    /// Gives a table a name, in place of an earlier table of that name. SQL finds the name as it is
    /// given, unless it differs from another only in capitals; in double quotes it is taken
    /// literally.
    ///
    /// The table is a path of Parquet files (a file, a folder, a glob, a URL), a list of paths, a
    /// `pyarrow.Table`, `polars.DataFrame`, `polars.LazyFrame` (collected now) or
    /// `pandas.DataFrame` (without its index), a `pelton.Result`, a `pyarrow.dataset.Dataset`,
    /// anything else with Arrow's PyCapsule interface, or an iterable of record batches, which is
    /// read to its end now. Rows in memory are not copied.
    ///
    /// Raises `TypeError` for other objects, `TableError` for columns or files that make no table,
    /// `DataError` for Arrow data that contradicts itself, and the object's own exceptions.
    fn register(&self, py: Python<'_>, name: &str, table: &Bound<'_, PyAny>) -> PyResult<()> {
        register(py, &*self.handle(py)?, name, table)
    }

    /// Removes a table. Running queries keep it. Raises `KeyError` for an unknown name.
    fn unregister(&self, py: Python<'_>, name: &str) -> PyResult<()> {
        let handle = self.handle(py)?;
        let found = handle.engine(py)?.deregister(&table_name(name)?).map_err(|error| raise(py, &error))?;
        match found {
            true => Ok(()),
            false => Err(pyo3::exceptions::PyKeyError::new_err(name.to_owned())),
        }
    }

    /// Returns the names of the tables, in order.
    fn tables(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        Ok(self.handle(py)?.engine(py)?.tables())
    }

    /// Returns the plan of a query as text. With `analyze` the query runs, and each part of the
    /// plan has its counts: rows, time, and for scans the data read, pruned and decompressed, and
    /// by which device.
    ///
    /// Raises as `sql`.
    #[pyo3(signature = (query, analyze = false, tables = None))]
    fn explain(&self, py: Python<'_>, query: &str, analyze: bool, tables: Tables<'_>) -> PyResult<String> {
        explain_with(py, with_tables(py, self.handle(py)?, tables)?, query, analyze)
    }

    /// Runs a query to its end, and records the activity of each thread over time: one page of
    /// HTML, shown in notebooks, written to `path` if it is given. The rows are dropped.
    ///
    /// Raises as `sql`, and `OSError` if the page can't be written.
    #[pyo3(signature = (query, path = None, tables = None))]
    fn profile(
        &self,
        py: Python<'_>,
        query: &str,
        path: Option<std::path::PathBuf>,
        tables: Tables<'_>,
    ) -> PyResult<Profile> {
        Profile::record(py, &*with_tables(py, self.handle(py)?, tables)?, query, path.as_deref())
    }

    /// Returns the devices that Pelton knows of, accelerators first: dicts of `name`, `available`,
    /// `detail` (a description, or the reason why it is not available) and `enable` (commands that
    /// would enable it).
    fn devices<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        statistics::devices(py, &*self.handle(py)?)
    }

    /// Returns the counts of each device for this connection: dicts of `device`, `operation`,
    /// `format`, numbers of jobs (`tried`, `done`, `side_by_side`, `failed`, `cancelled`),
    /// `refused` and `fell_back` (dicts of reason and number), `bytes_in`, `bytes_out`, and
    /// `seconds`, summed over the device's threads.
    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        statistics::stats(py, &*self.handle(py)?)
    }

    /// Stops the queries that run; threads that wait for them get an `Error`. Forgets the tables.
    /// Closing twice does nothing.
    fn close(&self, py: Python<'_>) {
        self.0.close(py);
    }

    fn __enter__(slf: Bound<'_, Self>) -> PyResult<Bound<'_, Self>> {
        slf.get().handle(slf.py())?;
        Ok(slf)
    }

    fn __exit__(
        &self,
        py: Python<'_>,
        _type: &Bound<'_, PyAny>,
        _value: &Bound<'_, PyAny>,
        _traceback: &Bound<'_, PyAny>,
    ) {
        self.close(py);
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        match self.handle(py).and_then(|handle| Ok(handle.engine(py)?.tables())) {
            Ok(tables) if tables.is_empty() => "<pelton.Connection without tables>".to_owned(),
            Ok(tables) => format!("<pelton.Connection with {}>", tables.join(", ")),
            Err(_) => "<pelton.Connection, closed>".to_owned(),
        }
    }
}
