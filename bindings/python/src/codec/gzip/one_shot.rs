//! All members of a buffer at once, with the fast decoder.

use pelton_codec::{Checksum, Container, Error, Format, checksum};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::header;
use crate::codec::codecs::{self, Codecs, run};
use crate::codec::sys::{Input, NewBytes};
use crate::codec::{error, size};

/// Decompress all members of a buffer. None if anything is wrong, or odd: the caller then reads it
/// in pieces, and finds the error.
#[pyfunction]
#[pyo3(signature = (data, /))]
pub fn decompress<'py>(data: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let input = Input::new(data, "data")?;
    all(data.py(), input.as_slice())
}

/// Decompresses as [`decompress`], without its argument's type.
pub fn all<'py>(py: Python<'py>, input: &[u8]) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let Some(claim) = size::claimed(Format::Gzip, input) else { return Ok(None) };
    let mut buffer = NewBytes::new(py, claim)?;
    let output = buffer.as_mut_slice();
    let done = run(py, claim, || codecs::with(|codecs| codecs.decompress(Format::Gzip, input, output)));
    match done {
        Ok(done) if is_padding(&input[done.consumed..]) => Ok(Some(buffer.finish(done.produced))),
        Err(Error::OutputTooSmall { .. }) => {
            drop(buffer);
            let uncompressed = run(py, input.len().saturating_mul(4), || members(input));
            uncompressed
                .map(|uncompressed| uncompressed.map(|uncompressed| PyBytes::new(py, &uncompressed)))
                .ok_or_else(|| error::no_memory(claim))
        }
        _ => Ok(None),
    }
}

/// Returns whether only zeros remain, which may follow the last member.
fn is_padding(rest: &[u8]) -> bool {
    rest.iter().all(|&byte| byte == 0)
}

/// Decompresses several members, one after the other; `None` if there is no memory, and
/// `Some(None)` if anything is wrong.
fn members(mut input: &[u8]) -> Option<Option<Vec<u8>>> {
    let mut uncompressed = Vec::new();
    let mut produced = 0;
    while !is_padding(input) {
        let before = produced;
        let consumed = loop {
            match codecs::with(|codecs| member(codecs, input, &mut uncompressed[before..])) {
                Ok((consumed, len)) => {
                    produced = before + len;
                    break consumed;
                }
                Err(Error::OutputTooSmall { .. }) => grow(&mut uncompressed, input.len())?,
                Err(_) => return Some(None),
            }
        };
        input = &input[consumed..];
    }
    uncompressed.truncate(produced);
    Some(Some(uncompressed))
}

fn grow(uncompressed: &mut Vec<u8>, rest: usize) -> Option<()> {
    let more = uncompressed.len().max(rest.saturating_mul(2)).max(64 << 10);
    uncompressed.try_reserve_exact(more).ok()?;
    uncompressed.resize(uncompressed.len() + more, 0);
    Some(())
}

/// Decodes one member; returns the numbers of bytes read and written.
pub fn member(codecs: &mut Codecs, input: &[u8], output: &mut [u8]) -> Result<(usize, usize), Error> {
    let format = Format::Gzip;
    let header = header::parse(input).ok().flatten().ok_or(Error::Truncated { format })?;
    let body = codecs.decompress(Format::Deflate, &input[header.len..], output)?;
    let container = Container::of(format).ok_or(Error::Truncated { format })?;
    let sum = checksum(Checksum::Crc32, &output[..body.produced]) as u32;
    let end = container.check_trailer(input, header.len + body.consumed, sum, body.produced)?;
    Ok((end, body.produced))
}
