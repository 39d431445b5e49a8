use pyo3::prelude::*;

/// Compression of buffers.
#[pymodule]
pub mod codec {
    #[pymodule_export]
    use crate::codec::batch::{compress_batch, decompress_batch};
    #[pymodule_export]
    use crate::codec::format::formats;
    #[pymodule_export]
    use crate::codec::single::{compress, decompress, decompress_into};

    /// What `decompress` and `decompress_batch` give at most for one buffer, if `max_length` does
    /// not say otherwise: 1 GiB, as much as a job of the router may produce.
    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const MAX_LENGTH: usize = crate::codec::size::MAX_LENGTH;
}
