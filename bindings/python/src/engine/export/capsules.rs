//! Objects with Arrow's PyCapsule interface, from which other libraries make their own.

use std::sync::{Mutex, PoisonError};

use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

use super::{Rows, array, cast, requested, schema, stream};
use crate::error::Kind;

/// Source of rows for pyarrow and polars.
#[pyclass(frozen, module = "pelton._pelton")]
pub struct Stream(Mutex<Option<Rows>>);

impl Stream {
    /// Makes a stream for one reader.
    pub fn new(rows: Rows) -> Self {
        Stream(Mutex::new(Some(rows)))
    }
}

#[pymethods]
impl Stream {
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let rows = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(mut rows) = rows else { return Err(Kind::Error.error(py, "the stream was read before")) };
        rows.schema = requested(&rows.schema, requested_schema)?;
        stream(py, rows)
    }
}

/// Source of a schema for pyarrow.
#[pyclass(frozen, module = "pelton._pelton")]
pub struct Columns(SchemaRef);

impl Columns {
    /// Makes columns without rows.
    pub fn new(schema: SchemaRef) -> Self {
        Columns(schema)
    }
}

#[pymethods]
impl Columns {
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema(py, &self.0)
    }
}

/// Source of a batch for pyarrow.
#[pyclass(frozen, module = "pelton._pelton")]
pub struct OneBatch(RecordBatch);

impl OneBatch {
    /// Makes a source of one batch.
    pub fn new(batch: RecordBatch) -> Self {
        OneBatch(batch)
    }
}

#[pymethods]
impl OneBatch {
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let schema = requested(&self.0.schema(), requested_schema)?;
        let batch = cast(py, &self.0, &schema)?;
        array(py, batch)
    }
}
