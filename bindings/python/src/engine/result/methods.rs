//! Methods of `pelton.Result` for Python.

use pyo3::exceptions::PyModuleNotFoundError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyTuple};

use super::QueryResult;
use super::batches::Iteration;
use super::show;
use crate::engine::export::{self, Columns, Rows, Stream, types};
use crate::error::Kind;
use crate::wait::detached;

/// Returns a library that a method makes values of.
fn library<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyModule>> {
    py.import(name).map_err(|error| {
        if !error.is_instance_of::<PyModuleNotFoundError>(py) {
            return error;
        }
        let words = PyModuleNotFoundError::new_err(format!(
            "this needs {name}, which is not here: pip install {name}"
        ));
        words.set_cause(py, Some(error));
        words
    })
}

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
        let stream = Py::new(py, Stream::new(Rows { schema: without_views, kept, running: None }))?;
        library(py, "pyarrow")?.call_method1("table", (stream,))
    }

    /// Returns all rows as a `polars.DataFrame`, sharing memory. Needs polars.
    fn to_polars<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (schema, batches) = self.complete(py)?;
        let rows = Rows { schema, kept: batches.into(), running: None };
        library(py, "polars")?.call_method1("DataFrame", (Py::new(py, Stream::new(rows))?,))
    }

    /// Returns all rows as a `pandas.DataFrame`; options are those of `pyarrow.Table.to_pandas`.
    /// Needs pandas and pyarrow.
    #[pyo3(signature = (**options))]
    fn to_pandas<'py>(
        &self,
        py: Python<'py>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.to_arrow(py)?.call_method("to_pandas", (), options)
    }

    /// Returns all rows as a list of dicts, by column. Needs pyarrow, which makes the values.
    fn to_pylist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.to_arrow(py)?.call_method0("to_pylist")
    }

    /// Returns all rows as a list of tuples. Needs pyarrow, which makes the values.
    fn fetchall<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let table = self.to_arrow(py)?;
        let builtins = py.import("builtins")?;
        let mut columns = Vec::with_capacity(self.schema.fields().len());
        for column in table.getattr("columns")?.try_iter()? {
            columns.push(column?.call_method0("to_pylist")?);
        }
        let rows = builtins.call_method1("zip", PyTuple::new(py, columns)?)?;
        builtins.call_method1("list", (rows,))
    }

    /// Returns the number of rows, and of columns.
    #[getter]
    fn shape(&self, py: Python<'_>) -> PyResult<(usize, usize)> {
        Ok((self.rows(py)?, self.schema.fields().len()))
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

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.rows(py)
    }

    /// Takes the rows, one `pyarrow.RecordBatch` after the other. Needs pyarrow.
    fn __iter__(&self, py: Python<'_>) -> PyResult<Iteration> {
        let make = library(py, "pyarrow")?.getattr("record_batch")?.unbind();
        Ok(Iteration::new(self.batches(py, types::without_views(&self.schema))?, make))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        self.shown(py, show::text)
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        self.shown(py, show::html)
    }
}
