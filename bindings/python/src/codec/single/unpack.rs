use pelton_codec::{Error, Format};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::run;
use crate::codec::sys::{Input, Room};
use crate::codec::{codecs, error, format, size};

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
    size: Option<usize>,
    max_length: usize,
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

/// Into an object of the size that the caller says.
fn exactly<'py>(py: Python<'py>, format: Format, input: &[u8], size: usize) -> PyResult<Bound<'py, PyBytes>> {
    let mut room = Room::new(py, size)?;
    let output = room.as_mut_slice();
    match run(py, size, || codecs::with(|codecs| codecs.decompress(format, input, output))) {
        Ok(done) if done.produced == size => Ok(room.finish(size)),
        Ok(done) => Err(error::wrong_size("", size, Some(done.produced))),
        Err(Error::OutputTooSmall { .. }) => Err(error::wrong_size("", size, None)),
        Err(wrong) => Err(error::codec("", &wrong)),
    }
}

/// Into an object of the size that the data says.
fn claimed<'py>(
    py: Python<'py>,
    format: Format,
    input: &[u8],
    claim: usize,
    max_length: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    let mut room = Room::new(py, claim)?;
    let output = room.as_mut_slice();
    match run(py, claim, || codecs::with(|codecs| codecs.decompress(format, input, output))) {
        Ok(done) => Ok(room.finish(done.produced)),
        Err(Error::OutputTooSmall { .. }) if claim < max_length => {
            drop(room);
            unknown(py, format, input, size::more(claim, max_length), max_length)
        }
        Err(Error::OutputTooSmall { .. }) => Err(error::too_long("", max_length)),
        Err(wrong) => Err(error::codec("", &wrong)),
    }
}

/// Into memory that grows until it suffices, and from there into an object.
fn unknown<'py>(
    py: Python<'py>,
    format: Format,
    input: &[u8],
    guess: usize,
    max_length: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    let mut room = guess;
    loop {
        let (done, scratch) = run(py, room, || {
            codecs::with(|codecs| {
                let mut scratch = codecs.take_scratch(room)?;
                let whole = scratch.len().min(max_length);
                let done = codecs.decompress(format, input, &mut scratch[..whole]);
                room = whole;
                Some((done, scratch))
            })
        })
        .ok_or_else(|| error::no_memory(room))?;
        let result = match done {
            Ok(done) => Some(Ok(PyBytes::new(py, &scratch[..done.produced]))),
            Err(Error::OutputTooSmall { .. }) if room < max_length => None,
            Err(Error::OutputTooSmall { .. }) => Some(Err(error::too_long("", max_length))),
            Err(wrong) => Some(Err(error::codec("", &wrong))),
        };
        codecs::with(|codecs| codecs.give_scratch(scratch));
        match result {
            Some(result) => return result,
            None => room = size::more(room, max_length),
        }
    }
}
