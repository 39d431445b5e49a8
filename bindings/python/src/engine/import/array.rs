//! Import of one batch by Arrow's C data interface.

use std::ffi::CStr;
use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow::array::{RecordBatch, RecordBatchOptions, StructArray};
use arrow::datatypes::{DataType, SchemaRef};
use arrow::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi_and_data_type};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

use super::check;
use crate::error::Kind;

/// Returns the batch that an object with `__arrow_c_array__` is.
///
/// # Errors
/// The object raises, or gives no batch.
pub fn batch(object: &Bound<'_, PyAny>, name: &str) -> PyResult<RecordBatch> {
    let py = object.py();
    let pair = object.call_method0("__arrow_c_array__")?;
    let wrong = || PyTypeError::new_err(format!("{name}: __arrow_c_array__ gave no pair of capsules"));
    let pair = pair.cast_into::<PyTuple>().map_err(|_| wrong())?;
    if pair.len() != 2 {
        return Err(wrong());
    }
    let schema: std::ptr::NonNull<FFI_ArrowSchema> = pointer(&pair.get_item(0)?, c"arrow_schema", name)?;
    let array: std::ptr::NonNull<FFI_ArrowArray> = pointer(&pair.get_item(1)?, c"arrow_array", name)?;
    // SAFETY: the capsule has the name of a schema, and `pair` keeps it alive.
    let schema = check::schema(unsafe { schema.as_ref() }).map_err(|why| contradicts(py, name, &why))?;
    // SAFETY: as above; the original is marked as released, so that the capsule doesn't release it
    // again.
    let array = unsafe { FFI_ArrowArray::from_raw(array.as_ptr()) };
    // SAFETY: the array comes from a producer of Arrow's C data interface.
    unsafe { import(array, &schema) }.map_err(|why| contradicts(py, name, &why))
}

/// Returns the error for a producer's structures that don't fit together.
pub fn contradicts(py: Python<'_>, name: &str, why: &str) -> PyErr {
    Kind::Data.error(py, format!("{name}: Arrow data that contradicts itself: {why}"))
}

/// Returns the pointer in a capsule of this name.
///
/// # Errors
/// `TypeError`: the object is no capsule, or one of another name.
pub fn pointer<T>(object: &Bound<'_, PyAny>, kind: &CStr, name: &str) -> PyResult<std::ptr::NonNull<T>> {
    let kind_name = kind.to_string_lossy();
    let Ok(capsule) = object.cast::<PyCapsule>() else {
        let class = object.get_type().name()?.to_string();
        return Err(PyTypeError::new_err(format!(
            "{name}: a {class} in the place of a capsule {kind_name:?}"
        )));
    };
    match capsule.pointer_checked(Some(kind)) {
        Ok(pointer) => Ok(pointer.cast()),
        Err(_) => Err(PyTypeError::new_err(format!("{name}: a capsule of another name than {kind_name:?}"))),
    }
}

/// Imports a batch.
///
/// # Safety
/// The array's pointers lead to as much memory as its own numbers and the C data interface require.
/// The numbers, and every offset in its buffers, are checked here.
pub unsafe fn import(array: FFI_ArrowArray, schema: &SchemaRef) -> Result<RecordBatch, String> {
    if array.is_released() {
        return Err("the array was released before".to_owned());
    }
    let data_type = DataType::Struct(schema.fields().clone());
    let imported = || {
        // SAFETY: as the caller promises.
        unsafe { check::array(&array, &data_type) }?;
        // SAFETY: as the caller promises, and the numbers were checked.
        let data = unsafe { from_ffi_and_data_type(array, data_type) }.map_err(|error| error.to_string())?;
        data.validate_full().map_err(|error| error.to_string())?;
        if data.null_count() > 0 {
            return Err("whole rows are null".to_owned());
        }
        let (rows, columns) = (data.len(), StructArray::from(data).into_parts().1);
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(schema.clone(), columns, &options)
            .map_err(|error| error.to_string())
    };
    // Arrow panics where it returns no error.
    catch_unwind(AssertUnwindSafe(imported))
        .unwrap_or_else(|_| Err("its layout is not its type's".to_owned()))
}
