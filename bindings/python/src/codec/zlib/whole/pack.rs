use std::ffi::c_int;

use libz_rs_sys::{
    Z_DEFAULT_STRATEGY, Z_DEFLATED, Z_FINISH, Z_MEM_ERROR, Z_NO_FLUSH, Z_STREAM_END, Z_STREAM_ERROR,
};
use pelton_codec::{Error, Format, Level, compress_bound};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::codec::codecs;
use crate::codec::single::run;
use crate::codec::sys::{Deflate, Input};
use crate::codec::zlib::error;
use crate::codec::zlib::pump::pump;

/// Compressing weighs so many times what decompressing the same plain bytes does.
const WEIGHT: usize = 4;
/// zlib's DEF_MEM_LEVEL.
const MEM_LEVEL: c_int = 8;
/// What -1 is.
const DEFAULT_LEVEL: c_int = 6;

/// Places of XFL and OS in a gzip header, what XFL says of the fastest and the best level, and OS
/// of Unix (RFC 1952, 2.3.1).
const XFL: usize = 8;
const OS: usize = 9;
const UNIX: u8 = 3;
const FASTEST: u8 = 4;
const BEST: u8 = 2;

/// Compress data into one stream. level is -1 (which is 6) or 0 to 9, wbits the container: 15 zlib,
/// 31 gzip, -15 none; others are smaller windows.
#[pyfunction]
#[pyo3(signature = (data, /, level = -1, wbits = 15))]
pub fn compress<'py>(data: &Bound<'py, PyAny>, level: c_int, wbits: c_int) -> PyResult<Bound<'py, PyBytes>> {
    let input = Input::new(data, "data")?;
    let input = input.as_slice();
    match super::format(wbits) {
        Some(format) if (-1..=9).contains(&level) && level != 0 => fast(data.py(), input, format, level),
        _ => plain(data.py(), input, level, wbits),
    }
}

fn fast<'py>(py: Python<'py>, input: &[u8], format: Format, level: c_int) -> PyResult<Bound<'py, PyBytes>> {
    let (done, scratch) = run(py, input.len().saturating_mul(WEIGHT), || pack(input, format, level));
    let packed = done.map(|len| PyBytes::new(py, &scratch[..len])).map_err(|_| no_memory());
    codecs::with(|codecs| codecs.give_scratch(scratch));
    packed
}

/// A whole stream in front of some scratch memory, and its length. `level` is zlib's, but not 0.
pub fn pack(input: &[u8], format: Format, level: c_int) -> (Result<usize, Error>, Vec<u8>) {
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

fn plain<'py>(py: Python<'py>, input: &[u8], level: c_int, wbits: c_int) -> PyResult<Bound<'py, PyBytes>> {
    let stream = Deflate::new(level, Z_DEFLATED, wbits, MEM_LEVEL, Z_DEFAULT_STRATEGY);
    let mut stream = stream.map_err(|code| match code {
        Z_MEM_ERROR => no_memory(),
        Z_STREAM_ERROR => error::error("Bad compression level".into()),
        code => error::of(code, "while compressing data", None),
    })?;
    let pumped = run(py, input.len().saturating_mul(WEIGHT), || {
        pump(input, input.len() + input.len() / 1000, usize::MAX, |rest, room| {
            // zlib's counts have 32 bits: the end is told with what is left.
            let flush = if rest.len() > u32::MAX as usize { Z_NO_FLUSH } else { Z_FINISH };
            stream.run(rest, room, flush)
        })
    });
    match pumped.code {
        Z_STREAM_END => Ok(PyBytes::new(py, pumped.output())),
        code => Err(error::of(code, "while compressing data", stream.message())),
    }
}

fn no_memory() -> PyErr {
    PyMemoryError::new_err("Out of memory while compressing data")
}
