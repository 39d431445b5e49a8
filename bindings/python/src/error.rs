//! Python's exceptions, and the mapping of the engine's errors to them.

use std::any::Any;
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pelton::{Cause, Error};
use pyo3::exceptions::{PyException, PyFileNotFoundError, PyKeyboardInterrupt, PyMemoryError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple, PyType};

/// The package's exceptions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `pelton.Error`, the base of all others.
    Error,
    /// `pelton.QueryError`.
    Query,
    /// `pelton.TableError`.
    Table,
    /// `pelton.MissingFileError`.
    Missing,
    /// `pelton.DataError`.
    Data,
    /// `pelton.OutOfMemory`.
    Memory,
}

struct Types([Py<PyType>; 6]);

static TYPES: PyOnceLock<Types> = PyOnceLock::new();

impl Kind {
    /// Returns an exception of this kind.
    pub fn error(self, py: Python<'_>, message: impl Display) -> PyErr {
        match types(py) {
            Ok(types) => PyErr::from_type(types.0[self as usize].bind(py).clone(), (message.to_string(),)),
            Err(error) => error,
        }
    }

    /// Returns the kind of an exception of the package; `None` for others.
    pub fn of(py: Python<'_>, error: &PyErr) -> Option<Self> {
        let (types, class) = (types(py).ok()?, error.get_type(py));
        KINDS.into_iter().find(|kind| class.is(&types.0[*kind as usize]))
    }

    /// Returns the kind of an error of the engine; `None` for a cancellation.
    pub fn of_engine(error: &Error) -> Option<Self> {
        Some(match error {
            Error::Query(_) | Error::Execution(_) => Kind::Query,
            Error::Table(_) | Error::Delta(_) => Kind::Table,
            Error::Missing(_) => Kind::Missing,
            Error::Memory(_) => Kind::Memory,
            Error::Pages(pages) => match pages.cause {
                Cause::Store(_) | Cause::Changed | Cause::Write(_) => Kind::Table,
                Cause::Predicate(_) => Kind::Query,
                _ => Kind::Data,
            },
            Error::Internal(_) => Kind::Error,
            Error::Cancelled => return None,
        })
    }

    /// Returns whether an exception is of this kind.
    pub fn is(self, py: Python<'_>, error: &PyErr) -> bool {
        types(py).is_ok_and(|types| error.is_instance(py, types.0[self as usize].bind(py)))
    }
}

/// Returns the exception that an error of the engine is, with the engine's words.
pub fn raise(py: Python<'_>, error: &Error) -> PyErr {
    match Kind::of_engine(error) {
        Some(kind) => kind.error(py, error),
        None => PyKeyboardInterrupt::new_err("cancelled"),
    }
}

/// Returns the exception for a panic: a fault of Pelton's, and no reason to end the process.
pub fn internal(py: Python<'_>, panic: &(dyn Any + Send)) -> PyErr {
    let text = panic.downcast_ref::<&str>().copied();
    let what = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("a panic");
    let what = what.split_whitespace().collect::<Vec<_>>().join(" ");
    let hint = "RUST_BACKTRACE=1 in the environment shows where";
    Kind::Error.error(py, format!("internal error, please report it: {what} ({hint})"))
}

/// Calls libraries that assert: their panics become exceptions like others.
///
/// # Errors
/// The error of `work`, or its panic.
pub fn guarded<T>(py: Python<'_>, work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(internal(py, &*panic)))
}

/// Adds the exceptions to the module.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    // A panic becomes an exception with its message; RUST_BACKTRACE still prints Rust's own report.
    if std::env::var_os("RUST_BACKTRACE").is_none() {
        std::panic::set_hook(Box::new(|_| {}));
    }
    for (kind, name) in types(py)?.0.iter().zip(NAMES) {
        module.add(name, kind)?;
    }
    Ok(())
}

/// All kinds, in the order of their types.
const KINDS: [Kind; 6] = [Kind::Error, Kind::Query, Kind::Table, Kind::Missing, Kind::Data, Kind::Memory];

const NAMES: [&str; 6] =
    ["Error", "QueryError", "TableError", "MissingFileError", "DataError", "OutOfMemory"];

fn types(py: Python<'_>) -> PyResult<&'static Types> {
    TYPES.get_or_try_init(py, || {
        let error = make(
            py,
            Kind::Error,
            "An error of Pelton, with its cause and a remedy. Base of all other errors of Pelton.",
            &[&py.get_type::<PyException>()],
        )?;
        let query = make(
            py,
            Kind::Query,
            "A query that does not parse, names an unknown table or column, or fails in a computation.",
            &[&error],
        )?;
        let table = make(
            py,
            Kind::Table,
            "Files or columns that make no table, or a file that can't be read or written.",
            &[&error],
        )?;
        let missing = make(
            py,
            Kind::Missing,
            "A location without a file. Also a FileNotFoundError.",
            &[&table, &py.get_type::<PyFileNotFoundError>()],
        )?;
        let data = make(
            py,
            Kind::Data,
            "Data that is damaged, or of a kind that is not supported. Names file, row group, column and page. Also a \
             ValueError.",
            &[&error, &py.get_type::<PyValueError>()],
        )?;
        let memory = make(
            py,
            Kind::Memory,
            "The limit on memory was reached. Also a MemoryError.",
            &[&error, &py.get_type::<PyMemoryError>()],
        )?;
        Ok(Types([error, query, table, missing, data, memory].map(Bound::unbind)))
    })
}

fn make<'py>(
    py: Python<'py>,
    kind: Kind,
    doc: &str,
    bases: &[&Bound<'py, PyType>],
) -> PyResult<Bound<'py, PyType>> {
    let members = PyDict::new(py);
    members.set_item("__module__", "pelton")?;
    members.set_item("__doc__", doc)?;
    let made = py.get_type::<PyType>().call1((NAMES[kind as usize], PyTuple::new(py, bases)?, members))?;
    Ok(made.cast_into()?)
}
