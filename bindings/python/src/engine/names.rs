//! Names in SQL.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// A table's name as the engine has it. SQL takes names that are not quoted as lower case, so one
/// given as `Trips` is found as `Trips`; one given in double quotes stays as it is.
///
/// # Errors
/// `ValueError` for an empty name.
pub fn table(name: &str) -> PyResult<String> {
    let quoted = name.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let name = quoted.map_or_else(|| name.to_lowercase(), str::to_owned);
    match name.is_empty() {
        true => Err(PyValueError::new_err("a table needs a name")),
        false => Ok(name),
    }
}

/// A column's or table's name, for SQL's text.
pub fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
