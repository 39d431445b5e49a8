//! SQL from Python.
//!
//! A [`Connection`](connection::Connection) has an engine; [`shared`] keeps those that the
//! functions of the package use. A query gives a [`QueryResult`](result::QueryResult). [`import`]
//! makes tables of Python's objects, [`export`] gives rows back as Arrow's C structures. [`flight`]
//! knows what runs.

mod batches;
mod capsules;
mod connection;
mod export;
mod files;
pub mod flight;
mod functions;
pub mod handle;
mod import;
mod names;
mod profile;
mod result;
pub mod settings;
pub mod shared;
mod show;
mod statistics;
mod types;
mod warning;
mod write;

use pyo3::prelude::*;

/// Puts the classes and functions into the module.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<connection::Connection>()?;
    module.add_class::<result::QueryResult>()?;
    module.add_class::<profile::Profile>()?;
    functions::add(module)
}
