//! Export of rows by Arrow's C interfaces.

mod capsules;
pub mod types;

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow::array::{Array, ArrayRef, StructArray};
use arrow::compute::{CastOptions, can_cast_types, cast_with_options};
use arrow::datatypes::{Field, Schema, SchemaRef};
use arrow::error::ArrowError;
use arrow::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow::ffi_stream::FFI_ArrowArrayStream;
use arrow::record_batch::{RecordBatch, RecordBatchOptions, RecordBatchReader};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

use super::import::stream;
use super::running::{Running, STOPPED, warn, within};
use crate::error::{Kind, guarded};
use crate::failure::{Failure, FirstFailure};
use crate::process::{ProcessLocal, is_ending};
use crate::wait::detached;

pub use capsules::{Columns, OneBatch, Stream};

/// Kept rows, and a query that has more.
pub struct Rows {
    /// Columns of the export; rows of other types are cast.
    pub schema: SchemaRef,
    /// Rows before those of the query.
    pub kept: VecDeque<RecordBatch>,
    /// `None` after its end.
    pub running: Option<ProcessLocal<Running>>,
    /// Failure of the result that has these rows.
    pub failed: FirstFailure,
    /// Text of the error that ended a stream, for a reader that asks again.
    ended: Option<String>,
}

/// Returns a schema in a capsule.
///
/// # Errors
/// Arrow's C interface has no code for a type.
pub fn schema<'py>(py: Python<'py>, schema: &Schema) -> PyResult<Bound<'py, PyCapsule>> {
    let exported = FFI_ArrowSchema::try_from(schema).map_err(|error| Kind::Error.error(py, error))?;
    PyCapsule::new_with_value(py, exported, c"arrow_schema")
}

/// Returns a stream in a capsule. Any thread may read it, with the GIL or without.
///
/// # Errors
/// Out of memory.
pub fn stream(py: Python<'_>, rows: Rows) -> PyResult<Bound<'_, PyCapsule>> {
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(rows)), c"arrow_array_stream")
}

/// Returns a batch in two capsules.
///
/// # Errors
/// As [`schema`].
pub fn array<'py>(py: Python<'py>, batch: RecordBatch) -> PyResult<Bound<'py, PyTuple>> {
    let columns = schema(py, &batch.schema())?;
    let exported = FFI_ArrowArray::new(&StructArray::from(batch).to_data());
    let array = PyCapsule::new_with_value(py, exported, c"arrow_array")?;
    PyTuple::new(py, [columns, array])
}

/// Returns the columns that a reader would rather have, where the rows can be cast to them: a
/// schema in a capsule.
///
/// # Errors
/// The object is no schema.
pub fn requested(own: &SchemaRef, wanted: Option<&Bound<'_, PyAny>>) -> PyResult<SchemaRef> {
    let Some(wanted) = wanted.filter(|wanted| !wanted.is_none()) else { return Ok(own.clone()) };
    let wanted = stream::columns(wanted)?;
    let fits = wanted.fields().len() == own.fields().len()
        && own.fields().iter().zip(wanted.fields()).all(|(own, wanted)| {
            own.name() == wanted.name() && can_cast_types(own.data_type(), wanted.data_type())
        });
    // Arrow lets the producer refuse; the reader sees the stream's schema.
    Ok(if fits { wanted } else { own.clone() })
}

/// Returns a batch with other types.
///
/// # Errors
/// A value does not fit its new type.
pub fn with_schema(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
    if batch.schema_ref() == schema {
        return Ok(batch.clone());
    }
    let columns = batch.columns().iter().zip(schema.fields());
    let columns = columns.map(|(column, field)| with_type(column, field));
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(schema.clone(), columns.collect::<Result<_, _>>()?, &options)
}

/// Returns a column as a field is. A value that has no place is an error, as a null in its place
/// would not be seen.
fn with_type(column: &ArrayRef, field: &Field) -> Result<ArrayRef, ArrowError> {
    if column.data_type() == field.data_type() {
        return Ok(column.clone());
    }
    let options = CastOptions { safe: false, ..CastOptions::default() };
    cast_with_options(column, field.data_type(), &options).map_err(|error| {
        ArrowError::CastError(format!("column {:?} as {}: {error}", field.name(), field.data_type()))
    })
}

/// Returns the same, with an exception for a value that has no place.
///
/// # Errors
/// `DataError`.
pub fn cast(py: Python<'_>, batch: &RecordBatch, schema: &SchemaRef) -> PyResult<RecordBatch> {
    guarded(py, || with_schema(batch, schema).map_err(|error| Kind::Data.error(py, error)))
}

impl Rows {
    /// Returns the rows of a query that may still run, behind those that were kept.
    pub fn new(
        schema: SchemaRef,
        kept: VecDeque<RecordBatch>,
        running: Option<ProcessLocal<Running>>,
        failed: FirstFailure,
    ) -> Self {
        Rows { schema, kept, running, failed, ended: None }
    }

    /// Returns rows that are there.
    pub fn kept(schema: SchemaRef, kept: VecDeque<RecordBatch>) -> Self {
        Rows::new(schema, kept, None, FirstFailure::default())
    }

    fn more(&mut self) -> Result<Option<RecordBatch>, ArrowError> {
        while self.kept.is_empty() {
            let Some(running) = &mut self.running else { return Ok(None) };
            let Some(running) = running.get_mut() else {
                return Err(failed("the query was started before the process forked; run it in this one"));
            };
            let (batches, ended) = next(running, &self.failed)?;
            self.kept.extend(batches);
            if ended {
                self.running = None;
            }
        }
        self.kept.pop_front().map(|batch| with_schema(&batch, &self.schema)).transpose()
    }
}

/// Batches, and whether they are the last ones of the query.
type Came = (Vec<RecordBatch>, bool);

/// Returns the batches of a query that come within a pulse, for a reader that may be any thread.
fn next(running: &mut Running, first: &FirstFailure) -> Result<Came, ArrowError> {
    let came = match is_pythons() && !is_ending() {
        true => Python::try_attach(|py| attached(py, running)),
        false => None,
    };
    let came = came.unwrap_or_else(|| Ok(within(&mut running.query, 1)))?;
    came.map_err(|error| match error {
        pelton::Error::Cancelled if running.in_flight.is_stopped() => failed(STOPPED),
        other => {
            if let Some(kind) = Kind::of_engine(&other) {
                first.keep(Failure::new(kind, other.to_string()));
            }
            failed(&other.to_string())
        }
    })
}

/// Returns the same for a thread of Python: without the GIL, with Ctrl-C, and with the query's
/// warnings at its end. Other threads get no warnings.
fn attached(py: Python<'_>, running: &mut Running) -> Result<pelton::Result<Came>, ArrowError> {
    let Running { query, in_flight } = running;
    let came = detached(py, || within(query, 1)).map_err(|error| failed(&error.to_string()))?;
    py.check_signals().map_err(|error| {
        in_flight.cancel();
        let failed = failed(&format!("cancelled by a signal: {error}"));
        // Last, since formatting the message runs Python code, which the signal would interrupt.
        again(py, &error);
        failed
    })?;
    if matches!(came, Ok((_, true))) {
        warn(py, &query.notes()).map_err(|error| failed(&error.to_string()))?;
    }
    Ok(came)
}

/// Returns whether Python knows this thread. An unknown thread has no GIL and gets no signals, and
/// the thread that waits for it may hold the GIL.
fn is_pythons() -> bool {
    // SAFETY: the call only reads data of this thread.
    !unsafe { pyo3::ffi::PyGILState_GetThisThreadState() }.is_null()
}

/// Repeats a Ctrl-C for the time when the thread is back in Python: a reader in another library
/// cannot be given an exception.
fn again(py: Python<'_>, error: &PyErr) {
    if error.is_instance_of::<pyo3::exceptions::PyKeyboardInterrupt>(py) {
        // SAFETY: the thread has the GIL.
        unsafe { pyo3::ffi::PyErr_SetInterrupt() };
    }
}

/// Returns an error for Arrow's readers. Their C strings end at a zero, and Arrow asserts that
/// there is none.
fn failed(what: &str) -> ArrowError {
    ArrowError::ExternalError(what.replace('\0', " ").into())
}

impl Iterator for Rows {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(ended) = &self.ended {
            return Some(Err(failed(ended)));
        }
        // C calls this, and no panic may pass through C.
        let more = catch_unwind(AssertUnwindSafe(|| self.more()));
        let more =
            more.unwrap_or_else(|_| Err(failed("internal error, please report it: a panic in a stream")));
        if let Err(error) = &more {
            self.kept.clear();
            self.running = None;
            self.ended = Some(match error {
                ArrowError::ExternalError(source) => source.to_string(),
                other => other.to_string(),
            });
        }
        more.transpose()
    }
}

impl RecordBatchReader for Rows {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}
