//! Methods of `pelton.Result` for Python.

use std::path::PathBuf;

use pelton::settings::THREADS;
use pelton::type_in_sql;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList, PyTuple};

use super::QueryResult;
use super::batches::Iteration;
use super::rows::RowIteration;
use super::show;
use crate::engine::export::{self, Columns, Rows, Stream, types};
use crate::engine::import::text_of_path;
use crate::engine::{values, write};
use crate::error::Kind;
use crate::library::{library, library_or};
use crate::numbers::{count, whole, whole_or_none};
use crate::wait::detached;

/// Words about an iteration without pyarrow.
const NO_BATCHES: &str = "an iteration takes batches of pyarrow, which is not here: iterate over iter_rows() for \
                          tuples, or pip install pyarrow";

#[pymethods]
impl QueryResult {
    /// Returns the rows as Arrow's C stream, batch by batch, as the query computes them. Rows that
    /// were kept come again; otherwise the stream takes them. A `requested_schema` is followed if
    /// the columns can be cast to it.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = export::requested(&self.schema, requested_schema)?;
        export::stream(py, self.take(py, schema)?)
    }

    /// Returns the columns, as Arrow's C schema.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        export::schema(py, &self.schema)
    }

    /// Returns all rows as a `pyarrow.Table`. Needs pyarrow.
    fn to_arrow<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (schema, batches) = self.complete(py)?;
        let without_views = types::without_views(&schema);
        let batches = detached(py, || {
            batches.iter().map(|batch| export::with_schema(batch, &without_views)).collect::<Result<_, _>>()
        })?;
        let kept = batches.map_err(|error| Kind::Error.error(py, error))?;
        let stream = Py::new(py, Stream::new(Rows::kept(without_views, kept)))?;
        library(py, "pyarrow")?.call_method1("table", (stream,))
    }

    /// Returns all rows as a `polars.DataFrame`, sharing memory. Needs polars.
    fn to_polars<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (schema, batches) = self.complete(py)?;
        let rows = Py::new(py, Stream::new(Rows::kept(schema, batches.into())))?;
        library(py, "polars")?.call_method1("DataFrame", (rows,))
    }

    /// Returns all rows as a `pandas.DataFrame`; options are those of `pyarrow.Table.to_pandas`.
    /// Needs pandas and pyarrow.
    #[pyo3(signature = (**options))]
    fn to_pandas<'py>(
        &self,
        py: Python<'py>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        library(py, "pyarrow")?;
        library(py, "pandas")?;
        self.to_arrow(py)?.call_method("to_pandas", (), options)
    }

    /// Returns all rows as a list of dicts, by column.
    fn to_pylist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        values::check_names(py, &self.schema)?;
        let (_, batches) = self.complete(py)?;
        let list = PyList::empty(py);
        values::in_chunks(py, &batches, |rows| {
            values::dicts(py, rows)?.into_iter().try_for_each(|row| list.append(row))
        })?;
        Ok(list)
    }

    /// Returns all rows as a list of tuples; after `fetchone` or `fetchmany`, those that they have
    /// left.
    fn fetchall<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        if let Some(reader) = self.fetched() {
            return PyList::new(py, reader.take(py, usize::MAX)?);
        }
        let (_, batches) = self.complete(py)?;
        let list = PyList::empty(py);
        values::in_chunks(py, &batches, |rows| {
            values::tuples(py, rows)?.into_iter().try_for_each(|row| list.append(row))
        })?;
        Ok(list)
    }

    /// Takes the next row, as a tuple; None after the last.
    fn fetchone(&self, py: Python<'_>) -> PyResult<Option<Py<PyTuple>>> {
        Ok(self.fetching(py)?.take(py, 1)?.pop())
    }

    /// Takes the next rows, up to `size`, as a list of tuples.
    #[pyo3(signature = (size = 1))]
    fn fetchmany(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = whole)] size: usize,
    ) -> PyResult<Vec<Py<PyTuple>>> {
        self.fetching(py)?.take(py, size)
    }

    /// Takes the rows, one tuple after the other, as the query computes them.
    fn iter_rows(&self, py: Python<'_>) -> PyResult<RowIteration> {
        Ok(RowIteration::new(self.reader(py)?))
    }

    /// Returns the number of rows, and of columns.
    #[getter]
    fn shape(&self, py: Python<'_>) -> PyResult<(usize, usize)> {
        Ok((self.length(py)?, self.schema.fields().len()))
    }

    /// Returns the columns' names.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    /// Returns the columns as a `pyarrow.Schema`, as `to_arrow` has them. Needs pyarrow.
    #[getter]
    fn schema<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let columns = Py::new(py, Columns::new(types::without_views(&self.schema)))?;
        library(py, "pyarrow")?.call_method1("schema", (columns,))
    }

    /// Returns the columns' types in SQL, such as "BIGINT".
    #[getter]
    fn types(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| type_in_sql(field.data_type())).collect()
    }

    /// Returns whether this is a statement such as INSERT, which ran to its end at once, and no
    /// query.
    #[getter]
    fn is_statement(&self) -> bool {
        self.takes_effect
    }

    /// Returns the rows that meet a condition in SQL, as a result of a query over this one.
    fn filter(&self, py: Python<'_>, condition: &str) -> PyResult<Self> {
        self.filtered(py, condition)
    }

    /// Returns expressions in SQL of each row, such as `project("city", "price * 2 AS twice")`, as
    /// a result of a query over this one.
    #[pyo3(signature = (*expressions))]
    fn project(&self, py: Python<'_>, expressions: Vec<String>) -> PyResult<Self> {
        self.projected(py, &expressions)
    }

    /// Returns aggregates in SQL, such as `aggregate("city", "avg(price)")`, as a result of a query
    /// over this one. Rows are grouped by the expressions that are no aggregates, or by `group_by`.
    #[pyo3(signature = (*expressions, group_by = None))]
    fn aggregate(&self, py: Python<'_>, expressions: Vec<String>, group_by: Option<&str>) -> PyResult<Self> {
        self.aggregated(py, &expressions, group_by)
    }

    /// Returns the rows in the order of expressions in SQL, such as `order("price DESC")`, as a
    /// result of a query over this one.
    #[pyo3(signature = (*expressions))]
    fn order(&self, py: Python<'_>, expressions: Vec<String>) -> PyResult<Self> {
        self.ordered(py, &expressions)
    }

    /// Returns the first `rows` rows after `offset` others, as a result of a query over this one.
    #[pyo3(signature = (rows, offset = 0))]
    fn limit(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = count)] rows: i64,
        #[pyo3(from_py_with = count)] offset: i64,
    ) -> PyResult<Self> {
        self.limited(py, rows, offset)
    }

    /// Returns a row of statistics about each column, as SUMMARIZE: its type, least and greatest
    /// value, mean, quartiles, numbers of values and of NULLs.
    fn describe(&self, py: Python<'_>) -> PyResult<Self> {
        self.described(py)
    }

    /// Prints the first rows as a table.
    #[pyo3(signature = (rows = show::ROWS), text_signature = "($self, rows=10)")]
    fn show(&self, py: Python<'_>, #[pyo3(from_py_with = whole)] rows: usize) -> PyResult<()> {
        let text = self.shown(py, rows, show::text)?;
        py.import("builtins")?.call_method1("print", (text,)).map(drop)
    }

    /// Writes the rows as a Parquet file, as `pelton.write_parquet`.
    #[pyo3(signature = (path, codec = "gzip", level = None, *, row_group_rows = None, bloom_filters = true))]
    fn write_parquet<'py>(
        slf: &Bound<'py, Self>,
        path: PathBuf,
        codec: &str,
        #[pyo3(from_py_with = whole_or_none)] level: Option<i32>,
        row_group_rows: Option<&Bound<'py, PyAny>>,
        bloom_filters: bool,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (py, handle) = (slf.py(), &slf.get().handle);
        let threads = handle.engine(py)?.settings().count(&THREADS);
        let options = write::options(write::packing(codec, level)?, row_group_rows, bloom_filters, threads)?;
        write::summary(py, write::write(py, handle, slf.as_any(), path, options)?)
    }

    /// Writes the rows as a CSV file, and returns their number. The file appears under its name
    /// when it is whole. A name that ends in .gz or .zst is compressed so, unless `codec` ("gzip",
    /// "zstd" or "none") says otherwise.
    #[pyo3(signature = (path, *, header = true, delimiter = ",", null = "", codec = None, level = None))]
    #[expect(clippy::too_many_arguments, reason = "they have names in Python")]
    fn write_csv(
        &self,
        py: Python<'_>,
        path: PathBuf,
        header: bool,
        delimiter: &str,
        null: &str,
        codec: Option<&str>,
        #[pyo3(from_py_with = whole_or_none)] level: Option<i32>,
    ) -> PyResult<u64> {
        let quoted = |text: &str| format!("'{}'", text.replace('\'', "''"));
        let mut options =
            format!("FORMAT csv, HEADER {header}, DELIMITER {}, NULL {}", quoted(delimiter), quoted(null));
        if let Some(codec) = codec {
            options += &format!(", CODEC {}", quoted(codec));
        }
        if let Some(level) = level {
            options += &format!(", LEVEL {level}");
        }
        self.copied(py, text_of_path(&path)?, &options)
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.length(py)
    }

    /// Takes the rows, one `pyarrow.RecordBatch` after the other. Needs pyarrow, and `iter_rows`
    /// does not.
    fn __iter__(&self, py: Python<'_>) -> PyResult<Iteration> {
        let make = library_or(py, "pyarrow", NO_BATCHES)?.getattr("record_batch")?.unbind();
        Ok(Iteration::new(self.batches(py, types::without_views(&self.schema))?, make))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        self.shown(py, show::ROWS, show::text)
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        self.shown(py, show::ROWS, show::html)
    }
}
