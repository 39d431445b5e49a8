//! Whole buffers: this project's codecs first, zlib-rs for the rest.

use std::ffi::c_int;

use libz_rs_sys::{
    Z_BUF_ERROR, Z_DEFAULT_STRATEGY, Z_DEFLATED, Z_FINISH, Z_MEM_ERROR, Z_NO_FLUSH, Z_OK, Z_STREAM_END,
    Z_STREAM_ERROR, Z_SYNC_FLUSH,
};
use pelton_codec::{Container, Error, Format, Level, Progress, checksum, compress_bound};
use pyo3::exceptions::{PyMemoryError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::growing_output::{MIN_CAPACITY, run_growing};
use crate::codec::codecs::{self, Codecs, run};
use crate::codec::sys::{Deflate, Inflate, Input, NewBytes};
use crate::codec::{error, size};

/// Returns the format of window bits with the largest window, which the fast codecs write and read.
pub fn format(wbits: c_int) -> Option<Format> {
    match wbits {
        15 => Some(Format::Zlib),
        -15 => Some(Format::Deflate),
        31 => Some(Format::Gzip),
        _ => None,
    }
}

/// Ratio of the time of compression to that of decompression.
const WEIGHT: usize = 4;
/// zlib's DEF_MEM_LEVEL.
const MEM_LEVEL: c_int = 8;
/// Meaning of level -1.
const DEFAULT_LEVEL: c_int = 6;

/// Places of XFL and OS in a gzip header; the values of XFL for the fastest and the best level, and
/// of OS for Unix (RFC 1952, 2.3.1).
const XFL: usize = 8;
const OS: usize = 9;
const UNIX: u8 = 3;
const FASTEST: u8 = 4;
const BEST: u8 = 2;

/// Compress data into one stream. level is 0-9, or -1, which is 6.
///
/// wbits is the container: 15 zlib, 31 gzip, -15 none; others are smaller windows.
#[pyfunction]
#[pyo3(signature = (data, /, level = -1, wbits = 15))]
pub fn compress<'py>(data: &Bound<'py, PyAny>, level: c_int, wbits: c_int) -> PyResult<Bound<'py, PyBytes>> {
    let input = Input::new(data, "data")?;
    let input = input.as_slice();
    match format(wbits) {
        Some(format) if (-1..=9).contains(&level) && level != 0 => {
            compress_fast(data.py(), input, format, level)
        }
        _ => compress_with_zlib_rs(data.py(), input, level, wbits),
    }
}

fn compress_fast<'py>(
    py: Python<'py>,
    input: &[u8],
    format: Format,
    level: c_int,
) -> PyResult<Bound<'py, PyBytes>> {
    let (done, scratch) =
        run(py, input.len().saturating_mul(WEIGHT), || compress_buffer(input, format, level));
    let compressed = done.map(|len| PyBytes::new(py, &scratch[..len])).map_err(|_| no_memory("compressing"));
    codecs::with(|codecs| codecs.give_scratch(scratch));
    compressed
}

/// Returns a whole stream in front of some scratch memory, and its length. `level` is zlib's, but
/// not 0.
pub fn compress_buffer(input: &[u8], format: Format, level: c_int) -> (Result<usize, Error>, Vec<u8>) {
    let level = if level < 0 { DEFAULT_LEVEL } else { level };
    codecs::with(|codecs| {
        let Some(mut scratch) = codecs.take_scratch(compress_bound(format, input.len())) else {
            return (Err(Error::OutOfMemory { format }), Vec::new());
        };
        let done = Level::new(format, level)
            .and_then(|level| codecs.encoder.compress(format, level, input, &mut scratch));
        if format == Format::Gzip && done.is_ok() {
            scratch[XFL] = match level {
                1 => FASTEST,
                9 => BEST,
                _ => 0,
            };
            scratch[OS] = UNIX;
        }
        (done.map(|done| done.produced), scratch)
    })
}

fn compress_with_zlib_rs<'py>(
    py: Python<'py>,
    input: &[u8],
    level: c_int,
    wbits: c_int,
) -> PyResult<Bound<'py, PyBytes>> {
    let stream = Deflate::new(level, Z_DEFLATED, wbits, MEM_LEVEL, Z_DEFAULT_STRATEGY);
    let mut stream = stream.map_err(|code| match code {
        Z_MEM_ERROR => no_memory("compressing"),
        Z_STREAM_ERROR => error::zlib("Bad compression level".into()),
        code => error::zlib_code(code, "while compressing data", None),
    })?;
    let output = run(py, input.len().saturating_mul(WEIGHT), || {
        run_growing(input, input.len() + input.len() / 1000, usize::MAX, |rest, buffer| {
            // zlib's counts have 32 bits: only the last call announces the end.
            let flush = if rest.len() > u32::MAX as usize { Z_NO_FLUSH } else { Z_FINISH };
            stream.run(rest, buffer, flush)
        })
    });
    match output.code {
        Z_STREAM_END => Ok(PyBytes::new(py, output.bytes())),
        code => Err(error::zlib_code(code, "while compressing data", stream.message())),
    }
}

/// Window bits that take zlib's and gzip's container, with the largest window.
const EITHER: c_int = 32 + 15;
/// Window bits that take the window from the zlib header.
const AS_IN_HEADER: c_int = 0;

/// Decompress one stream; bytes after it are ignored. wbits are those of zlib's inflateInit2(): 15
/// for zlib's container, 31 for gzip's.
///
/// 47 stands for either of these containers, -15 for none. bufsize is the first capacity of the
/// output: the size, where it is known.
#[pyfunction]
#[pyo3(signature = (data, /, wbits = 15, bufsize = MIN_CAPACITY as isize))]
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
        wbits => format(wbits).and_then(Container::of),
    };
    if let Some(container) = container
        && let Some(uncompressed) = decompress_fast(py, input, container, bufsize)?
    {
        return Ok(uncompressed);
    }
    decompress_with_zlib_rs(py, input, wbits, bufsize)
}

/// Decodes the stream at the start of `input`, without the members after it.
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

/// Decodes with the fast decoder; `None` if anything is wrong, so that zlib-rs reports it.
fn decompress_fast<'py>(
    py: Python<'py>,
    input: &[u8],
    container: Container,
    bufsize: usize,
) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let most = input.len().saturating_mul(size::DEFLATE_MAX_RATIO);
    let said = size::claimed(container.format(), input);
    // The caller's size precedes the data's.
    let known = if bufsize == MIN_CAPACITY { said } else { Some(bufsize).filter(|&bufsize| bufsize <= most) };
    let mut least = 0;
    if let Some(known) = known {
        let mut buffer = NewBytes::new(py, known)?;
        let output = buffer.as_mut_slice();
        match run(py, known, || codecs::with(|codecs| decode(codecs, container, input, output))) {
            Ok(done) => return Ok(Some(buffer.finish(done.produced))),
            Err(Error::OutputTooSmall { .. }) => least = size::more(known, usize::MAX),
            Err(_) => return Ok(None),
        }
    }
    let mut wanted = size::guess(input, size::GUESS, usize::MAX).max(least).max(MIN_CAPACITY);
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
        let uncompressed = match &done {
            Ok(done) => Some(PyBytes::new(py, &scratch[..done.produced])),
            Err(_) => None,
        };
        codecs::with(|codecs| codecs.give_scratch(scratch));
        match done {
            // An output beyond the largest possible size means damaged data.
            Err(Error::OutputTooSmall { .. }) if wanted / size::GROWTH <= most => {}
            _ => return Ok(uncompressed),
        }
    }
}

/// Decodes with zlib-rs, which gives zlib's errors.
fn decompress_with_zlib_rs<'py>(
    py: Python<'py>,
    input: &[u8],
    wbits: c_int,
    bufsize: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    let mut stream = Inflate::new(wbits).map_err(|code| match code {
        Z_MEM_ERROR => no_memory("decompressing"),
        code => error::zlib_code(code, "while preparing to decompress data", None),
    })?;
    let guess =
        input.len().saturating_mul(2).max(bufsize.min(input.len().saturating_mul(size::DEFLATE_MAX_RATIO)));
    let output = run(py, guess, || {
        run_growing(input, guess, usize::MAX, |input, buffer| stream.run(input, buffer, Z_SYNC_FLUSH))
    });
    match output.code {
        Z_STREAM_END => Ok(PyBytes::new(py, output.bytes())),
        Z_OK | Z_BUF_ERROR => Err(error::zlib_code(Z_BUF_ERROR, "while decompressing data", None)),
        Z_MEM_ERROR => Err(no_memory("decompressing")),
        code => Err(error::zlib_code(code, "while decompressing data", stream.message())),
    }
}

fn no_memory(doing: &str) -> PyErr {
    PyMemoryError::new_err(format!("Out of memory while {doing} data"))
}
