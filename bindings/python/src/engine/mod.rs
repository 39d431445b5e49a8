//! SQL for Python.
//!
//! A [`Connection`](connection::Connection) has an engine; [`shared`] keeps the engines of the
//! package's functions. A query gives a [`QueryResult`](result::QueryResult). [`import`] makes
//! tables of Python's objects, [`export`] gives rows back as Arrow's C structures, [`values`] as
//! tuples of Python's objects. A [`statement`] has values for its parameters, or is a plan of
//! another program. [`running`] keeps track of the queries that run.

mod connection;
mod export;
mod files;
mod functions;
mod handle;
mod import;
mod profile;
mod result;
mod running;
pub mod settings;
mod shared;
mod statement;
mod statistics;
mod tables;
mod values;
mod write;

use pyo3::prelude::*;

/// Adds the classes and functions to the module.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<connection::Connection>()?;
    module.add_class::<result::QueryResult>()?;
    module.add_class::<profile::Profile>()?;
    module.add_class::<statement::PreparedStatement>()?;
    shared::add_hooks(module)?;
    functions::add(module)
}
