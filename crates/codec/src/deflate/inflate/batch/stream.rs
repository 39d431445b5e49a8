//! A stream of a batch, and its two ways: into a lane, or to the decoder of single streams.

use super::lane::{Lane, RunningChecksum};
use crate::deflate::{gzip, zlib};
use crate::{Decoder, Error, Format, Progress};

/// One stream of a batch: its input, its output, and its result.
#[derive(Debug)]
pub struct Stream<'a> {
    /// Container of the stream, or another format: Snappy is interleaved too, the others are left
    /// to [`Decoder`].
    pub format: Format,
    /// Starts with the stream.
    pub input: &'a [u8],
    /// Has room for the uncompressed data.
    pub output: &'a mut [u8],
    /// Result of [`Decoder::decompress`] for the fields above, once the batch is done.
    pub result: Result<Progress, Error>,
    /// Set, once the batch is done, if it was interleaved with others, at least at first; if not,
    /// [`Decoder`] decoded it alone.
    pub is_interleaved: bool,
}

impl<'a> Stream<'a> {
    /// A stream to be decoded.
    pub fn new(format: Format, input: &'a [u8], output: &'a mut [u8]) -> Self {
        Self { format, input, output, result: Ok(Progress::default()), is_interleaved: false }
    }

    /// It came to its end in a lane.
    pub(crate) fn done(&mut self, progress: Progress) {
        self.result = Ok(progress);
        self.is_interleaved = true;
    }
}

/// A lane for the stream or member at byte `from`, past its header.
pub(crate) fn open<'a>(stream: &Stream<'a>, from: usize, start: usize) -> Option<Lane<'a>> {
    let rest = &stream.input[from..];
    let header = match stream.format {
        Format::Deflate => 0,
        Format::Zlib => zlib::header_len(rest).ok()?,
        Format::Gzip => gzip::header_len(rest).ok()?,
        _ => return None,
    };
    Some(Lane::new(stream.input, from + header, start, RunningChecksum::new(stream.format, start)))
}

impl Decoder {
    pub(crate) fn decode(&mut self, stream: &mut Stream<'_>) {
        stream.result = self.decompress(stream.format, stream.input, stream.output);
        stream.is_interleaved = false;
    }
}
