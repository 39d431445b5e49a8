use pyo3::prelude::*;

/// What `pelton.zlib` is made of.
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
    use crate::codec::zlib::whole::{compress, decompress};

    /// The version of zlib-rs, as it says.
    #[pyfunction]
    fn version() -> String {
        crate::codec::sys::version()
    }
}
