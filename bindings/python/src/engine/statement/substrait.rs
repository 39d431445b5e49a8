//! Plans of Substrait: bytes and JSON of other programs, and plans for them.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use super::Statement;
use crate::engine::handle::Handle;
use crate::wait::run;

/// Returns a plan, or expressions over a table, as a statement.
///
/// # Errors
/// `TypeError` for an object that is no plan.
pub fn from_substrait(plan: &Bound<'_, PyAny>, over: Option<&str>) -> PyResult<Statement> {
    Ok(Statement::of_substrait(&bytes_of(plan)?, over))
}

/// Returns the plan of a SQL query: bytes, or text if the format is JSON.
///
/// # Errors
/// `ValueError` for another format; the query does not plan, or Substrait lacks a feature of it.
pub fn to_substrait<'py>(
    py: Python<'py>,
    handle: &Handle,
    query: &str,
    format: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let (engine, query) = (handle.engine(py)?.clone(), query.to_owned());
    match format {
        "bytes" => {
            let plan = run(py, move || engine.to_substrait(&query))?;
            Ok(PyBytes::new(py, &plan).into_any())
        }
        "json" => {
            let plan = run(py, move || engine.to_substrait_json(&query))?;
            Ok(PyString::new(py, &plan).into_any())
        }
        other => {
            let what = format!("there is no format {other:?} of a plan; there are \"bytes\" and \"json\"");
            Err(PyValueError::new_err(what))
        }
    }
}

/// Returns the bytes of an object with a buffer, or of a text.
fn bytes_of(plan: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    if let Ok(text) = plan.cast::<PyString>() {
        return Ok(text.to_str()?.as_bytes().to_vec());
    }
    let view = plan.py().import("builtins")?.getattr("memoryview")?.call1((plan,));
    let view = view.map_err(|_| {
        PyTypeError::new_err(
            "a Substrait plan is bytes, or a text of JSON: write plan.SerializeToString() for a message",
        )
    })?;
    view.call_method0("tobytes")?.extract()
}
