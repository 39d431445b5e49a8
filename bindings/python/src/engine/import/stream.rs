//! Import of rows by Arrow's C stream interface.

use std::ffi::CStr;
use std::ptr::NonNull;

use arrow::datatypes::SchemaRef;
use arrow::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow::ffi_stream::FFI_ArrowArrayStream;
use arrow::record_batch::RecordBatch;
use pyo3::prelude::*;

use super::array::{contradicts, import, pointer};
use super::check;
use crate::error::Kind;
use crate::wait::detached;

/// A stream of another library.
pub struct Foreign {
    stream: FFI_ArrowArrayStream,
    schema: SchemaRef,
    name: String,
}

/// Returns the columns that an object with `__arrow_c_schema__` is.
///
/// # Errors
/// The object raises, or is no schema of columns.
pub fn schema(object: &Bound<'_, PyAny>) -> PyResult<SchemaRef> {
    columns(&object.call_method0("__arrow_c_schema__")?)
}

/// Returns the columns in a capsule.
///
/// # Errors
/// The capsule contains no schema of columns.
pub fn columns(capsule: &Bound<'_, PyAny>) -> PyResult<SchemaRef> {
    let schema: NonNull<FFI_ArrowSchema> = pointer(capsule, c"arrow_schema", "a schema")?;
    // SAFETY: the capsule has the name of a schema, and is alive.
    check::schema(unsafe { schema.as_ref() }).map_err(|why| contradicts(capsule.py(), "a schema", &why))
}

impl Foreign {
    /// Opens the stream of an object with `__arrow_c_stream__`.
    ///
    /// # Errors
    /// The object raises, or gives no stream of rows.
    pub fn open(object: &Bound<'_, PyAny>, name: &str) -> PyResult<Self> {
        let py = object.py();
        let capsule = object.call_method0("__arrow_c_stream__")?;
        let stream: NonNull<FFI_ArrowArrayStream> = pointer(&capsule, c"arrow_array_stream", name)?;
        // SAFETY: the capsule has the name of a stream. The original is marked as released, so that
        // the capsule doesn't release it again.
        let mut stream = unsafe { FFI_ArrowArrayStream::from_raw(stream.as_ptr()) };
        let Some(get_schema) = stream.get_schema.filter(|_| stream.release.is_some()) else {
            return Err(
                Kind::Data.error(py, format!("{name}: the stream was read before; it can be read once"))
            );
        };
        let mut schema = FFI_ArrowSchema::empty();
        // SAFETY: the stream is not released, and `schema` is there to be written to.
        let code = detached(py, || unsafe { get_schema(&raw mut stream, &raw mut schema) })?;
        if code != 0 {
            let why = last_error(&mut stream, code);
            return Err(Kind::Data.error(py, format!("{name}: the stream has no columns: {why}")));
        }
        let schema = check::schema(&schema).map_err(|why| contradicts(py, name, &why))?;
        Ok(Foreign { stream, schema, name: name.to_owned() })
    }

    /// Returns the stream's columns.
    pub fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// Returns the next batch.
    ///
    /// # Errors
    /// The producer fails, or the batch contradicts itself or the columns. An exception of Python
    /// code behind the stream is passed on if it reaches this thread.
    pub fn next(&mut self, py: Python<'_>) -> PyResult<Option<RecordBatch>> {
        let Some(get_next) = self.stream.get_next else {
            return Err(contradicts(py, &self.name, "the stream has nothing to give a batch with"));
        };
        py.check_signals()?;
        let (stream, schema) = (&mut self.stream, &self.schema);
        let came = detached(py, || {
            let mut array = FFI_ArrowArray::empty();
            // SAFETY: the stream is not released, and `array` is there to be written to.
            let code = unsafe { get_next(&raw mut *stream, &raw mut array) };
            match code {
                0 if array.is_released() => Ok(None),
                // SAFETY: the array comes from a producer of Arrow's C stream interface.
                0 => unsafe { import(array, schema) }.map(Some).map_err(Fault::Contradicts),
                code => Err(Fault::Failed(last_error(stream, code))),
            }
        })?;
        came.map_err(|fault| match fault {
            Fault::Contradicts(why) => contradicts(py, &self.name, &why),
            Fault::Failed(why) => Kind::Error.error(py, format!("{}: {why}", self.name)),
        })
    }
}

enum Fault {
    Contradicts(String),
    Failed(String),
}

/// Returns a stream's message about its last call, which returned `code`.
fn last_error(stream: &mut FFI_ArrowArrayStream, code: i32) -> String {
    let Some(get_last_error) = stream.get_last_error else { return format!("it fails with code {code}") };
    // SAFETY: the stream is not released, and its last call failed.
    let text = unsafe { get_last_error(&raw mut *stream) };
    if text.is_null() {
        return format!("it fails with code {code}");
    }
    // SAFETY: it ends with a zero, and stays until the next call.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}
