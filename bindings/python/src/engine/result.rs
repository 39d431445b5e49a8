//! `pelton.Result`: what a query gives.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;
use arrow::record_batch::RecordBatch;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyCapsule, PyDict, PyTuple};

use super::batches::{Batches, Iteration};
use super::capsules::{Columns, Stream};
use super::export::{self, Rows};
use super::handle::{Handle, Running};
use super::{show, types, warning};
use crate::error::{Kind, guarded};
use crate::process::{Here, forked};
use crate::wait::{detached, pull};

/// The rows of a query.
///
/// They are computed while they are taken. `to_arrow`, `len` and the like keep them, so that they are computed once. A stream
/// (`__arrow_c_stream__`) and an iteration hand each batch on as it comes and keep none, so that a result may be larger than
/// memory; what is asked of the result after that runs the query again. Printing computes and keeps what is shown.
#[pyclass(frozen, module = "pelton", name = "Result")]
pub struct QueryResult {
    handle: Arc<Handle>,
    sql: String,
    schema: SchemaRef,
    /// Held across waits: lock it with [`QueryResult::rows`] only.
    state: Mutex<State>,
}

/// Draws a table of rows, and says whether they are all.
type Draw = fn(&SchemaRef, &[RecordBatch], bool) -> Result<String, ArrowError>;

struct State {
    kept: Vec<RecordBatch>,
    running: Option<Here<Running>>,
    /// Rows were handed on or lost, so that `kept` does not begin with the first.
    taken: bool,
}

impl QueryResult {
    /// Starts a query.
    ///
    /// # Errors
    /// It does not parse, or names what is not there.
    pub fn start(py: Python<'_>, handle: Arc<Handle>, sql: String) -> PyResult<Self> {
        let running = handle.query(py, &sql)?;
        let schema = running.query.schema();
        let state = State { kept: Vec::new(), running: Some(Here::new(running)), taken: false };
        Ok(QueryResult { handle, sql, schema, state: Mutex::new(state) })
    }

    /// The state, once no other thread has it, with the query started again if its first rows are gone.
    fn state(&self, py: Python<'_>) -> PyResult<MutexGuard<'_, State>> {
        // In a child another thread may have had it locked at the fork, and will never unlock it.
        self.handle.engine(py)?;
        let mut state = self.state.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        if state.taken {
            let running = self.handle.query(py, &self.sql)?;
            if running.query.schema() != self.schema {
                let what = "the query's columns have changed since it was first run; run it anew";
                return Err(Kind::Query.error(py, what));
            }
            *state = State { kept: Vec::new(), running: Some(Here::new(running)), taken: false };
        }
        Ok(state)
    }

    /// Takes rows of the query until `rows` are kept, or it ends.
    fn keep<'a>(&'a self, py: Python<'_>, rows: usize) -> PyResult<MutexGuard<'a, State>> {
        let mut state = self.state(py)?;
        let mut have: usize = state.kept.iter().map(RecordBatch::num_rows).sum();
        while have < rows {
            let State { kept, running, .. } = &mut *state;
            let Some(query) = running else { break };
            let query = query.get_mut().ok_or_else(|| forked(py))?;
            match pull(py, query, rows - have) {
                Ok(Some(batches)) => {
                    have += batches.iter().map(RecordBatch::num_rows).sum::<usize>();
                    kept.extend(batches);
                }
                Ok(None) => {
                    let notes = query.query.notes();
                    *running = None;
                    warning::warn(py, &notes)?;
                }
                Err(error) => {
                    *state = State { kept: Vec::new(), running: None, taken: true };
                    return Err(error);
                }
            }
        }
        Ok(state)
    }

    /// All rows.
    ///
    /// # Errors
    /// What the query fails with.
    pub fn complete(&self, py: Python<'_>) -> PyResult<(SchemaRef, Vec<RecordBatch>)> {
        let state = self.keep(py, usize::MAX)?;
        Ok((self.schema.clone(), state.kept.clone()))
    }

    /// The rows for somebody who takes them one batch after the other.
    ///
    /// # Errors
    /// The query can't be started again.
    pub fn take(&self, py: Python<'_>, schema: SchemaRef) -> PyResult<Rows> {
        let mut state = self.state(py)?;
        match state.running.take() {
            None => Ok(Rows { schema, kept: state.kept.iter().cloned().collect(), running: None }),
            running => {
                state.taken = true;
                Ok(Rows { schema, kept: VecDeque::from(std::mem::take(&mut state.kept)), running })
            }
        }
    }

    /// The rows, taken one batch after the other, with text and bytes as `schema` has them.
    ///
    /// # Errors
    /// As [`QueryResult::take`].
    pub fn batches(&self, py: Python<'_>, schema: SchemaRef) -> PyResult<Batches> {
        Ok(Batches { handle: self.handle.clone(), rows: self.take(py, schema)? })
    }

    /// The columns.
    pub fn columns_of(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// The first rows for people.
    fn shown(&self, py: Python<'_>, draw: Draw) -> PyResult<String> {
        let state = self.keep(py, show::ROWS + 1)?;
        let draw = || draw(&self.schema, &state.kept, state.running.is_none());
        guarded(py, || draw().map_err(|error| Kind::Error.error(py, error)))
    }

    fn rows(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.keep(py, usize::MAX)?.kept.iter().map(RecordBatch::num_rows).sum())
    }
}

#[pymethods]
impl QueryResult {
    /// Arrow's C stream: the rows, batch by batch, as the query computes them. Rows that were kept come again; otherwise the
    /// stream takes them. A `requested_schema` is followed if the columns can be cast to it.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = export::requested(&self.schema, requested_schema)?;
        export::stream(py, self.take(py, schema)?)
    }

    /// The columns, as Arrow's C schema.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        export::schema(py, &self.schema)
    }

    /// All rows as a `pyarrow.Table`. Needs pyarrow.
    fn to_arrow<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (schema, batches) = self.complete(py)?;
        let plain = types::plain(&schema);
        let batches = detached(py, || {
            batches.iter().map(|batch| export::with_schema(batch, &plain)).collect::<Result<_, _>>()
        })?;
        let kept = batches.map_err(|error| Kind::Error.error(py, error))?;
        let stream = Py::new(py, Stream::new(Rows { schema: plain, kept, running: None }))?;
        py.import("pyarrow")?.call_method1("table", (stream,))
    }

    /// All rows as a `polars.DataFrame`, sharing memory. Needs polars.
    fn to_polars<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (schema, batches) = self.complete(py)?;
        let rows = Rows { schema, kept: batches.into(), running: None };
        py.import("polars")?.call_method1("DataFrame", (Py::new(py, Stream::new(rows))?,))
    }

    /// All rows as a `pandas.DataFrame`; options are those of `pyarrow.Table.to_pandas`. Needs pandas and pyarrow.
    #[pyo3(signature = (**options))]
    fn to_pandas<'py>(
        &self,
        py: Python<'py>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.to_arrow(py)?.call_method("to_pandas", (), options)
    }

    /// All rows as a list of dicts, by column. Needs pyarrow, whose types for values these are.
    fn to_pylist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.to_arrow(py)?.call_method0("to_pylist")
    }

    /// All rows as a list of tuples. Needs pyarrow, whose types for values these are.
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

    /// The number of rows, and of columns.
    #[getter]
    fn shape(&self, py: Python<'_>) -> PyResult<(usize, usize)> {
        Ok((self.rows(py)?, self.schema.fields().len()))
    }

    /// The columns' names.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    /// The columns as a `pyarrow.Schema`, as `to_arrow` has them. Needs pyarrow.
    #[getter]
    fn schema<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let columns = Py::new(py, Columns::new(types::plain(&self.schema)))?;
        py.import("pyarrow")?.call_method1("schema", (columns,))
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.rows(py)
    }

    /// Takes the rows, one `pyarrow.RecordBatch` after the other. Needs pyarrow.
    fn __iter__(&self, py: Python<'_>) -> PyResult<Iteration> {
        let make = py.import("pyarrow")?.getattr("record_batch")?.unbind();
        Ok(Iteration::new(self.batches(py, types::plain(&self.schema))?, make))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        self.shown(py, show::text)
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        self.shown(py, show::html)
    }
}
