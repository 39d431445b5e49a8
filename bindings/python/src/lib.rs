//! Pelton for Python.

use pyo3::prelude::*;

/// The compiled half of the package `pelton`.
#[pymodule]
mod _pelton {
    use super::*;

    /// The version of the package.
    #[pyfunction]
    fn version() -> &'static str {
        env!("CARGO_PKG_VERSION")
    }
}
