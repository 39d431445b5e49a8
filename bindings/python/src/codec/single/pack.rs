use pelton_codec::compress_bound;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::codec::sys::Input;
use crate::codec::{codecs, error, format};

/// Compress one buffer.
///
/// data: any object that exports a contiguous buffer. format: one of formats(). level: one of the
/// format's own, as its usual library counts them: deflate, zlib and gzip 0 to 12 (6 if not given),
/// zstd 1 to 22 (3), brotli 0 to 11 (5); lz4 and snappy have none.
///
/// Returns bytes. Raises ValueError for a format or level that there is not.
#[pyfunction]
#[pyo3(signature = (data, format = "gzip", level = None))]
pub fn compress<'py>(
    data: &Bound<'py, PyAny>,
    format: &str,
    level: Option<i32>,
) -> PyResult<Bound<'py, PyBytes>> {
    let py = data.py();
    let format = format::named(format)?;
    let level = format::level(format, level)?;
    let input = Input::new(data, "data")?;
    let input = input.as_slice();
    let bound = compress_bound(format, input.len());
    let (done, scratch) = super::run(py, input.len().saturating_mul(4), || {
        codecs::with(|codecs| {
            let mut scratch = codecs.take_scratch(bound)?;
            Some((codecs.encoder.compress(format, level, input, &mut scratch), scratch))
        })
    })
    .ok_or_else(|| error::no_memory(bound))?;
    let result = match done {
        Ok(done) => Ok(PyBytes::new(py, &scratch[..done.produced])),
        Err(wrong) => Err(error::codec("", &wrong)),
    };
    codecs::with(|codecs| codecs.give_scratch(scratch));
    result
}
