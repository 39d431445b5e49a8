//! Rows as Python's objects, made without another library.
//!
//! [`arrays`] converts a column, [`times`] dates and times. A value that its type in Python cannot
//! hold is an error, never a rounded value.

mod arrays;
mod times;

use std::collections::HashSet;

use arrow::array::{ArrayAccessor, ArrayRef};
use arrow::datatypes::{FieldRef, SchemaRef};
use arrow::record_batch::RecordBatch;
use arrow::util::display::array_value_to_string;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};

use crate::error::{Kind, guarded};
use crate::wait::detached;

pub use times::{DAYS_TO_1970, INTERVAL};

/// Rows that are converted at a time, between two looks for signals.
pub const CHUNK: usize = 1024;

/// Values of a column, one for each row.
type Column<'py> = Vec<Bound<'py, PyAny>>;

/// Reason for which a value has no Python object.
enum Unfit {
    /// An exception of Python's own.
    Raised(PyErr),
    /// A reason that follows the value's text.
    Value(&'static str),
    /// A whole sentence.
    Sentence(String),
}

impl From<PyErr> for Unfit {
    fn from(error: PyErr) -> Self {
        Unfit::Raised(error)
    }
}

/// Applies `make` to each value; NULL becomes None.
fn each<'py, A: ArrayAccessor>(
    py: Python<'py>,
    array: A,
    mut make: impl FnMut(A::Item) -> Result<Bound<'py, PyAny>, Unfit>,
) -> Result<Column<'py>, Unfit> {
    let mut values = Vec::with_capacity(array.len());
    for row in 0..array.len() {
        values.push(match array.is_null(row) {
            true => py.None().into_bound(py),
            false => make(array.value(row)).map_err(|unfit| match unfit {
                Unfit::Value(reason) => {
                    let text = array_value_to_string(&array, row).unwrap_or_else(|_| "a value".to_owned());
                    Unfit::Sentence(format!("{text} {reason}"))
                }
                other => other,
            })?,
        });
    }
    Ok(values)
}

/// Returns the columns of some rows, each as a list of values.
fn columns<'py>(py: Python<'py>, rows: &RecordBatch) -> PyResult<Vec<Column<'py>>> {
    let schema = rows.schema();
    let column = |(field, array): (&FieldRef, &ArrayRef)| {
        let name = field.name().escape_debug();
        arrays::values(py, array).map_err(|unfit| match unfit {
            Unfit::Raised(error) => error,
            Unfit::Value(reason) => Kind::Data.error(py, format!("column {name}: a value {reason}")),
            Unfit::Sentence(text) => Kind::Data.error(py, format!("column {name}: {text}")),
        })
    };
    guarded(py, || schema.fields().iter().zip(rows.columns()).map(column).collect())
}

/// Returns rows as tuples in the order of the columns.
///
/// # Errors
/// `DataError` for a value that Python's type cannot hold.
pub fn tuples<'py>(py: Python<'py>, rows: &RecordBatch) -> PyResult<Vec<Bound<'py, PyTuple>>> {
    let mut columns: Vec<_> = columns(py, rows)?.into_iter().map(Vec::into_iter).collect();
    let tuple = |_| {
        let values: Vec<_> = columns.iter_mut().filter_map(Iterator::next).collect();
        PyTuple::new(py, values)
    };
    (0..rows.num_rows()).map(tuple).collect()
}

/// Returns rows as dicts by the names of the columns.
///
/// # Errors
/// As [`tuples`].
pub fn dicts<'py>(py: Python<'py>, rows: &RecordBatch) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let names: Vec<_> = rows.schema().fields().iter().map(|field| PyString::new(py, field.name())).collect();
    let mut columns: Vec<_> = columns(py, rows)?.into_iter().map(Vec::into_iter).collect();
    let dict = |_| {
        let dict = PyDict::new(py);
        for (name, column) in names.iter().zip(&mut columns) {
            if let Some(value) = column.next() {
                dict.set_item(name, value)?;
            }
        }
        Ok(dict)
    };
    (0..rows.num_rows()).map(dict).collect()
}

/// Checks that each column has a name of its own, as the keys of a dict must be.
///
/// # Errors
/// `QueryError` that says to name them.
pub fn check_names(py: Python<'_>, schema: &SchemaRef) -> PyResult<()> {
    match repeated(schema.fields().iter().map(|field| field.name().as_str())) {
        None => Ok(()),
        Some(name) => {
            let what =
                format!("two columns are called {name}: name them with AS, or take tuples: fetchall()");
            Err(Kind::Query.error(py, what))
        }
    }
}

/// Returns a name that occurs twice.
pub fn repeated<'a>(mut names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let mut seen = HashSet::new();
    names.find(|name| !seen.insert(*name))
}

/// Lets other threads of Python run, and looks for signals.
///
/// # Errors
/// A signal handler raises.
pub fn pause(py: Python<'_>) -> PyResult<()> {
    detached(py, || ())?;
    py.check_signals()
}

/// Calls `take` with some rows after the other, [`CHUNK`] at a time, and looks for signals between.
///
/// # Errors
/// Those of `take`, or a signal handler raises.
pub fn in_chunks(
    py: Python<'_>,
    batches: &[RecordBatch],
    mut take: impl FnMut(&RecordBatch) -> PyResult<()>,
) -> PyResult<()> {
    for batch in batches {
        for start in (0..batch.num_rows()).step_by(CHUNK) {
            take(&batch.slice(start, CHUNK.min(batch.num_rows() - start)))?;
            pause(py)?;
        }
    }
    Ok(())
}
