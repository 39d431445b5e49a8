//! Tables from Python's objects.
//!
//! An object's methods determine its kind: nothing of pyarrow, polars or pandas is imported unless
//! one of their objects comes. Rows come as Arrow's C structures ([`stream`]), which [`check`]
//! examines before any of their buffers is read.

mod array;
mod check;
pub mod stream;

use std::path::Path;

use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString, PyTuple};

use super::result::QueryResult;
use crate::error::Kind;
use crate::library::library;

/// Source of a table.
pub enum Table {
    /// Locations of Parquet files.
    Files(Vec<String>),
    /// Rows in memory.
    Rows(SchemaRef, Vec<RecordBatch>),
}

/// Rows that come one batch after the other.
pub struct Source<'py> {
    /// Their columns.
    pub schema: SchemaRef,
    from: Rows<'py>,
}

enum Rows<'py> {
    Ready(std::vec::IntoIter<RecordBatch>),
    Stream(Box<stream::Foreign>),
    /// An iterator of objects that each contain a batch.
    Iterator(Bound<'py, PyAny>),
}

/// Returns the table that an object is; `name` is for errors.
///
/// # Errors
/// The object is no table, or raises.
pub fn table(object: &Bound<'_, PyAny>, name: &str) -> PyResult<Table> {
    if let Some(places) = places(object)? {
        return Ok(Table::Files(places));
    }
    let mut source = source(object, name)?;
    let mut batches = Vec::new();
    while let Some(batch) = source.next(object.py())? {
        batches.push(batch);
    }
    Ok(Table::Rows(source.schema, batches))
}

/// Returns the paths that an object is: one, or a list of them.
pub fn places(object: &Bound<'_, PyAny>) -> PyResult<Option<Vec<String>>> {
    if let Some(place) = place(object)? {
        return Ok(Some(vec![place]));
    }
    if !object.is_instance_of::<PyList>() && !object.is_instance_of::<PyTuple>() {
        return Ok(None);
    }
    let mut places = Vec::new();
    for item in object.try_iter()? {
        match place(&item?)? {
            Some(place) => places.push(place),
            None => return Ok(None),
        }
    }
    Ok(Some(places))
}

/// Returns a `str`, or the result of `os.fspath`.
fn place(object: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    if !object.is_instance_of::<PyString>() && !object.hasattr(intern!(object.py(), "__fspath__"))? {
        return Ok(None);
    }
    let path = object.py().import("os")?.call_method1("fspath", (object,))?;
    match path.cast::<PyString>() {
        Ok(text) => text.extract().map(Some).map_err(|_| no_utf8()),
        Err(_) => Err(PyTypeError::new_err("a path is text, not bytes")),
    }
}

/// Returns a path as text.
///
/// # Errors
/// `ValueError` for bytes of another encoding.
pub fn text_of_path(path: &Path) -> PyResult<&str> {
    path.to_str().ok_or_else(no_utf8)
}

fn no_utf8() -> PyErr {
    PyValueError::new_err("path is no UTF-8: rename its folder or the file")
}

/// Returns the rows of an object.
///
/// # Errors
/// The object has no rows, or raises.
pub fn source<'py>(object: &Bound<'py, PyAny>, name: &str) -> PyResult<Source<'py>> {
    let py = object.py();
    let has = |method: &str| object.hasattr(method);
    if let Ok(result) = object.cast::<QueryResult>() {
        let (schema, batches) = result.get().complete(py)?;
        return Ok(Source { schema, from: Rows::Ready(batches.into_iter()) });
    }
    let class = object.get_type();
    let (class_name, module) = (class.name()?.to_string(), class.module()?.to_string());
    if module.starts_with("polars.") && class_name == "LazyFrame" {
        return source(&object.call_method0("collect")?, name);
    }
    if module.split('.').next() == Some("pandas") && class_name == "DataFrame" {
        let table = library(py, "pyarrow")?.getattr("Table")?;
        let hidden = pyo3::types::PyDict::new(py);
        hidden.set_item("preserve_index", false)?;
        return source(&table.call_method("from_pandas", (object,), Some(&hidden))?, name);
    }
    // A pyarrow reader is called in Python, so that exceptions from behind it arrive unchanged.
    if has("read_next_batch")? && has("schema")? {
        let schema = stream::schema(&object.getattr("schema")?)?;
        return Ok(Source { schema, from: Rows::Iterator(object.try_iter()?.into_any()) });
    }
    if has("__arrow_c_stream__")? {
        let foreign = stream::Foreign::open(object, name)?;
        return Ok(Source { schema: foreign.schema(), from: Rows::Stream(Box::new(foreign)) });
    }
    if has("__arrow_c_array__")? {
        let batch = array::batch(object, name)?;
        return Ok(Source { schema: batch.schema(), from: Rows::Ready(vec![batch].into_iter()) });
    }
    // pyarrow.dataset.Dataset
    if has("scanner")? {
        return source(&object.call_method0("scanner")?.call_method0("to_reader")?, name);
    }
    match object.try_iter() {
        Ok(mut batches) if !object.is_instance_of::<pyo3::types::PyDict>() => {
            let Some(first) = batches.next() else {
                let what = format!("{name}: no batch, and so no columns; give a table without rows");
                return Err(Kind::Table.error(py, what));
            };
            let first = first?;
            if !first.hasattr("__arrow_c_array__")? {
                return Err(no_table(&first, name, "holds"));
            }
            let schema = array::batch(&first, name)?.schema();
            let chained =
                py.import("itertools")?.call_method1("chain", (PyTuple::new(py, [first])?, batches))?;
            Ok(Source { schema, from: Rows::Iterator(chained) })
        }
        _ => Err(no_table(object, name, "is")),
    }
}

fn no_table(object: &Bound<'_, PyAny>, name: &str, verb: &str) -> PyErr {
    let class =
        object.get_type().fully_qualified_name().map_or_else(|_| "?".to_owned(), |name| name.to_string());
    PyTypeError::new_err(format!(
        "{name} {verb} a {class}, which is no table; give a path of Parquet files or a list of them, a DataFrame of polars \
         or pandas, a pyarrow.Table, or something else with Arrow's PyCapsule interface (__arrow_c_stream__)"
    ))
}

impl Source<'_> {
    /// Returns the next batch.
    ///
    /// # Errors
    /// The object's own exceptions, and errors for a batch that has other columns or contradicts
    /// itself.
    pub fn next(&mut self, py: Python<'_>) -> PyResult<Option<RecordBatch>> {
        match &mut self.from {
            Rows::Ready(batches) => Ok(batches.next()),
            Rows::Stream(foreign) => foreign.next(py),
            Rows::Iterator(iterator) => {
                let next = iterator.try_iter()?.next();
                let Some(next) = next else { return Ok(None) };
                let batch = array::batch(&next?, "a batch")?;
                if batch.schema().fields() != self.schema.fields() {
                    let what = "a batch has other columns than those before it";
                    return Err(Kind::Table.error(py, what));
                }
                Ok(Some(batch))
            }
        }
    }
}
