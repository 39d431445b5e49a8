use pelton_codec::{Checksum, checksum_append};
use pyo3::prelude::*;
use pyo3::types::PyInt;

use crate::codec::codecs::run;
use crate::codec::sys::Input;

/// Ratio of the speed of a checksum to that of decompression.
const FASTER: usize = 8;

/// Compute the CRC-32 of data, going on from value.
#[pyfunction]
#[pyo3(signature = (data, value = None, /))]
pub fn crc32(data: &Bound<'_, PyAny>, value: Option<&Bound<'_, PyAny>>) -> PyResult<u32> {
    compute(Checksum::Crc32, data, value, 0)
}

/// Compute the Adler-32 of data, going on from value.
#[pyfunction]
#[pyo3(signature = (data, value = None, /))]
pub fn adler32(data: &Bound<'_, PyAny>, value: Option<&Bound<'_, PyAny>>) -> PyResult<u32> {
    compute(Checksum::Adler32, data, value, 1)
}

fn compute(
    kind: Checksum,
    data: &Bound<'_, PyAny>,
    value: Option<&Bound<'_, PyAny>>,
    start: u32,
) -> PyResult<u32> {
    let py = data.py();
    let input = Input::new(data, "data")?;
    let input = input.as_slice();
    // Only the low 32 bits of the number count.
    let start = match value {
        None => start,
        Some(value) => {
            let number = py.import("operator")?.call_method1("index", (value,))?.cast_into::<PyInt>()?;
            number.call_method1("__and__", (u32::MAX,))?.extract()?
        }
    };
    let sum = run(py, input.len() / FASTER, || checksum_append(kind, start.into(), input));
    Ok(sum.unwrap_or_default() as u32)
}
