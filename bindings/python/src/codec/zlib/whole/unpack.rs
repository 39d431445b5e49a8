use std::ffi::c_int;

use libz_rs_sys::{Z_BUF_ERROR, Z_MEM_ERROR, Z_OK, Z_STREAM_END, Z_SYNC_FLUSH};
use pelton_codec::{Container, Error, Format, Progress, checksum};
use pyo3::exceptions::{PyMemoryError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::codec::codecs::{self, Codecs};
use crate::codec::single::run;
use crate::codec::size;
use crate::codec::sys::{Inflate, Input, Room};
use crate::codec::zlib::error;
use crate::codec::zlib::pump::{LEAST, pump};

/// Window bits that take zlib's and gzip's container, with the largest window.
const EITHER: c_int = 32 + 15;
/// Window bits that say: as the zlib header says.
const AS_IN_HEADER: c_int = 0;

/// Decompress one stream; bytes after it are ignored. wbits are those of zlib's inflateInit2(): 15
/// for zlib's container, 31 for gzip's, 47 for either, -15 for none. bufsize is the room that is
/// made first: the size, where it is known.
#[pyfunction]
#[pyo3(signature = (data, /, wbits = 15, bufsize = LEAST as isize))]
pub fn decompress<'py>(
    data: &Bound<'py, PyAny>,
    wbits: c_int,
    bufsize: isize,
) -> PyResult<Bound<'py, PyBytes>> {
    let py = data.py();
    let bufsize =
        usize::try_from(bufsize).map_err(|_| PyValueError::new_err("bufsize must be non-negative"))?;
    let input = Input::new(data, "data")?;
    let input = input.as_slice();
    let container = match wbits {
        EITHER if input.starts_with(&[0x1f, 0x8b]) => Container::of(Format::Gzip),
        EITHER | AS_IN_HEADER => Container::of(Format::Zlib),
        wbits => super::format(wbits).and_then(Container::of),
    };
    if let Some(container) = container
        && let Some(plain) = fast(py, input, container, bufsize)?
    {
        return Ok(plain);
    }
    slow(py, input, wbits, bufsize)
}

/// Decodes the stream at the start of `input`; not the members after it, as `Decoder` would.
fn decode(
    codecs: &mut Codecs,
    container: Container,
    input: &[u8],
    output: &mut [u8],
) -> Result<Progress, Error> {
    let start = container.header_len(input)?;
    let body = codecs.decompress(Format::Deflate, &input[start..], output)?;
    if let Some(kind) = container.checksum() {
        let sum = checksum(kind, &output[..body.produced]) as u32;
        container.check_trailer(input, start + body.consumed, sum, body.produced)?;
    }
    Ok(body)
}

/// Decodes with the fast decoder; `None` if anything is wrong, which zlib-rs is to say.
fn fast<'py>(
    py: Python<'py>,
    input: &[u8],
    container: Container,
    bufsize: usize,
) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let most = input.len().saturating_mul(size::DEFLATE_MOST);
    let said = size::claimed(container.format(), input);
    // The caller knows best, then the data.
    let known = if bufsize == LEAST { said } else { Some(bufsize).filter(|&bufsize| bufsize <= most) };
    let mut least = 0;
    if let Some(known) = known {
        let mut room = Room::new(py, known)?;
        let output = room.as_mut_slice();
        match run(py, known, || codecs::with(|codecs| decode(codecs, container, input, output))) {
            Ok(done) => return Ok(Some(room.finish(done.produced))),
            Err(Error::OutputTooSmall { .. }) => least = size::more(known, usize::MAX),
            Err(_) => return Ok(None),
        }
    }
    let mut wanted = size::guess(input, size::GUESS, usize::MAX).max(least).max(LEAST);
    loop {
        let tried = run(py, wanted, || {
            codecs::with(|codecs| {
                let mut scratch = codecs.take_scratch(wanted)?;
                let done = decode(codecs, container, input, &mut scratch);
                Some((done, scratch))
            })
        });
        let Some((done, scratch)) = tried else { return Ok(None) };
        wanted = size::more(scratch.len(), usize::MAX);
        let plain = match &done {
            Ok(done) => Some(PyBytes::new(py, &scratch[..done.produced])),
            Err(_) => None,
        };
        codecs::with(|codecs| codecs.give_scratch(scratch));
        match done {
            // What does not fit in as much as there can be is damaged.
            Err(Error::OutputTooSmall { .. }) if wanted / size::GROWTH <= most => {}
            _ => return Ok(plain),
        }
    }
}

/// Decodes with zlib-rs, whose errors are zlib's.
fn slow<'py>(py: Python<'py>, input: &[u8], wbits: c_int, bufsize: usize) -> PyResult<Bound<'py, PyBytes>> {
    let mut stream = Inflate::new(wbits).map_err(|code| match code {
        Z_MEM_ERROR => no_memory(),
        code => error::of(code, "while preparing to decompress data", None),
    })?;
    let guess =
        input.len().saturating_mul(2).max(bufsize.min(input.len().saturating_mul(size::DEFLATE_MOST)));
    let pumped = run(py, guess, || {
        pump(input, guess, usize::MAX, |input, room| stream.run(input, room, Z_SYNC_FLUSH))
    });
    match pumped.code {
        Z_STREAM_END => Ok(PyBytes::new(py, pumped.output())),
        Z_OK | Z_BUF_ERROR => Err(error::of(Z_BUF_ERROR, "while decompressing data", None)),
        Z_MEM_ERROR => Err(no_memory()),
        code => Err(error::of(code, "while decompressing data", stream.message())),
    }
}

fn no_memory() -> PyErr {
    PyMemoryError::new_err("Out of memory while decompressing data")
}
