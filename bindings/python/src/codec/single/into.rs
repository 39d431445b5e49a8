use pelton_codec::Error;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::run;
use crate::codec::sys::{Input, Output};
use crate::codec::{codecs, error, format};

/// Decompress one buffer into another, without allocating.
///
/// data, format: as in decompress(). out: any object that exports a writable contiguous buffer; it
/// may be longer than what comes out, but not overlap the data. No other thread may use it
/// meanwhile, as its contents are unspecified until this returns, and after an error.
///
/// Returns the number of bytes written. Raises DataError for damaged data, and for data that does
/// not fit.
#[pyfunction]
#[pyo3(signature = (data, out, format = "auto"))]
pub fn decompress_into(data: &Bound<'_, PyAny>, out: &Bound<'_, PyAny>, format: &str) -> PyResult<usize> {
    let input = Input::new(data, "data")?;
    let input = input.as_slice();
    let format = format::of(format::named_or_auto(format)?, input)?;
    let mut output = Output::new(out, "out")?;
    let (read, written) = (input.as_ptr_range(), output.range());
    if (read.start as usize) < written.end && written.start < read.end as usize {
        return Err(PyValueError::new_err("out overlaps data; give another buffer"));
    }
    let output = output.as_mut_slice();
    let room = output.len();
    match run(data.py(), room, || codecs::with(|codecs| codecs.decompress(format, input, output))) {
        Ok(done) => Ok(done.produced),
        Err(Error::OutputTooSmall { .. }) => {
            Err(error::data(format!("the data decompresses to more than the {room} bytes of out")))
        }
        Err(wrong) => Err(error::codec("", &wrong)),
    }
}
