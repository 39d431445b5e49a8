//! Python's modules of compression.

use pyo3::prelude::*;

/// Compression of buffers.
#[pymodule]
pub mod codec {
    #[pymodule_export]
    use crate::codec::batch::compress::compress_batch;
    #[pymodule_export]
    use crate::codec::batch::decompress::decompress_batch;
    #[pymodule_export]
    use crate::codec::format::formats;
    #[pymodule_export]
    use crate::codec::one_shot::{compress, decompress, decompress_into};

    /// Largest result of `decompress` and `decompress_batch` for one buffer unless `max_length` is
    /// given: 1 GiB, the limit of a router's job.
    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const MAX_LENGTH: usize = crate::codec::size::MAX_LENGTH;
}

/// Compiled half of `pelton.gzip`.
#[pymodule]
pub mod gzip {
    #[pymodule_export]
    use crate::codec::gzip::members::Members;
    #[pymodule_export]
    use crate::codec::gzip::one_shot::decompress;
}

/// Compiled half of `pelton.zlib`.
#[pymodule]
pub mod zlib {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::codec::zlib::checksum::{adler32, crc32};
    #[pymodule_export]
    use crate::codec::zlib::compressobj::{Compress, compressobj};
    #[pymodule_export]
    use crate::codec::zlib::decompressobj::{Decompress, decompressobj};
    #[pymodule_export]
    use crate::codec::zlib::decompressor::Decompressor;
    #[pymodule_export]
    use crate::codec::zlib::one_shot::{compress, decompress};

    /// Returns the version of zlib-rs, as it says.
    #[pyfunction]
    fn version() -> String {
        crate::codec::sys::version()
    }
}
