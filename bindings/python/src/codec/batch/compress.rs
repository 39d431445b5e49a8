use pelton_codec::{Error, Format, Level, compress_bound};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

use super::device::Device;
use super::items::{self, place};
use super::parallel;
use crate::codec::codecs::Codecs;
use crate::codec::{error, format};
use crate::numbers::whole_or_none;

/// Ratio of the time of compression to that of decompression, at the most used levels.
const WEIGHT: usize = 4;

/// Compress many buffers in one call, on several threads.
///
/// items: a sequence of objects that export contiguous buffers.
/// format, level: as in compress().
/// device, threads: as in decompress_batch().
///
/// Returns a list of bytes.
#[pyfunction]
#[pyo3(signature = (items, format = "gzip", level = None, *, device = None, threads = None))]
pub fn compress_batch<'py>(
    items: &Bound<'py, PyAny>,
    format: &str,
    #[pyo3(from_py_with = whole_or_none)] level: Option<i32>,
    device: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = whole_or_none)] threads: Option<usize>,
) -> PyResult<Bound<'py, PyList>> {
    let py = items.py();
    let format = format::named(format)?;
    let level = format::level(format, level)?;
    let device = Device::given(py, device)?;
    let inputs = items::inputs(items)?;
    let data: Vec<&[u8]> = inputs.iter().map(|input| input.as_slice()).collect();
    let results = PyList::empty(py);
    if let Some(compressed) = device.compress(py, &data, format, level)? {
        for (index, compressed) in compressed.into_iter().enumerate() {
            let compressed = compressed.map_err(|wrong| error::codec(&place(index), &wrong))?;
            results.append(PyBytes::new(py, &compressed))?;
        }
        return Ok(results);
    }
    let mut work: Vec<Work<'_>> = data.iter().map(|data| Work { data, compressed: Ok(Vec::new()) }).collect();
    let weight = |work: &Work<'_>| work.data.len().saturating_mul(WEIGHT);
    parallel::run(py, &mut work, parallel::threads(threads), weight, |codecs, part| {
        part.iter_mut().for_each(|work| work.compressed = compress_one(codecs, format, level, work.data));
    })?;
    for (index, work) in work.into_iter().enumerate() {
        let compressed = work.compressed.map_err(|wrong| error::codec(&place(index), &wrong))?;
        results.append(PyBytes::new(py, &compressed))?;
    }
    Ok(results)
}

struct Work<'a> {
    data: &'a [u8],
    compressed: Result<Vec<u8>, Error>,
}

fn compress_one(codecs: &mut Codecs, format: Format, level: Level, data: &[u8]) -> Result<Vec<u8>, Error> {
    let mut scratch =
        codecs.take_scratch(compress_bound(format, data.len())).ok_or(Error::OutOfMemory { format })?;
    let done = codecs.encoder.compress(format, level, data, &mut scratch);
    let compressed = done.map(|done| scratch[..done.produced].to_vec());
    codecs.give_scratch(scratch);
    compressed
}
