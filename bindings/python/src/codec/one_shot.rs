//! One buffer at a time.

use pelton_codec::{Error, Format, compress_bound};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::codec::codecs::{self, run};
use crate::codec::sys::{Input, NewBytes, Output};
use crate::codec::{error, format, size};
use crate::numbers::{whole, whole_or_none};

/// Compress one buffer.
///
/// data: any object that exports a contiguous buffer. format: one of formats(). level: one of the
/// format's own, as its usual library counts them: deflate, zlib and gzip 0-12 (six if not given),
/// zstd 1-22 (three), brotli 0-11 (five); lz4 and snappy have none.
///
/// Returns bytes. Raises ValueError for an unknown format or level.
#[pyfunction]
#[pyo3(signature = (data, format = "gzip", level = None))]
pub fn compress<'py>(
    data: &Bound<'py, PyAny>,
    format: &str,
    #[pyo3(from_py_with = whole_or_none)] level: Option<i32>,
) -> PyResult<Bound<'py, PyBytes>> {
    let py = data.py();
    let format = format::named(format)?;
    let level = format::level(format, level)?;
    let input = Input::new(data, "data")?;
    let input = input.as_slice();
    let bound = compress_bound(format, input.len());
    let (done, scratch) = run(py, input.len().saturating_mul(4), || {
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

/// Decompress one buffer.
///
/// data: any object that exports a contiguous buffer. A gzip file of several members and several
/// zstd frames are one buffer; bytes after the last of them are ignored. format: one of formats(),
/// or "auto": gzip, zlib or zstd, whichever the data starts like. size: the bytes that it
/// decompresses to, if known. It is an error if that is wrong. max_length: the bytes that it may
/// decompress to at most.
///
/// Returns bytes. Raises DataError for damaged data, and for data that decompresses to more than
/// max_length.
#[pyfunction]
#[pyo3(
    signature = (data, format = "auto", *, size = None, max_length = size::MAX_LENGTH),
    text_signature = "(data, format='auto', *, size=None, max_length=1073741824)"
)]
pub fn decompress<'py>(
    data: &Bound<'py, PyAny>,
    format: &str,
    #[pyo3(from_py_with = whole_or_none)] size: Option<usize>,
    #[pyo3(from_py_with = whole)] max_length: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    let py = data.py();
    let input = Input::new(data, "data")?;
    let input = input.as_slice();
    let format = format::of(format::named_or_auto(format)?, input)?;
    match size {
        Some(size) if size > max_length => Err(error::too_long("", max_length)),
        Some(size) => exactly(py, format, input, size),
        None => match size::claimed(format, input) {
            Some(claim) => claimed(py, format, input, claim.min(max_length), max_length),
            None => unknown(py, format, input, size::guess(input, size::GUESS, max_length), max_length),
        },
    }
}

/// Decompresses into an object of the size that the caller states.
fn exactly<'py>(py: Python<'py>, format: Format, input: &[u8], size: usize) -> PyResult<Bound<'py, PyBytes>> {
    let mut bytes = NewBytes::new(py, size)?;
    let output = bytes.as_mut_slice();
    match run(py, size, || codecs::with(|codecs| codecs.decompress(format, input, output))) {
        Ok(done) if done.produced == size => Ok(bytes.finish(size)),
        Ok(done) => Err(error::wrong_size("", size, Some(done.produced))),
        Err(Error::OutputTooSmall { .. }) => Err(error::wrong_size("", size, None)),
        Err(wrong) => Err(error::codec("", &wrong)),
    }
}

/// Decompresses into an object of the size that the data states.
fn claimed<'py>(
    py: Python<'py>,
    format: Format,
    input: &[u8],
    claim: usize,
    max_length: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    let mut bytes = NewBytes::new(py, claim)?;
    let output = bytes.as_mut_slice();
    match run(py, claim, || codecs::with(|codecs| codecs.decompress(format, input, output))) {
        Ok(done) => Ok(bytes.finish(done.produced)),
        Err(Error::OutputTooSmall { .. }) if claim < max_length => {
            drop(bytes);
            unknown(py, format, input, size::more(claim, max_length), max_length)
        }
        Err(Error::OutputTooSmall { .. }) => Err(error::too_long("", max_length)),
        Err(wrong) => Err(error::codec("", &wrong)),
    }
}

/// Decompresses into memory that grows until it suffices, and copies that into an object.
fn unknown<'py>(
    py: Python<'py>,
    format: Format,
    input: &[u8],
    guess: usize,
    max_length: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    let mut capacity = guess;
    loop {
        let (done, scratch) = run(py, capacity, || {
            codecs::with(|codecs| {
                let mut scratch = codecs.take_scratch(capacity)?;
                let whole = scratch.len().min(max_length);
                let done = codecs.decompress(format, input, &mut scratch[..whole]);
                capacity = whole;
                Some((done, scratch))
            })
        })
        .ok_or_else(|| error::no_memory(capacity))?;
        let result = match done {
            Ok(done) => Some(Ok(PyBytes::new(py, &scratch[..done.produced]))),
            Err(Error::OutputTooSmall { .. }) if capacity < max_length => None,
            Err(Error::OutputTooSmall { .. }) => Some(Err(error::too_long("", max_length))),
            Err(wrong) => Some(Err(error::codec("", &wrong))),
        };
        codecs::with(|codecs| codecs.give_scratch(scratch));
        match result {
            Some(result) => return result,
            None => capacity = size::more(capacity, max_length),
        }
    }
}

/// Decompress one buffer into another, without allocating.
///
/// data, format: as in decompress(). out: any object that exports a writable contiguous buffer; it
/// may be longer than the result, but not overlap the data. No other thread may use it meanwhile,
/// as its contents are unspecified until this returns, and after an error.
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
    let capacity = output.len();
    match run(data.py(), capacity, || codecs::with(|codecs| codecs.decompress(format, input, output))) {
        Ok(done) => Ok(done.produced),
        Err(Error::OutputTooSmall { .. }) => {
            Err(error::data(format!("the data decompresses to more than the {capacity} bytes of out")))
        }
        Err(wrong) => Err(error::codec("", &wrong)),
    }
}
