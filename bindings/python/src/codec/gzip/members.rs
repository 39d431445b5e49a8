//! The members of a gzip file, decompressed in pieces.

use libz_rs_sys::{Z_BUF_ERROR, Z_NO_FLUSH, Z_OK, Z_STREAM_END};
use pelton_codec::{Checksum, checksum_append};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::{header, one_shot};
use crate::codec::codecs::{self, run};
use crate::codec::error::{self, bad_gzip, gzip_ended};
use crate::codec::sys::{Inflate, Output};

/// Bytes that are read from the file at once, as Python's own module does from 3.12 on.
const READ: usize = 128 << 10;
/// Size up to which a file is read at once if all of it is wanted: whole members are decoded
/// faster.
const WHOLE: usize = 64 << 20;
/// CRC32 and ISIZE.
const TRAILER: usize = 8;
/// Window bits of a stream without a container.
const RAW: i32 = -15;
/// Incomplete members in a row after which none is tried whole.
const MAX_INCOMPLETE: u32 = 2;
/// Least space in the output for which a member is tried whole.
const MIN_WHOLE: usize = 4 << 10;

/// The members of a gzip file, from an object with a method read(size).
#[pyclass]
pub struct Members {
    file: Py<PyAny>,
    input: Vec<u8>,
    /// Number of used bytes of the input.
    at: usize,
    stream: Option<Inflate>,
    place: Place,
    crc: u32,
    len: u32,
    /// Incomplete members in a row.
    incomplete: u32,
    /// MTIME of the last header.
    #[pyo3(get)]
    mtime: Option<u32>,
}

/// Position in the file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// At a member, or at the end of the file.
    Header {
        is_first: bool,
    },
    Body,
    Trailer,
}

#[pymethods]
impl Members {
    #[new]
    fn new(file: Py<PyAny>) -> Self {
        Self {
            file,
            input: Vec::new(),
            at: 0,
            stream: None,
            place: Place::Header { is_first: true },
            crc: 0,
            len: 0,
            incomplete: 0,
            mtime: None,
        }
    }

    /// Decompress into a buffer: some bytes, none at the end of the file.
    #[pyo3(signature = (out, /))]
    fn read_into(&mut self, out: &Bound<'_, PyAny>) -> PyResult<usize> {
        let mut output = Output::new(out, "out")?;
        self.read(out.py(), output.as_mut_slice())
    }

    /// Decompress the rest of the file.
    fn read_all<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        if matches!(self.place, Place::Header { .. })
            && self.gather(py)?
            && let Some(uncompressed) = one_shot::all(py, self.rest())?
        {
            if self.mtime.is_none() {
                self.mtime = header::parse(self.rest())?.map(|header| header.mtime);
            }
            (self.at, self.place) = (self.input.len(), Place::Header { is_first: false });
            return Ok(uncompressed);
        }
        let mut uncompressed = vec![0; READ];
        let mut len = 0;
        loop {
            match self.read(py, &mut uncompressed[len..])? {
                0 => return Ok(PyBytes::new(py, &uncompressed[..len])),
                more => len += more,
            }
            if len == uncompressed.len() {
                uncompressed.try_reserve_exact(len).map_err(|_| error::no_memory(len))?;
                uncompressed.resize(2 * len, 0);
            }
        }
    }
}

impl Members {
    fn rest(&self) -> &[u8] {
        &self.input[self.at..]
    }

    /// Reads more of the file; returns false at its end.
    fn refill(&mut self, py: Python<'_>, size: usize) -> PyResult<bool> {
        let read = self.file.bind(py).call_method1("read", (size,))?;
        let read = read.cast::<PyBytes>()?.as_bytes();
        self.input.drain(..self.at);
        self.at = 0;
        self.input.extend_from_slice(read);
        Ok(!read.is_empty())
    }

    /// Reads the rest of the file up to a limit; returns whether that was all.
    fn gather(&mut self, py: Python<'_>) -> PyResult<bool> {
        while self.rest().len() < WHOLE {
            if !self.refill(py, WHOLE)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn read(&mut self, py: Python<'_>, out: &mut [u8]) -> PyResult<usize> {
        if out.is_empty() {
            return Ok(0);
        }
        loop {
            match self.place {
                Place::Header { is_first } => {
                    if !self.begin(py, is_first)? {
                        return Ok(0);
                    }
                    if let Some(produced @ 1..) = self.try_whole(py, out) {
                        return Ok(produced);
                    }
                }
                Place::Body => {
                    let produced = self.decode(py, out)?;
                    if produced > 0 {
                        return Ok(produced);
                    }
                }
                Place::Trailer => self.check(py)?,
            }
        }
    }

    /// Goes to a member's body; returns false at the end of the file.
    fn begin(&mut self, py: Python<'_>, is_first: bool) -> PyResult<bool> {
        loop {
            if !is_first {
                // Zeros may be between members, and after the last.
                self.at += self.rest().iter().take_while(|&&byte| byte == 0).count();
            }
            if let Some(header) = header::parse(self.rest())? {
                self.mtime = Some(header.mtime);
                self.at += header.len;
                (self.place, self.crc, self.len) = (Place::Body, 0, 0);
                match &mut self.stream {
                    Some(stream) => stream.reset(),
                    None => {
                        let wrong =
                            |code| error::zlib_code(code, "while creating decompression object", None);
                        self.stream = Some(Inflate::new(RAW).map_err(wrong)?);
                    }
                }
                return Ok(true);
            }
            if !self.refill(py, READ)? {
                return match self.rest() {
                    [] => Ok(false),
                    [one] => Err(header::not_gzip(&[*one])),
                    _ => Err(gzip_ended()),
                };
            }
        }
    }

    /// Decodes a member whole, if all of it is in the input and fits; the input is at the member's
    /// body.
    fn try_whole(&mut self, py: Python<'_>, out: &mut [u8]) -> Option<usize> {
        if self.incomplete >= MAX_INCOMPLETE || out.len() < MIN_WHOLE {
            return None;
        }
        let rest = &self.input[self.at..];
        let done = run(py, out.len(), || {
            codecs::with(|codecs| codecs.decompress(pelton_codec::Format::Deflate, rest, out))
        });
        match done {
            Ok(done) => {
                self.incomplete = 0;
                self.at += done.consumed;
                self.account(&out[..done.produced]);
                self.place = Place::Trailer;
                Some(done.produced)
            }
            Err(_) => {
                self.incomplete += 1;
                None
            }
        }
    }

    fn account(&mut self, uncompressed: &[u8]) {
        self.crc = checksum_append(Checksum::Crc32, self.crc.into(), uncompressed).unwrap_or_default() as u32;
        // ISIZE is the length modulo 2^32.
        self.len = self.len.wrapping_add(uncompressed.len() as u32);
    }

    fn decode(&mut self, py: Python<'_>, out: &mut [u8]) -> PyResult<usize> {
        if self.rest().is_empty() && !self.refill(py, READ)? {
            return Err(gzip_ended());
        }
        let (rest, stream) = (&self.input[self.at..], &mut self.stream);
        let Some(stream) = stream else { return Err(gzip_ended()) };
        let done = run(py, out.len(), || stream.run(rest, out, Z_NO_FLUSH));
        match done.code {
            Z_OK | Z_BUF_ERROR => {}
            Z_STREAM_END => self.place = Place::Trailer,
            code => return Err(error::zlib_code(code, "while decompressing data", stream.message())),
        }
        self.at += done.consumed;
        self.account(&out[..done.produced]);
        Ok(done.produced)
    }

    fn check(&mut self, py: Python<'_>) -> PyResult<()> {
        while self.rest().len() < TRAILER {
            if !self.refill(py, READ)? {
                return Err(gzip_ended());
            }
        }
        let (crc, len) = (self.number(0), self.number(4));
        if crc != self.crc {
            return Err(bad_gzip(format!("CRC check failed {crc:#x} != {:#x}", self.crc)));
        }
        if len != self.len {
            return Err(bad_gzip("Incorrect length of data produced".into()));
        }
        self.at += TRAILER;
        self.place = Place::Header { is_first: false };
        Ok(())
    }

    fn number(&self, place: usize) -> u32 {
        self.rest()[place..].first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes))
    }
}
