use pyo3::prelude::*;

/// What `pelton.gzip` is made of.
#[pymodule]
pub mod gzip {
    #[pymodule_export]
    use crate::codec::gzip::members::Members;
    #[pymodule_export]
    use crate::codec::gzip::whole::decompress;
}
