//! Pelton for Python: the compiled half of the package `pelton`. The other half is in
//! `python/pelton`.
//!
//! [`codec`] is compression: of buffers, and behind the standard library's zlib and gzip.
//! [`engine`] is SQL: connections, results, tables that come from Python and go back there as
//! Arrow. [`error`] has the exceptions, and [`failure`] those that are raised again; [`library`]
//! finds Python's libraries; [`numbers`] reads numbers of arguments; [`process`] handles forks and
//! the interpreter's end; [`wait`] lets Python's signals interrupt work; [`error_checking_mutex`]
//! protects values across waits.

mod codec;
mod engine;
mod error;
mod error_checking_mutex;
mod failure;
mod library;
mod numbers;
mod process;
mod wait;

use std::io::Write;

use pyo3::prelude::*;

/// The compiled half of the package `pelton`.
#[pymodule]
mod _pelton {
    use super::*;

    #[pymodule_export]
    use crate::codec::modules::{codec, gzip, zlib};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        error::add(module)?;
        engine::add(module)
    }

    /// Returns the version of the package.
    #[pyfunction]
    fn version() -> &'static str {
        env!("CARGO_PKG_VERSION")
    }

    /// Runs the `pelton` command with arguments, the program's name first among them, and returns
    /// its exit code.
    #[pyfunction]
    fn cli(py: Python<'_>, arguments: Vec<std::ffi::OsString>) -> u8 {
        py.detach(|| {
            let code = pelton_cli::main(arguments);
            // Python does not know of Rust's buffer. A closed reader was reported before.
            let _ = std::io::stdout().flush();
            code
        })
    }
}
