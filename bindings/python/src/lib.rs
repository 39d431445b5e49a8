//! Pelton for Python: the compiled half of the package `pelton`, whose other half is in
//! `python/pelton`.
//!
//! [`codec`] is compression: of buffers, and behind the standard library's zlib and gzip.
//! [`engine`] is SQL: connections, results, tables that come from Python and go back there as
//! Arrow. [`error`] has the exceptions, [`process`] what a fork and the interpreter's end mean,
//! [`wait`] how work lets Python's signals through, [`error_checking_mutex`] how threads take
//! turns.

mod codec;
mod engine;
mod error;
mod error_checking_mutex;
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

    /// Runs the `pelton` command with arguments, the program's name first among them, and gives its
    /// exit code.
    #[pyfunction]
    fn cli(py: Python<'_>, arguments: Vec<std::ffi::OsString>) -> u8 {
        py.detach(|| {
            let code = pelton_cli::main(arguments);
            // Python does not know of what Rust has buffered. A reader that is gone has been told
            // already.
            let _ = std::io::stdout().flush();
            code
        })
    }
}
