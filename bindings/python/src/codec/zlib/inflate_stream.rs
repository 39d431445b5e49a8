//! A stream to decompress, with the attributes that the standard module has for unused input.

use std::ffi::c_int;

use libz_rs_sys::{Z_NEED_DICT, Z_OK, Z_STREAM_END, Z_STREAM_ERROR};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::growing_output::{GrownOutput, run_growing};
use crate::codec::codecs::run;
use crate::codec::error;
use crate::codec::sys::{Inflate, Status};

/// Usual ratio of decompressed to compressed bytes, for the first output buffer.
pub const RATIO: usize = 4;

/// State of a stream.
pub struct State {
    /// `None` after the end of the stream and a flush.
    pub stream: Option<Inflate>,
    pub dictionary: Option<Vec<u8>>,
    pub unused_data: Py<PyBytes>,
    pub unconsumed_tail: Py<PyBytes>,
    pub eof: bool,
}

pub fn set_dictionary(stream: &mut Inflate, dictionary: &[u8]) -> PyResult<()> {
    match stream.set_dictionary(dictionary) {
        Z_OK => Ok(()),
        code => Err(error::zlib_code(code, "while setting zdict", stream.message())),
    }
}

impl State {
    pub fn read(&mut self, py: Python<'_>, input: &[u8], limit: usize, flush: c_int) -> GrownOutput {
        let (stream, dictionary, eof) = (&mut self.stream, &self.dictionary, self.eof);
        let guess = input.len().saturating_mul(RATIO);
        run(py, guess, || {
            run_growing(input, guess, limit, |input, buffer| match stream {
                _ if eof => Status { code: Z_STREAM_END, consumed: 0, produced: 0 },
                None => Status { code: Z_STREAM_ERROR, consumed: 0, produced: 0 },
                Some(stream) => step(stream, dictionary.as_deref(), input, buffer, flush),
            })
        })
    }

    /// Keeps the unused input.
    pub fn keep(&mut self, py: Python<'_>, input: &[u8], output: &GrownOutput) {
        let rest = &input[output.consumed..];
        if output.code == Z_STREAM_END {
            self.eof = true;
            if !rest.is_empty() {
                let all = [self.unused_data.as_bytes(py), rest].concat();
                self.unused_data = PyBytes::new(py, &all).unbind();
            }
            self.unconsumed_tail = PyBytes::new(py, &[]).unbind();
        } else if !rest.is_empty() || !self.unconsumed_tail.as_bytes(py).is_empty() {
            self.unconsumed_tail = PyBytes::new(py, rest).unbind();
        }
    }
}

/// Calls the stream, and once more if it asks for its dictionary.
pub fn step(
    stream: &mut Inflate,
    dictionary: Option<&[u8]>,
    input: &[u8],
    buffer: &mut [u8],
    flush: c_int,
) -> Status {
    let first = stream.run(input, buffer, flush);
    let Some(dictionary) = dictionary.filter(|_| first.code == Z_NEED_DICT) else { return first };
    match stream.set_dictionary(dictionary) {
        Z_OK => {
            let next = stream.run(&input[first.consumed..], &mut buffer[first.produced..], flush);
            Status {
                code: next.code,
                consumed: first.consumed + next.consumed,
                produced: first.produced + next.produced,
            }
        }
        code => Status { code, ..first },
    }
}
